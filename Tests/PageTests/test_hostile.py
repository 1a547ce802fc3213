# SPDX-License-Identifier: Apache-2.0
"""Nothing that a model, a file or a page of the web says becomes more than text, whatever it looks like."""

import random

import states as s

TEXTS = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg onload=alert(1)>", "<iframe src='javascript:alert(1)'></iframe>",
    "javascript:alert(1)", "<a href='javascript:alert(1)'>x</a>", "<style>*{display:none}</style>", "<parley-card onclick=alert(1)>", "\u202egpj.exe",
    "<base href=//evil.example>", "<form action=//evil.example><button>Confirm</button></form>", "]]>", "\x00", "<details open ontoggle=alert(1)>",
]
ADDRESSES = [
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "java\nscript:alert(1)", "data:text/html,<script>alert(1)</script>",
    "vbscript:x", "file:///etc/passwd", "blob:null/x", "//evil.example", "/app/v1/intents", "#key=x", "", "about:blank", "ftp://x.example/", "tel:1",
]
GOOD = ["https://example.org/a?b=c#d", "http://example.org/", "mailto:ada@example.org"]
ELEMENTS = {
    "P", "H3", "H4", "H5", "H6", "PRE", "CODE", "PARLEY-CODE", "BUTTON", "svg", "path", "SPAN", "DIV", "BLOCKQUOTE", "UL", "OL", "LI", "INPUT", "TABLE",
    "THEAD", "TBODY", "TR", "TH", "TD", "HR", "EM", "STRONG", "DEL", "A", "BR",
}
ATTRIBUTES = {
    "class", "href", "rel", "target", "tabindex", "title", "start", "type", "disabled", "checked", "aria-label", "aria-pressed", "aria-hidden",
    "aria-expanded", "focusable", "viewBox", "width", "height", "d", "role", "scope",
}
SEEN = """(id) => {
    const all = [...document.querySelectorAll(`[data-id="${id}"] .body *`)];
    return { elements: [...new Set(all.map((one) => one.tagName))], attributes: [...new Set(all.flatMap((one) => one.getAttributeNames()))],
             links: all.filter((one) => one.hasAttribute("href")).map((one) => [one.getAttribute("href"), one.rel, one.target]),
             inputs: all.filter((one) => one.tagName === "INPUT").map((one) => [one.type, one.disabled]) };
}"""


def check(page, id="r"):
    seen = page.page.evaluate(SEEN, id)
    assert set(seen["elements"]) <= ELEMENTS
    assert set(seen["attributes"]) <= ATTRIBUTES
    for href, rel, target in seen["links"]:
        assert href.startswith(("http:", "https:", "mailto:"))
        assert (rel, target) == ("noreferrer noopener nofollow", "_blank")
    assert all(kind == ["checkbox", True] for kind in seen["inputs"])
    return seen


def link(url, kind="link", words="here"):
    return {"kind": kind, "url": url, "title": "<b>title</b>", "host": None, "inlines": [s.text(words)]}


def test_markup_in_texts_is_text(page):
    blocks = [block for words in TEXTS for block in (
        s.paragraph(words), {"kind": "html", "text": words}, {"kind": "code", "info": words, "text": words},
        {"kind": "heading", "level": 1, "inlines": [{"kind": "html", "text": words}]})]
    page.open(s.state(s.chat([s.user("\n".join(TEXTS), id="u"), s.reply(*blocks, id="r")], title=TEXTS[0]),
                      chats=[s.row("c1", TEXTS[1]), s.row("c2", TEXTS[2])]))
    page.page.locator("[data-id=r] .body").wait_for()
    check(page)
    assert page.page.locator("[data-id=r] .body p").first.inner_text() == TEXTS[0]
    assert page.page.locator("[data-id=u] .body *").count() == 0
    assert page.page.get_by_role("heading", level=1).inner_text() == TEXTS[0]
    assert page.page.locator("script").count() == 1


def test_only_the_web_and_mail_are_links(page):
    inlines = [link(url, kind) for url in ADDRESSES + GOOD for kind in ("link", "image")]
    page.open(s.state(s.chat([s.user("?"), s.reply(s.paragraph(*inlines), id="r", sources=[
        {"title": "x", "url": url, "snippet": "<b>"} for url in ADDRESSES + GOOD])])))
    page.page.locator("[data-id=r] .body").wait_for()
    seen = check(page)
    assert sorted({href for href, _, _ in seen["links"]}) == sorted(GOOD)
    hrefs = page.page.evaluate("[...document.querySelectorAll('[data-id=r] .sources a')].map((one) => one.getAttribute('href'))")
    assert sorted(hrefs) == sorted(GOOD)
    assert page.page.locator("img").count() == 0


def test_the_host_is_shown_where_text_and_address_differ(page):
    page.open(s.state(s.chat([s.user("?"), s.reply(s.paragraph({**link("https://evil.example/"), "host": "evil.example", "inlines": [s.text("bank.example")]}), id="r")])))
    assert page.page.locator("[data-id=r] a").inner_text() == "bank.example (evil.example)"
    # No mark of direction before it turns it round.
    assert page.page.locator("[data-id=r] .host").evaluate("(host) => [getComputedStyle(host).direction, getComputedStyle(host).unicodeBidi]") == ["ltr", "isolate"]


def some_inline(chance, depth):
    kind = chance.choice(["text", "code", "html", "softbreak", "break", "link", "image", "emphasis", "strong", "strikethrough", "unknown"])
    inner = [some_inline(chance, depth - 1) for _ in range(chance.randrange(3))] if depth > 0 else []
    return {"kind": kind, "text": chance.choice(TEXTS), "url": chance.choice(ADDRESSES + GOOD), "title": chance.choice([None, *TEXTS]),
            "host": chance.choice([None, "example.org"]), "inlines": inner}


def some_block(chance, depth):
    kind = chance.choice(["paragraph", "heading", "code", "quote", "list", "table", "rule", "html", "unknown"])
    inlines = [some_inline(chance, 2) for _ in range(chance.randrange(4))]
    inner = [some_block(chance, depth - 1) for _ in range(chance.randrange(3))] if depth > 0 else []
    return {"kind": kind, "level": chance.randrange(1, 7), "info": chance.choice(TEXTS), "text": chance.choice(TEXTS), "inlines": inlines, "blocks": inner,
            "start": chance.choice([None, 1, 7]), "tight": chance.random() < 0.5, "align": [None, "right"], "header": [inlines, inlines],
            "rows": [[inlines, inlines]] * chance.randrange(3), "items": [{"done": chance.choice([None, True, False]), "blocks": inner}] * chance.randrange(3)}


def test_random_trees_make_allowed_nodes_alone_and_patch_to_what_they_would_be_anew(page):
    chance = random.Random(7)
    page.open(s.state(s.chat([s.user("?"), s.reply(id="r", state="writing"), s.reply(id="whole")], status=s.status(is_generating=True))))
    markup = "(id) => document.querySelector(`[data-id='${id}'] .body`).cloneNode(true).innerHTML"
    for _ in range(60):
        blocks = [{**some_block(chance, 2), "id": at} for at in range(chance.randrange(5))]
        page.delta("r", 0, blocks)
        page.push("message.removed", chat="c1", id="whole")
        page.push("message.added", chat="c1", message=s.message("whole", "assistant", blocks=blocks))
        page.settle()
        check(page)
        assert page.page.evaluate(markup, "r") == page.page.evaluate(markup, "whole")


def test_only_the_pages_own_files_and_interface_are_asked(page):
    asked = []
    page.page.on("request", lambda request: asked.append(request.url))
    page.open(s.state(s.chat([s.user("?"), s.reply(s.paragraph(*[link(url, "image") for url in GOOD]), id="r")])))
    page.page.locator("[data-id=r] .body").wait_for()
    assert asked and all(one.startswith((page.address, "data:")) for one in asked)
