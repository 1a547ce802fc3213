# SPDX-License-Identifier: Apache-2.0
"""A reply while it is written: what is patched, what stays, and what is followed."""

import random

import states as s

BLOCKS = [
    {"kind": "heading", "level": 2, "inlines": [s.text("Kernels")]},
    s.paragraph("A sum depends on its ", {"kind": "strong", "inlines": [s.text("order")]}, ", for ", {"kind": "code", "text": "a + b"},
                " is rounded; see ", {"kind": "link", "url": "https://example.org/x", "title": None, "host": "example.org",
                                      "inlines": [s.text("this page")]}, "."),
    {"kind": "code", "info": "swift", "text": "let a = 1\nlet b = 2\nprint(a + b)\n"},
    {"kind": "list", "start": None, "tight": True, "items": [
        {"done": None, "blocks": [s.paragraph("one")]},
        {"done": True, "blocks": [s.paragraph("two"), {"kind": "list", "start": 3, "tight": True, "items": [
            {"done": None, "blocks": [s.paragraph("inner")]}]}]}]},
    {"kind": "quote", "blocks": [s.paragraph("said ", {"kind": "emphasis", "inlines": [s.text("by someone")]})]},
    {"kind": "table", "align": ["left", None], "header": [[s.text("a")], [s.text("b")]],
     "rows": [[[s.text("1")], [s.text("2")]], [[s.text("3")], [{"kind": "code", "text": "4"}]]]},
    {"kind": "rule"},
    {"kind": "html", "text": "<b>bold?</b>"},
    s.paragraph("As ", {"kind": "formula", "text": "a_1", "displayed": False}, " and ", {"kind": "formula", "text": "a = b_1", "displayed": True}),
    {"kind": "formula", "text": "a_1 = b\n"},
    s.paragraph("The end."),
]


def writing(page, *messages, **more):
    state = s.state(s.chat([*messages, s.user("Go on"), s.reply(id="tail", state="writing")], status=s.status(is_generating=True)), **more)
    return page.open(state)


def body(page, id="tail"):
    """The nodes of a text, written out; the order of attributes and the state of folds do not matter."""
    return page.page.evaluate("""(id) => {
        const out = (node) => node.nodeType === 3 ? JSON.stringify(node.data)
            : `<${node.localName} ${[...node.attributes].map((a) => `${a.name}=${a.value}`).sort()}>${[...node.childNodes].map(out).join("")}</>`;
        return [...document.querySelector(`parley-message[data-id="${id}"] .body`).childNodes].map(out).join("\\n");
    }""", id)


def cuts(blocks, seed):
    """The states of a tree while it is written: its texts grow, and blocks and inlines come one after another."""
    chance = random.Random(seed)

    def grow(values):
        for count in range(1, len(values) + 1):
            head, last = values[: count - 1], values[count - 1]
            for partial in parts(last):
                yield [*head, partial]

    def parts(value):
        if isinstance(value.get("text"), str) and len(value["text"]) > 1 and value.get("kind") != "html":
            for at in sorted(chance.sample(range(1, len(value["text"])), min(2, len(value["text"]) - 1))):
                yield {**value, "text": value["text"][:at]}
        for name in ("inlines", "blocks"):
            if isinstance(value.get(name), list):
                for grown in grow(value[name]):
                    yield {**value, name: grown}
        if isinstance(value.get("items"), list):
            for count in range(1, len(value["items"]) + 1):
                head, last = value["items"][: count - 1], value["items"][count - 1]
                for grown in grow(last["blocks"]):
                    yield {**value, "items": [*head, {**last, "blocks": grown}]}
        if isinstance(value.get("rows"), list):
            for count in range(len(value["rows"]) + 1):
                yield {**value, "rows": value["rows"][:count]}
        yield value

    for grown in grow(blocks):
        yield grown


def test_any_cutting_of_a_reply_gives_the_same_nodes(page):
    blocks = [{**block, "id": index} for index, block in enumerate(BLOCKS)]
    writing(page, s.reply(*blocks, id="whole"))
    for seed in range(4):
        for grown in cuts(blocks, seed):
            page.delta("tail", len(grown) - 1, [grown[-1]])
            if random.random() < 0.5:
                page.settle()
        page.settle()
        assert body(page) == body(page, "whole")
        page.delta("tail", 0, [])
        page.settle()
        assert body(page) == ""


def test_a_list_that_is_no_longer_tight_is_drawn_anew(page):
    tight = {"kind": "list", "start": None, "tight": True, "items": [{"done": None, "blocks": [s.paragraph("a")]}]}
    loose = {"kind": "list", "start": None, "tight": False, "items": [{"done": None, "blocks": [s.paragraph("a")]},
                                                                     {"done": None, "blocks": [s.paragraph("b")]}]}
    writing(page)
    page.delta("tail", 0, [tight])
    page.settle()
    assert page.page.locator("[data-id=tail] li > p").count() == 0
    page.delta("tail", 0, [loose])
    page.settle()
    assert page.page.locator("[data-id=tail] li > p").count() == 2


COUNT = """(id) => {
    const seen = { nodes: 0, records: 0 };
    window.seen = seen;
    new MutationObserver((records) => {
        for (const record of records) {
            seen.records += 1;
            seen.nodes += record.type === "childList" ? record.addedNodes.length + record.removedNodes.length : 1;
        }
    }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
}"""


def mutations(page, earlier):
    messages = [one for at in range(earlier // 2) for one in (s.user(f"Question {at}"), s.reply(f"Answer {at}"))]
    writing(page, *messages)
    page.delta("tail", 0, [s.paragraph("It begins")], text_append="It begins")
    page.settle()
    page.page.evaluate(COUNT)
    for at in range(20):
        page.delta("tail", 0, [s.paragraph("It begins" + " and goes on" * (at + 1))], text_append=" and goes on")
        page.settle()
    return page.page.evaluate("seen.nodes")


def test_a_delta_changes_no_more_nodes_in_a_chat_of_a_thousand_messages(make_page):
    few, many = mutations(make_page(), 10), mutations(make_page(), 1000)
    print(f"nodes changed by 20 deltas: {few} at message 10, {many} at message 1,000")
    assert few == many
    assert few <= 20


def test_frozen_blocks_keep_their_nodes(page):
    writing(page)
    page.delta("tail", 0, [s.paragraph("first")])
    page.settle()
    page.page.evaluate("window.first = document.querySelector('[data-id=tail] .body > p')")
    page.delta("tail", 1, [s.paragraph("second", id=1)])
    done = s.reply("first", "second", id="tail")
    page.push("message.updated", chat="c1", message=done)
    page.settle()
    assert page.page.evaluate("window.first === document.querySelector('[data-id=tail] .body > p')")
    assert page.page.locator("[data-id=tail] .body > p").count() == 2


def test_of_code_that_goes_on_only_what_is_new_comes(page):
    writing(page)
    page.delta("tail", 0, [s.paragraph("So:"), {"id": 1, "kind": "code", "info": "swift", "text": "let a = 1\nlet\n"}])
    page.settle()
    page.page.evaluate("window.code = document.querySelector('[data-id=tail] code').firstChild")
    page.delta("tail", 1, [], grown={"text": " b = 2\n"})
    page.delta("tail", 1, [s.paragraph("Done.", id=2)], grown={"text": "\nlet c = 3\n"})
    page.settle()
    assert page.page.evaluate("window.code.isConnected && window.code.data") == "let a = 1\nlet b = 2\nlet c = 3\n"
    assert page.page.locator("[data-id=tail] .body > p").all_inner_texts() == ["So:", "Done."]


def test_of_lists_and_tables_that_go_on_only_what_is_new_comes(page):
    def item(*words, id):
        return {"done": None, "blocks": [s.paragraph(*words, id=id)]}

    writing(page)
    page.delta("tail", 0, [{"id": 0, "kind": "list", "start": None, "tight": True, "items": [item("one", id=1), item("two", id=2)]}])
    page.settle()
    page.page.evaluate("window.items = [...document.querySelectorAll('[data-id=tail] li')]")
    words = {"from": 0, "grown": {"from": 0, "grown": {"text": " and"}, "inlines": []}, "blocks": []}
    page.delta("tail", 0, [], grown={"from": 1, "grown": words, "items": [item("three", id=3)]})
    page.settle()
    assert page.page.locator("[data-id=tail] li").all_inner_texts() == ["one", "two and", "three"]
    assert page.page.evaluate("window.items.every((item) => item.isConnected)")
    page.delta("tail", 1, [{"id": 4, "kind": "table", "align": [None], "header": [[s.text("a")]], "rows": [[[s.text("1")]]]}])
    page.delta("tail", 1, [s.paragraph("Done.", id=5)], grown={"from": 1, "rows": [[[s.text("2")]], [[s.text("3")]]]})
    page.settle()
    assert page.page.locator("[data-id=tail] td").all_inner_texts() == ["1", "2", "3"]
    assert page.page.locator("[data-id=tail] .body > p").all_inner_texts() == ["Done."]


def test_one_change_of_the_document_for_a_frame(page):
    writing(page)
    page.delta("tail", 0, [s.paragraph("a")])
    page.settle()
    counted = page.page.evaluate("""async () => {
        let records = 0;
        new MutationObserver((list) => records += list.length)
            .observe(document.querySelector("[data-id=tail]"), { subtree: true, childList: true, characterData: true });
        for (let at = 0; at < 10; at += 1) {
            wire.push("message.delta", { chat: "c1", id: "tail", part: "blocks", from: 0, state: "writing",
                blocks: [{ id: 0, kind: "paragraph", inlines: [{ kind: "text", text: "a" + "b".repeat(at) }] }] });
        }
        await new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done))));
        return records;
    }""")
    assert counted == 1
    assert page.page.locator("[data-id=tail] .body").inner_text() == "a" + "b" * 9


def test_nothing_is_moved_while_a_reply_is_written(page):
    """The score of the browser for layout that shifts; what a reader scrolls or presses does not count."""
    writing(page, *LONG[:6])
    page.settle()
    assert "layout-shift" in page.page.evaluate("PerformanceObserver.supportedEntryTypes")
    page.page.evaluate("""() => {
        window.shifts = [];
        window.shiftObserver = new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map((one) => one.value)));
        window.shiftObserver.observe({ type: "layout-shift" });
    }""")
    blocks = [{**block, "id": index} for index, block in enumerate(BLOCKS)]
    for grown in cuts(blocks, 1):
        page.delta("tail", len(grown) - 1, [grown[-1]])
        page.settle()
    page.push("message.updated", chat="c1", message=s.reply(*blocks, id="tail"))
    page.status()
    page.settle()
    told = "[...window.shifts, ...window.shiftObserver.takeRecords().map((one) => one.value)]"
    shifts = page.page.evaluate(told)
    print(f"layout that shifted: {sum(shifts):.4f} in {len(shifts)} shifts")
    assert sum(shifts) < 0.01
    # What does move is seen.
    page.page.evaluate("document.querySelector('.log').style.marginInlineStart = '80px'")
    page.settle()
    assert sum(page.page.evaluate(told)) > 0.01


def test_a_reply_of_very_many_parts_is_shown(page):
    writing(page)
    page.page.evaluate("""(reply) => {
        const inlines = Array.from({ length: 200_000 }, () => ({ kind: "softbreak" }));
        const item = { done: null, blocks: [{ id: 2, kind: "paragraph", inlines }] };
        const blocks = [{ id: 0, kind: "paragraph", inlines }, { id: 1, kind: "list", start: null, tight: true, items: [item] }];
        wire.push("message.added", { chat: "c1", message: { ...reply, blocks } });
    }""", s.reply(id="many"))
    page.page.wait_for_function("() => document.querySelectorAll('[data-id=many] li').length === 1")
    assert page.page.evaluate("['p', 'li'].map((name) => document.querySelector(`[data-id=many] ${name}`).childNodes.length)") == [200_000, 200_000]


LONG = [one for at in range(20) for one in (s.user(f"Question {at}"), s.reply(f"Answer {at}", "More of it", "And more"))]


def distance(page):
    return page.page.evaluate("(() => { const m = document.querySelector('main'); return m.scrollHeight - m.scrollTop - m.clientHeight; })()")


def test_the_end_is_followed_only_while_the_reader_is_there(page):
    writing(page, *LONG)
    page.settle()
    assert distance(page) < 5
    page.delta("tail", 0, [s.paragraph(f"Line {at}", id=at) for at in range(30)])
    page.settle()
    page.settle()
    assert distance(page) < 5
    page.page.locator("main").hover()
    page.page.mouse.wheel(0, -600)
    page.page.wait_for_function("() => { const m = document.querySelector('main'); return m.scrollHeight - m.scrollTop - m.clientHeight > 300; }")
    page.settle()
    top = page.page.evaluate("document.querySelector('main').scrollTop")
    page.delta("tail", 30, [s.paragraph("And further", id=30), s.paragraph("And further", id=31)])
    page.settle()
    assert abs(page.page.evaluate("document.querySelector('main').scrollTop") - top) < 2
    page.page.get_by_role("button", name="New text below").click()
    page.settle()
    assert distance(page) < 5
    assert not page.page.get_by_role("button", name="New text below").is_visible()


def scroll_up(page):
    page.page.locator("main").hover()
    page.page.mouse.wheel(0, -600)
    page.page.wait_for_function("() => { const m = document.querySelector('main'); return m.scrollHeight - m.scrollTop - m.clientHeight > 300; }")
    page.settle()
    return page.page.evaluate("document.querySelector('main').scrollTop")


def test_what_another_tab_sends_moves_no_reader_and_what_this_one_sends_does(page):
    shown = page.open(s.state(s.chat(LONG)))
    page.settle()
    top = scroll_up(page)
    page.push("message.added", chat="c1", message=s.user("From elsewhere", id="u8"))
    page.push("message.added", chat="c1", message=s.reply(id="r8", state="queued", place=1))
    shown.get_by_role("button", name="New text below").wait_for()
    assert abs(shown.evaluate("document.querySelector('main').scrollTop") - top) < 2
    field = shown.get_by_role("textbox", name="Message")
    field.fill("From here")
    field.press("Enter")
    page.settle()
    page.push("message.added", chat="c1", message=s.user("From here", id="u9"))
    page.push("message.added", chat="c1", message=s.reply(id="r9", state="queued", place=1))
    shown.locator("[data-id=r9]").wait_for()
    page.settle()
    assert distance(page) < 5


def test_what_changes_further_up_is_no_news_below(page):
    shown = page.open(s.state(s.chat([s.user("Go on", id="first"), *LONG, s.reply("Last", id="last")])))
    page.settle()
    scroll_up(page)
    below = shown.get_by_role("button", name="New text below")
    page.push("message.updated", chat="c1", message=s.user("Go on!", id="first"))
    shown.wait_for_function("() => document.querySelector('[data-id=first] .body').textContent === 'Go on!'")
    page.settle()
    assert not below.is_visible()
    page.push("message.updated", chat="c1", message=s.reply("Last of all", id="last"))
    below.wait_for()


def test_folding_a_long_block_again_leaves_the_reader_at_it(page):
    code = {"kind": "code", "info": "swift", "text": "let a = 1\n" * 400}
    shown = page.open(s.state(s.chat([s.user("Go on"), s.reply(code, id="code"), *LONG])))
    block = shown.locator("parley-code")
    block.get_by_role("button", name="Show all 400 lines").click()
    block.get_by_role("button", name="Show less").click()
    page.settle()
    place = block.get_by_role("button", name="Show all 400 lines").bounding_box()
    assert 0 <= place["y"] and place["y"] + place["height"] <= 800


def test_each_paragraph_runs_as_its_letters_do(page):
    arabic = "\u0645\u0631\u062d\u0628\u0627"
    shown = page.open(s.state(s.chat([s.user("Translate", id="q"), s.reply("In Arabic:", arabic, "That is all.", id="r")])))
    shown.get_by_text(arabic).wait_for()
    sides = shown.evaluate("""() => [...document.querySelectorAll("[data-id=r] .body > p")].map((line) => {
        const words = document.createRange();
        words.selectNodeContents(line);
        const [inner, outer] = [words, line].map((one) => one.getBoundingClientRect());
        return inner.left - outer.left < outer.right - inner.right ? "left" : "right";
    })""")
    assert sides == ["left", "right", "left"]
