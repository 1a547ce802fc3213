# SPDX-License-Identifier: Apache-2.0
"""What the page makes of Markdown beside a reference parser: the same tree, for each example of the specification.

The way is the whole one: a file with the texts is imported, the server reads them into blocks, and the page makes nodes.
The page differs from the specification where it has to, and `Expected` says so: raw HTML stays text, only addresses of the
web and of mail are links, an image is a link, headings begin below those of the page, and bare addresses are links.
"""

import json
import os
import re
import urllib.request
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = Path(os.environ.get("PARLEY_REFERENCES") or ROOT / ".build" / "references") / "markdown" / "commonmark.json"
# Addresses without marks around them are links in GitHub's Markdown, which the page reads, and not in CommonMark.
BARE = {"< https://foo.bar >\n", "https://example.com\n", "foo@bar.example.com\n", "<https://foo.bar/baz bim>\n"}
BLOCKS = {"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "pre", "blockquote", "hr"}
PER_CHAT = 50


def parser():
    """The reference parser, which shows raw HTML as the page does."""
    reference = MarkdownIt("commonmark")
    escaped = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}

    def text(words):
        return re.sub("[&<>]", lambda found: escaped[found.group()], words)

    reference.add_render_rule("html_inline", lambda self, tokens, at, *_: text(tokens[at].content))
    reference.add_render_rule("html_block", lambda self, tokens, at, *_: f"<p>{text(tokens[at].content)}</p>\n")
    return reference


class Expected(HTMLParser):
    """The tree of a reference parser's HTML as the page shows it: nested lists [name, attributes, children]."""

    def __init__(self, html, links):
        super().__init__()
        self.links = links
        self.root = ["root", {}, []]
        self.open = [self.root]
        self.depth = 0
        self.feed(html)
        self.close()

    def add(self, node):
        self.open[-1][2].append(node)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        kept = {}
        if tag == "img":
            address = self.links.get(attributes.get("src", ""))
            words = attributes.get("alt") or (attributes.get("src") if address else "")
            if any(node[0] == "a" for node in self.open):
                self.add(attributes.get("alt") or "")
            elif address:
                kept = {"href": address, **({"title": attributes["title"]} if attributes.get("title") else {})}
                self.add(["a", kept, [words]])
            else:
                self.add(words)
            return
        if tag == "a":
            address = self.links.get(attributes.get("href", ""))
            # What is no link is its words.
            tag = "a" if address else "span"
            if address:
                kept = {"href": address, **({"title": attributes["title"]} if attributes.get("title") else {})}
        elif tag in {"h1", "h2", "h3", "h4", "h5", "h6"}:
            if len(self.open) == 1:
                self.depth = level = min(int(tag[1]), self.depth + 1)
            else:
                level = int(tag[1])
            tag = f"h{min(level + 2, 6)}"
        elif tag == "ol" and attributes.get("start"):
            kept = {"start": attributes["start"]}
        elif tag == "code" and (attributes.get("class") or "").startswith("language-"):
            self.open[-1][1]["language"] = attributes["class"][len("language-") :]
        node = [tag, kept, []]
        self.add(node)
        if tag not in {"br", "hr"}:
            self.open.append(node)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in {"br", "hr", "img"}:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if tag in {"br", "hr", "img"}:
            return
        node = self.open.pop()
        # A link needs a name; the page takes its address.
        if node[0] == "a" and not words(node).strip():
            node[2] = [node[1]["href"]]

    def handle_data(self, data):
        self.add(data)


def tidy(node, isCode=False):
    """A tree without what does not show: names of no meaning, white space between blocks, cuts within text."""
    name, attributes, children = node
    isCode = isCode or name in {"pre", "code"}
    flat = []
    for child in children:
        for one in [child] if isinstance(child, str) else unwrapped(tidy(child, isCode)):
            if isinstance(one, str) and flat and isinstance(flat[-1], str):
                flat[-1] += one
            else:
                flat.append(one)
    if name == "pre":
        return [name, attributes, "".join(words(one) for one in flat)]
    if not isCode:
        flat = [spaced(one, at, flat, name) if isinstance(one, str) else one for at, one in enumerate(flat)]
    return [name, attributes, [one for one in flat if one != ""]]


def unwrapped(node):
    return node[2] if node[0] == "span" else [node]


def words(node):
    return node if isinstance(node, str) else "".join(words(one) for one in node[2])


def spaced(text, at, siblings, parent):
    text = re.sub(r"[ \t]*\n[ \t]*", "\n", text)
    isBlock = [isinstance(one, list) and (one[0] in BLOCKS or one[0] == "br") for one in siblings]
    if at == 0 and parent in BLOCKS | {"root"} or at > 0 and isBlock[at - 1]:
        text = text.lstrip("\n ")
    if at + 1 == len(siblings) and parent in BLOCKS | {"root"} or at + 1 < len(siblings) and isBlock[at + 1]:
        text = text.rstrip("\n ")
    return text


SHOWN = """(id) => {
    const tree = (node) => {
        if (node.nodeType === Node.TEXT_NODE) return node.data;
        if (node.localName === "parley-code") {
            const language = node.querySelector(".language").textContent;
            return ["pre", language === "text" ? {} : { language }, [node.querySelector("code").textContent]];
        }
        if (node.classList.contains("host")) return "";
        const attributes = {};
        if (node.localName === "a") {
            attributes.href = node.href;
            if (node.title) attributes.title = node.title;
        }
        if (node.localName === "ol" && node.hasAttribute("start")) attributes.start = node.getAttribute("start");
        return [node.localName, attributes, [...node.childNodes].map(tree)];
    };
    return ["root", {}, [...document.querySelector(`parley-message[data-id="${id}"] .body`).childNodes].map(tree)];
}"""


def imported(program, texts):
    """Imports the texts as replies, in chats of some length; returns the ids of the chats, the first one first."""
    base, key = program.address.split("#key=")

    def ask(path, body=None):
        request = urllib.request.Request(f"{base}app/v1/{path}", body, {"Authorization": f"Bearer {key}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    found = []
    known = {row["id"] for row in ask("state")["chats"]}
    for start in range(0, len(texts), PER_CHAT):
        messages = [one for text in texts[start : start + PER_CHAT] for one in ({"role": "user", "content": "?"}, {"role": "assistant", "content": text})]
        ask("import", json.dumps(messages).encode())
        now = {row["id"] for row in ask("state")["chats"]}
        (id,) = now - known
        known = now
        found.append(id)
    return found


def shown_trees(shown, base, chats):
    for chat in chats:
        shown.goto(f"{base}#/chat/{chat}")
        shown.wait_for_function("(chat) => document.querySelector('.messages')?.dataset.chat === chat && location.hash.endsWith(chat)", arg=chat)
        for id in shown.evaluate("[...document.querySelectorAll('parley-message[data-author=assistant]')].map((one) => one.dataset.id)"):
            yield shown.evaluate(SHOWN, id)


@pytest.mark.parametrize("links", ["as they are", "to the web"])
def test_the_nodes_of_each_example_are_those_of_the_reference(start_program, make_page, links):
    if not EXAMPLES.exists():
        pytest.skip("scripts/fetch-references fetches the examples of CommonMark")
    examples = json.loads(EXAMPLES.read_text())
    assert len(examples) == 652
    reference, plain = parser(), MarkdownIt("commonmark")
    # The reference parser itself agrees with the specification, but for a line end in empty quotes.
    assert sum(plain.render(text).replace("<blockquote></", "<blockquote>\n</") != html for text, html in examples) == 0
    texts = [text for text, _ in examples if text not in BARE]
    if links == "to the web":
        texts = [text.replace("/url", "https://example.org/url") for text in texts if "/url" in text]
        texts = [text for text in texts if not re.search(r">[^<]*https://example", plain.render(text))]
        assert len(texts) > 60
    program = start_program({"replies": {}})
    page = make_page()
    shown = page.visit(program.address)
    shown.get_by_role("button", name="Send").wait_for()
    trees = list(shown_trees(shown, page.address, imported(program, texts)))
    assert len(trees) == len(texts)
    # A reply ends with its last sign.
    htmls = [reference.render(text.rstrip() + "\n") for text in texts]
    addresses = sorted({one for html in htmls for one in re.findall(r'(?:href|src)="([^"]*)"', html)})
    known = shown.evaluate(r"""(all) => Object.fromEntries(all.flatMap((text) => {
        const area = text.replaceAll("&amp;", "&").replaceAll("&quot;", '"');
        try {
            const url = new URL(area);
            // A host with signs that no host can have is none for the server.
            const isKnown = ["http:", "https:", "mailto:"].includes(url.protocol) && /^[\w.:-]*$/.test(url.host);
            return isKnown ? [[area, url.href]] : [];
        } catch { return []; }
    }))""", addresses)
    others = []
    for text, html, tree in zip(texts, htmls, trees):
        wanted, found = tidy(Expected(html, known).root), tidy(tree)
        if wanted != found:
            others.append(f"{text!r}\n  wanted {wanted}\n  found  {found}")
    assert not others, f"{len(others)} of {len(texts)} differ:\n" + "\n".join(others[:40])
