# SPDX-License-Identifier: Apache-2.0
"""axe on every screen and state, in light, dark and on a phone; what assistive technology is told; the focus."""

from pathlib import Path

import axe_playwright_python
import pytest

import cards
import scenes
import states as s

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
RUN = """(only) => axe.run(document, only ? { runOnly: only } : { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
    .then((result) => result.violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 160)} ${node.any.map((one) => one.message).join("; ").slice(0, 200)}`)))"""
SNAPSHOTS = Path(__file__).parent / "snapshots"


def axe(page, only=None):
    # The policy of the page forbids scripts of others; the tool that drives the browser may run one all the same.
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE)
    return page.evaluate(RUN, only)


@pytest.mark.parametrize("name", scenes.SCENES)
def test_axe_finds_nothing(page, name):
    shown = scenes.show(page, name)
    assert axe(shown) == []
    shown.emulate_media(color_scheme="dark")
    assert axe(shown, ["color-contrast"]) == []
    shown.emulate_media(color_scheme="light", contrast="more")
    assert axe(shown, ["color-contrast"]) == []
    page.resize(390, 844)
    assert axe(shown) == []
    page.resize(320, 256)
    tops = shown.evaluate("[...document.querySelectorAll('.chat-top')].filter((top) => top.checkVisibility()).map((top) => getComputedStyle(top).position)")
    assert tops == ["static"], "where there is little room nothing sticks"
    widths = shown.evaluate("[document.documentElement.scrollWidth, document.querySelector('main').scrollWidth - document.querySelector('main').clientWidth]")
    assert widths[0] <= 320 and widths[1] <= 0, "nothing but tables and code scrolls sideways at 400 % zoom"


@pytest.mark.parametrize("name", ["chat", "empty", "cards-asking", "models", "settings", "performance", "key", "help", "first-run"])
def test_what_assistive_technology_is_told_stays(page, name, request):
    shown = scenes.show(page, name)
    told = shown.locator("dialog[open]").aria_snapshot() if name in {"key", "help"} else shown.locator("body").aria_snapshot()
    path = SNAPSHOTS / f"{name}.yml"
    if request.config.getoption("--update-snapshots"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(told + "\n")
    assert told + "\n" == path.read_text()


def test_each_screen_has_one_heading_of_the_first_level_and_its_landmarks(page):
    shown = scenes.show(page, "chat")
    for name in ["", "Models", "Performance", "Settings"]:
        if name:
            shown.get_by_role("link", name=name).click()
        page.settle()
        assert shown.locator("h1:visible").count() == 1
        assert shown.locator("main:visible").count() == 1
        assert shown.get_by_role("navigation").count() == 1
        if name:
            assert shown.evaluate("document.activeElement.localName") == "h1"
            assert shown.title().startswith(name)


def test_on_a_touch_screen_what_can_be_pressed_is_large_enough(make_page):
    """44 pixels each way; a link within a text is as high as its line."""
    page = make_page(390, 844, has_touch=True, is_mobile=True)
    small = """() => [...document.querySelectorAll("button, select, input, summary, a.button, a.chat-link")].filter((one) => {
        const label = one.labels?.[0] && one.type === "checkbox" ? one.labels[0] : one;
        const { width, height } = label.getBoundingClientRect();
        return one.checkVisibility() && !one.disabled && width > 2 && !one.closest(".formula:not(.displayed)") && (height < 43.5 || width < 43.5);
    }).map((one) => `${one.getAttribute("aria-label") ?? one.textContent}: ${Math.round(one.getBoundingClientRect().width)} × ${Math.round(one.getBoundingClientRect().height)}`)"""
    found = {}
    for name in ["chat", "empty", "cards-asking", "cards-failed", "attachments", "models", "settings", "performance", "search", "find", "sources", "deleted"]:
        shown = scenes.show(page, name)
        for control in shown.evaluate(small):
            found.setdefault(control, name)
    assert found == {}, "\n".join(f"{name}: {control}" for control, name in found.items())


def test_nothing_moves_for_those_who_want_it_still(make_page):
    for motion, moves in (("reduce", False), ("no-preference", True)):
        page = make_page(390, 844, has_touch=True)
        page.page.emulate_media(reduced_motion=motion)
        shown = scenes.show(page, "chat")
        shown.evaluate("addEventListener('transitionrun', () => { window.moved = true; }); addEventListener('animationstart', () => { window.moved = true; })")
        shown.get_by_role("button", name="Show chats").click()
        page.settle()
        found = shown.evaluate("Boolean(window.moved) || document.getAnimations().length > 0")
        assert found == moves, motion


SPOKEN = "document.querySelector('#announcer').textContent"


def begin_reply(page, **more):
    state = s.state(s.chat([s.user("Go on"), s.reply(id="r", state="reading", fraction=0.1)], status=s.status(is_generating=True)))
    page.page.add_init_script("localStorage.setItem('parley.preferences', JSON.stringify(%s))" % __import__("json").dumps(more)) if more else None
    page.page.clock.install(time=s.NOW)
    page.page.clock.set_fixed_time = lambda *_: None
    page.open(state)
    page.page.get_by_text("Go on", exact=True).wait_for()
    page.stop_clock()
    page.settle = lambda: page.page.clock.run_for(50)


def speak(page, words, more=""):
    page.delta("r", 0, [s.paragraph(words)], text_append=more)
    page.settle()


def test_a_reply_is_spoken_in_whole_sentences_at_most_every_two_seconds(page):
    begin_reply(page)
    page.push("message.updated", chat="c1", message=s.reply(id="r", state="reading", fraction=0.5))
    page.page.clock.run_for(100)
    assert page.page.evaluate(SPOKEN) == "Reading"
    speak(page, "One. Two", "One. Two")
    speak(page, "One. Two. Thr", ". Thr")
    assert page.page.evaluate(SPOKEN) == "Reading", "two seconds have not passed"
    page.page.clock.run_for(2000)
    assert page.page.evaluate(SPOKEN) == "One. Two."
    done = s.reply("One. Two. Three.", id="r", text="One. Two. Three.")
    page.push("message.updated", chat="c1", message=done)
    page.page.clock.run_for(2000)
    assert page.page.evaluate(SPOKEN) == "Three. Reply finished, 3 words"
    assert page.page.get_by_role("log").get_attribute("aria-live") == "off"


def test_a_state_that_is_taken_anew_repeats_no_sentence(page):
    begin_reply(page)
    speak(page, "One. Two", "One. Two")
    page.page.clock.run_for(2100)
    assert page.page.evaluate(SPOKEN) == "One."
    page.page.evaluate("""(reply) => {
        wire.state = structuredClone(wire.state);
        wire.state.chat.messages[1] = reply;
        wire.push("reset", {});
    }""", s.reply("One. Two", id="r", state="writing"))
    page.page.wait_for_function("() => wire.requests.filter((one) => one.startsWith('GET events')).length === 2 && wire.streams.length === 1")
    speak(page, "One. Two. Three", ". Three")
    page.page.clock.run_for(2100)
    assert page.page.evaluate(SPOKEN) == "Two."


def test_what_is_spoken_is_heard_over_a_dialog(page):
    begin_reply(page)
    page.page.keyboard.press("Control+Slash")
    dialog = page.page.get_by_role("dialog", name="Keyboard shortcuts")
    speak(page, "One", "One")
    page.push("message.updated", chat="c1", message=s.reply("One.", id="r", text="One."))
    page.page.clock.run_for(3000)
    assert dialog.locator("#announcer").text_content() == "One. Reply finished, 1 word"
    page.page.keyboard.press("Escape")
    page.page.wait_for_function("() => document.querySelector('#announcer').parentElement === document.body")


def test_only_the_end_is_spoken_if_the_reader_wants_so(page):
    begin_reply(page, speaks="end")
    speak(page, "One. Two. Three", "One. Two. Three")
    page.page.clock.run_for(3000)
    assert page.page.evaluate(SPOKEN) == ""
    page.push("message.updated", chat="c1", message=s.reply("One.", id="r", text="One."))
    page.page.clock.run_for(3000)
    assert page.page.evaluate(SPOKEN) == "Reply finished, 1 word"


def test_of_a_reply_that_is_a_card_alone_the_card_is_spoken(page):
    begin_reply(page)
    page.push("message.updated", chat="c1", message=s.reply(id="r", state="writing"))
    page.page.clock.run_for(100)
    page.push("message.updated", chat="c1", message=s.reply(id="r", text="", cards=[cards.ALL["created"]]))
    page.page.clock.run_for(3000)
    assert page.page.evaluate(SPOKEN) == "Reply finished. New event “Lunch with Ada”: Done"


def test_nothing_is_spoken_if_the_reader_wants_so(page):
    begin_reply(page, speaks="nothing")
    speak(page, "One. Two.", "One. Two.")
    page.push("message.updated", chat="c1", message=s.reply("One.", id="r", text="One."))
    page.page.clock.run_for(3000)
    assert page.page.evaluate(SPOKEN) == ""


def test_a_reply_that_is_written_as_assistive_technology_meets_it(page, request):
    """Five moments: waiting, reading, thinking, writing, done. What the tree has, and what is said meanwhile."""
    begin_reply(page)
    moments = []

    def moment(name):
        # What is said comes at most every two seconds.
        page.page.clock.run_for(2100)
        tree = page.page.get_by_role("main").aria_snapshot()
        moments.append(f"# {name}\n# said: {page.page.evaluate(SPOKEN) or 'nothing'}\n{tree}\n")

    page.push("message.updated", chat="c1", message=s.reply(id="r", state="queued", place=2))
    moment("waiting")
    page.push("message.updated", chat="c1", message=s.reply(id="r", state="reading", fraction=0.4))
    moment("reading")
    page.push("message.updated", chat="c1", message=s.reply(id="r", state="thinking", thinking=[s.paragraph("A river, then.")], thinking_seconds=1.5))
    moment("thinking")
    page.push("message.updated", chat="c1", message=s.reply(id="r", state="writing", thinking=[s.paragraph("A river, then.")], thinking_seconds=2))
    heading = {"id": 0, "kind": "heading", "level": 1, "inlines": [s.text("The Aare")]}
    words = "It comes from the glaciers. It flows through Be"
    page.delta("r", 0, [heading, s.paragraph(words, id=1)], text_append=f"The Aare\n\n{words}")
    page.settle()
    moment("writing")
    items = [{"done": None, "blocks": [s.paragraph(name)]} for name in ("Thun", "Bern")]
    done = s.reply({"kind": "heading", "level": 1, "inlines": [s.text("The Aare")]}, "It comes from the glaciers. It flows through Bern.",
                   {"kind": "list", "start": None, "tight": True, "items": items}, {"kind": "code", "info": "swift", "text": "let a = 1\n"},
                   id="r", receipt={**s.RECEIPT, "dropped_turns": 0}, thinking=[s.paragraph("A river, then.")], thinking_seconds=2,
                   text="The Aare\n\nIt comes from the glaciers. It flows through Bern.\n\nThun\nBern\n\nlet a = 1")
    page.push("message.updated", chat="c1", message=done)
    page.status()
    moment("done")
    told = "\n".join(moments)
    path = SNAPSHOTS / "reply.yml"
    if request.config.getoption("--update-snapshots"):
        path.write_text(told)
    assert told == path.read_text()
