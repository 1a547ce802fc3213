# SPDX-License-Identifier: Apache-2.0
"""What a reader does in a chat, by mouse and by keyboard: the wishes that are sent, and where the focus is then."""

import pytest

import cards
import scenes
import states as s

by = pytest.mark.parametrize("by", ["mouse", "keyboard"])


def two(**more):
    """A chat of a question and a reply."""
    return s.state(s.chat([s.user("How far?", id="q"), s.reply("Five miles.", id="r", receipt=s.RECEIPT, **more)]))


def busy(**more):
    return s.state(s.chat([s.user("How far?", id="q"), s.reply("Five", id="r", state="writing")], status=s.status(is_generating=True, **more)))


def field(page):
    return page.page.get_by_role("textbox", name="Message")


def focused(page):
    return page.page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.localName")


def to_message(page, id):
    """Goes to a message with the keyboard alone: from the field backwards into the log, then up."""
    field(page).focus()
    page.page.keyboard.press("Shift+Tab")
    for _ in range(10):
        if page.page.evaluate("document.activeElement.closest('parley-message')?.dataset.id") == id:
            return
        page.page.keyboard.press("ArrowUp")
    raise AssertionError(f"the keyboard does not reach {id}")


def tool(page, id, name, by):
    """Presses a button in the toolbar of a message."""
    if by == "mouse":
        message = page.page.locator(f"parley-message[data-id={id}]")
        message.hover()
        message.get_by_role("toolbar").get_by_role("button", name=name, exact=True).click()
        return
    to_message(page, id)
    page.page.keyboard.press("Enter")
    for _ in range(8):
        if focused(page) == name:
            break
        page.page.keyboard.press("ArrowRight")
    assert focused(page) == name
    page.page.keyboard.press("Enter")


def item(page, name, by):
    """Chooses in the menu that is open."""
    if by == "mouse":
        page.page.get_by_role("menuitem", name=name).click()
        return
    for _ in range(12):
        if page.page.evaluate("document.activeElement.textContent") == name:
            break
        page.page.keyboard.press("ArrowDown")
    assert page.page.evaluate("document.activeElement.textContent") == name
    page.page.keyboard.press("Enter")


def one(page, kind, count=1):
    page.page.wait_for_function("([kind, count]) => wire.wishes.filter((wish) => wish.type === kind).length >= count", arg=[kind, count])
    found = page.wishes(kind)
    assert len(found) == count
    return found[-1]


@by
def test_send(page, by):
    page.open(two())
    if by == "mouse":
        field(page).fill("And back?")
        page.page.get_by_role("button", name="Send").click()
    else:
        page.page.wait_for_function("() => document.activeElement.id === 'composer'")
        page.page.keyboard.type("And")
        page.page.keyboard.press("Shift+Enter")
        page.page.keyboard.type("back?")
        page.page.keyboard.press("Enter")
    wish = one(page, "send")
    assert wish["text"] == ("And back?" if by == "mouse" else "And\nback?") and wish["chat"] == "c1"
    assert field(page).input_value() == ""
    assert focused(page) == "Message"
    page.push("message.added", chat="c1", message=s.user("And back?", id="u9"))
    page.push("message.added", chat="c1", message=s.reply(id="r9", state="queued", place=2))
    page.page.get_by_text("Waiting, number 2 in line").wait_for()


def test_nothing_is_sent_from_an_empty_field(page):
    page.open(two())
    field(page).fill("  ")
    field(page).press("Enter")
    assert page.page.get_by_role("button", name="Send").get_attribute("aria-disabled") == "true"
    assert page.wishes() == []


@by
def test_stop(page, by):
    page.open(busy())
    field(page).fill("kept")
    if by == "mouse":
        page.page.get_by_role("button", name="Stop").click()
    else:
        field(page).press("Escape")
    one(page, "stop")
    assert field(page).input_value() == "kept"


@by
def test_queue_and_recall(page, by):
    page.open(busy(), answers={"recall": {"text": "And back?"}})
    field(page).fill("And back?")
    page.page.get_by_role("button", name="Queue").click() if by == "mouse" else field(page).press("Enter")
    assert one(page, "queue")["text"] == "And back?"
    page.status(is_generating=True, queued={"text": "And back?"})
    recall = page.page.get_by_role("button", name="Take back")
    if by == "mouse":
        recall.click()
    else:
        recall.focus()
        page.page.keyboard.press("Enter")
    one(page, "recall")
    page.page.wait_for_function("() => document.querySelector('#composer').value === 'And back?'")
    assert focused(page) == "Message"


@by
def test_edit(page, by):
    page.open(two())
    field(page).fill("draft")
    if by == "mouse":
        tool(page, "q", "Edit", by)
    else:
        field(page).fill("")
        field(page).press("ArrowUp")
    assert field(page).input_value() == "How far?"
    page.page.locator(".strip").get_by_text("Your message is replaced").wait_for()
    field(page).press("Escape")
    assert field(page).input_value() == ("draft" if by == "mouse" else "")
    tool(page, "q", "Edit", by)
    field(page).fill("How far is it?")
    field(page).press("Enter")
    wish = one(page, "edit")
    assert (wish["message"], wish["text"]) == ("q", "How far is it?")
    assert focused(page) == "Message"


def test_what_was_written_before_an_edit_is_there_after_it(page):
    page.open(two())
    page.page.get_by_text("Five miles.").wait_for()
    field(page).fill("Half a thought")
    tool(page, "q", "Edit", "mouse")
    field(page).fill("How far is it?")
    field(page).press("Enter")
    assert one(page, "edit")["text"] == "How far is it?"
    assert field(page).input_value() == "Half a thought"


@by
def test_regenerate(page, by):
    page.open(two())
    tool(page, "r", "Regenerate", by) if by == "mouse" else page.page.keyboard.press("Control+Shift+Period")
    assert one(page, "regenerate")["message"] == "r"


@by
def test_regenerate_with_another_model(page, by):
    page.open(two())
    tool(page, "r", "More actions", by)
    item(page, "Regenerate with Gemma 3 4B", by)
    assert one(page, "regenerate")["model"] == "gemma3-4b"


@by
def test_versions(page, by):
    page.open(two(versions={"index": 2, "count": 3, "ids": ["r0", "r", "r2"]}))
    if by == "mouse":
        page.page.get_by_role("button", name="Earlier version").click()
    else:
        to_message(page, "r")
        page.page.keyboard.press("ArrowLeft")
    assert one(page, "selectVersion")["version"] == "r0"
    changed = two(versions={"index": 1, "count": 3, "ids": ["r0", "r", "r2"]})["chat"]
    changed["messages"][1]["id"] = "r0"
    page.push("chat.replaced", chat=changed)
    page.page.get_by_text("1 of 3").wait_for()
    if by == "keyboard":
        assert page.page.evaluate("document.activeElement.closest('parley-message')?.dataset.id") == "r0"


def test_the_focus_goes_to_what_takes_the_place_of_a_message(page):
    page.open(s.state(s.chat([s.user("How far?", id="q"), s.reply("Five.", id="r"), s.user("Sure?", id="q2"), s.reply("Yes.", id="r2")])))
    to_message(page, "r")
    page.push("message.removed", chat="c1", id="r")
    page.settle()
    assert page.page.evaluate("document.activeElement.closest('parley-message')?.dataset.id") == "q2"
    page.push("message.removed", chat="c1", id="r2")
    page.push("message.removed", chat="c1", id="q2")
    page.settle()
    assert page.page.evaluate("document.activeElement.closest('parley-message')?.dataset.id") == "q"


@by
def test_branch(page, by):
    page.open(two(), states={"c9": s.state(s.chat([s.user("Hi")], id="c9", title="A branch"))}, answers={"branch": {"chat": "c9"}})
    tool(page, "r", "More actions", by)
    item(page, "Branch into a new chat", by)
    assert one(page, "branch")["message"] == "r"
    page.page.get_by_role("heading", name="A branch", level=1).wait_for()
    assert page.page.url.endswith("#/chat/c9")


@by
def test_delete_and_undo(page, by):
    page.open(two())
    tool(page, "q", "More actions", by)
    item(page, "Delete", by)
    assert one(page, "delete")["message"] == "q"
    page.push("message.removed", chat="c1", id="q")
    page.page.wait_for_function("() => document.querySelectorAll('parley-message').length === 1")
    assert page.page.evaluate("document.activeElement.closest('parley-message')?.dataset.id") == "r"
    undo = page.page.get_by_role("button", name="Undo")
    if by == "mouse":
        undo.click()
    else:
        undo.focus()
        page.page.keyboard.press("Enter")
    assert one(page, "restore")["message"] == "q"


def test_a_deleted_message_comes_back_from_the_menu_of_the_chat(page):
    page.open(two())
    tool(page, "q", "More actions", "mouse")
    item(page, "Delete", "mouse")
    page.page.get_by_role("button", name="Dismiss").click()
    page.page.get_by_role("button", name="Chat menu").click()
    item(page, "Restore “How far?”", "mouse")
    assert one(page, "restore")["message"] == "q"


@by
def test_a_question_whose_answer_was_deleted_can_be_answered_again(page, by):
    page.open(two())
    tool(page, "r", "More actions", by)
    item(page, "Delete", by)
    one(page, "delete")
    answer = page.page.get_by_role("button", name="Ask again")
    assert answer.count() == 0 or not answer.is_visible()
    page.push("message.removed", chat="c1", id="r")
    page.page.get_by_text("There is no answer to this.").wait_for()
    if by == "mouse":
        answer.click()
    else:
        to_message(page, "q")
        page.page.keyboard.press("Enter")
        assert page.page.evaluate("document.activeElement.textContent") == "Ask again", "what comes next has the focus"
        page.page.keyboard.press("Enter")
    assert one(page, "regenerate")["message"] == "q"
    # As soon as a reply comes there is nothing to offer.
    page.status(is_generating=True)
    answer.wait_for(state="hidden")


@by
def test_reply_to(page, by):
    page.open(two())
    tool(page, "r", "Reply to this", by)
    assert one(page, "replyTo")["message"] == "r"
    page.status(replying_to="r")
    page.page.locator(".strip").get_by_text("“Five miles.”").wait_for()
    assert focused(page) == "Message"
    field(page).fill("Really?")
    field(page).press("Enter")
    assert one(page, "send")["replying_to"] == "r"


@pytest.mark.parametrize("state", ["stopped", "timed_out", "failed"])
def test_replies_that_were_cut_short_offer_what_to_do(page, state):
    page.open(two(state=state))
    page.page.get_by_role("button", name="Continue").click()
    assert one(page, "continue")["message"] == "r"
    page.page.locator(".next-steps").get_by_role("button", name="Regenerate").click()
    assert one(page, "regenerate")["message"] == "r"


@by
def test_receipt_and_replay(page, by):
    page.open(two())
    tool(page, "r", "Details", by)
    panel = page.page.get_by_role("dialog", name="How this reply was made")
    assert "7421" in panel.inner_text() and "380" in panel.inner_text()
    panel.get_by_role("button", name="Replay").click() if by == "mouse" else page.page.keyboard.press("Enter")
    assert (one(page, "replay")["message"], one(page, "replay")["on"]) == ("r", True)
    running = {"is_running": True, "written": 47, "tokens": 188, "replies": [], "failure": None}
    page.push("replay.updated", chat="c1", message="r", replay=running)
    assert panel.get_by_role("progressbar").get_attribute("value") == "0.25"
    panel.get_by_role("button", name="Cancel").click() if by == "mouse" else page.page.keyboard.press("Enter")
    assert one(page, "replay", 2)["on"] is False
    same = {"same": True, "tokens": 188, "tokens_now": 188}
    page.push("replay.updated", chat="c1", message="r", replay={**running, "is_running": False, "replies": [same]})
    panel.get_by_text("The same 188 tokens came again.").wait_for()
    other = {"same": False, "tokens": 188, "tokens_now": 150, "parts_at": 12, "kept": "to the river", "now": "to the bridge"}
    page.push("replay.updated", chat="c1", message="r", replay={**running, "is_running": False, "replies": [other]})
    panel.get_by_text("Something else came from token 13 of 188 on.").wait_for()
    assert "to the river" in panel.inner_text() and "to the bridge" in panel.inner_text()
    page.push("replay.updated", chat="c1", message="r", replay={**running, "is_running": False, "failure": "The model is gone."})
    panel.get_by_text("The same could not be sent again: The model is gone.").wait_for()


def test_a_replay_that_ends_behind_a_closed_panel_is_told(page):
    page.open(two())
    page.page.get_by_text("Five miles.").wait_for()
    running = {"is_running": True, "written": 0, "tokens": 188, "replies": [], "failure": None}
    page.push("replay.updated", chat="c1", message="r", replay=running)
    page.settle()
    page.push("replay.updated", chat="c1", message="r", replay={**running, "is_running": False, "replies": [{"same": True, "tokens": 188, "tokens_now": 188}]})
    page.page.locator(".notice").get_by_text("The same 188 tokens came again.").wait_for()


def test_a_reply_of_which_too_little_was_kept_has_no_replay(page):
    page.open(s.state(s.chat([s.user("How far?", id="q"), s.reply("Five miles.", id="r", receipt={**s.RECEIPT, "can_be_replayed": False})])))
    tool(page, "r", "Details", "mouse")
    panel = page.page.get_by_role("dialog", name="How this reply was made")
    panel.get_by_text("Too little was kept").wait_for()
    assert panel.get_by_role("button", name="Replay").count() == 0


def test_tab_reaches_the_messages_once(page):
    page.open(scenes.SCENES["cards-asking"][0]())
    page.page.wait_for_function("() => document.activeElement.id === 'composer'")
    page.page.keyboard.press("Shift+Tab")
    assert focused(page) == "article"
    page.page.keyboard.press("Shift+Tab")
    assert page.page.evaluate("document.activeElement.closest('parley-message')") is None
    page.page.keyboard.press("Tab")
    page.page.keyboard.press("Enter")
    assert page.page.evaluate("document.activeElement.textContent") == "Create", "a card that asks comes first"
    page.page.keyboard.press("Escape")
    assert focused(page) == "article"


@by
def test_thinking_is_switched_for_the_chat(page, by):
    page.open(two())
    switch = page.page.get_by_role("button", name="Think first")
    assert switch.get_attribute("aria-pressed") == "true"
    if by == "mouse":
        switch.click()
    else:
        switch.focus()
        page.page.keyboard.press("Space")
    wish = one(page, "set")
    assert (wish["chat"], wish["name"], wish["value"]) == ("c1", "thinking_enabled", False)
    page.status(thinking_enabled=False)
    page.settle()
    assert switch.get_attribute("aria-pressed") == "false"
    page.status(model="gemma3-4b")
    switch.wait_for(state="hidden")


@by
def test_a_prompt_is_pinned_and_taken_from_the_empty_chat(page, by):
    page.open(two())
    tool(page, "q", "More actions", by)
    item(page, "Pin as a prompt", by)
    assert one(page, "pinPrompt")["text"] == "How far?"
    page.status(pinned_prompts=["How far?"])
    page.settle()
    tool(page, "q", "More actions", by)
    item(page, "Unpin this prompt", by)
    assert one(page, "pinPrompt", 2)["text"] == "How far?"
    page.push("chat.replaced", chat=s.chat([], title="", context=None, status=s.status(pinned_prompts=["How far?"])))
    prompt = page.page.get_by_role("region", name="Pinned prompts").get_by_role("button", name="How far?")
    prompt.wait_for()
    if by == "mouse":
        prompt.click()
    else:
        prompt.focus()
        page.page.keyboard.press("Enter")
    assert one(page, "send")["text"] == "How far?"
    assert focused(page) == "Message"


def test_each_day_has_its_name_above_its_first_message(page):
    day = 86_400
    messages = [s.user("One", id="a", date=s.NOW - 9 * day), s.reply("Two", id="b", date=s.NOW - 9 * day + 60),
                s.user("Three", id="c", date=s.NOW - day), s.reply("Four", id="d", date=s.NOW - 60)]
    shown = page.open(s.state(s.chat(messages, earlier=1)), earlier=[
        {"messages": [s.user("Zero", id="z", date=s.NOW - 9 * day - 60)], "earlier": 0}])
    days = "[...document.querySelectorAll('.date-line')].filter((day) => day.checkVisibility()).map((day) => [day.textContent, day.nextElementSibling.closest('parley-message').dataset.id])"
    shown.get_by_text("Four").wait_for()
    assert shown.evaluate(days) == [["Saturday 12 September", "a"], ["Yesterday", "c"], ["Today", "d"]]
    assert shown.locator(".date-line time").first.get_attribute("datetime") == "2026-09-12"
    shown.get_by_role("button", name="Show earlier messages").click()
    shown.get_by_text("Zero").wait_for()
    page.settle()
    assert shown.evaluate(days)[0] == ["Saturday 12 September", "z"] and len(shown.evaluate(days)) == 3
    page.push("message.removed", chat="c1", id="d")
    shown.get_by_text("Four").wait_for(state="detached")
    assert [name for name, _ in shown.evaluate(days)] == ["Saturday 12 September", "Yesterday"]
    page.push("message.added", chat="c1", message=s.user("Five", id="e", date=s.NOW))
    shown.get_by_text("Today", exact=True).nth(1).wait_for()
    assert shown.evaluate(days)[-1] == ["Today", "e"]


def test_a_chat_of_today_says_no_day(page):
    page.open(two())
    page.page.get_by_text("Five miles.").wait_for()
    assert page.page.locator(".date-line").count() == 0


@by
def test_code_is_copied_wrapped_and_unfolded(page, by):
    code = "".join(f"let line{at} = {at}\n" for at in range(80))
    shown = page.open(s.state(s.chat([s.user("Go on", id="q"), s.reply({"kind": "code", "info": "swift", "text": code}, id="r")])))
    shown.evaluate("navigator.clipboard.writeText = async (words) => { window.copied = words; }")
    block = shown.locator("parley-code")
    if by == "keyboard":
        to_message(page, "r")
        page.page.keyboard.press("Enter")

    def act(control):
        if by == "mouse":
            return control.click()
        assert control.get_attribute("tabindex") != "-1", "an open message is open to the Tab key"
        control.focus()
        page.page.keyboard.press("Enter")

    act(block.get_by_role("button", name="Copy code"))
    shown.wait_for_function("(code) => window.copied === code", arg=code)
    wrap = block.get_by_role("button", name="Wrap long lines")
    assert (wrap.get_attribute("aria-pressed"), block.locator("pre").get_attribute("tabindex")) == ("true", None)
    act(wrap)
    assert (wrap.get_attribute("aria-pressed"), block.locator("pre").get_attribute("tabindex")) == ("false", "0")
    height = "() => document.querySelector('parley-code pre').clientHeight"
    folded = shown.evaluate(height)
    act(block.get_by_role("button", name="Show all 80 lines"))
    assert shown.evaluate(height) > 2 * folded
    act(block.get_by_role("button", name="Show less"))
    assert shown.evaluate(height) == folded


def test_the_meter_of_the_context_says_what_goes_next(page):
    context = {"size": 8192, "prompt": 312, "history": 6010, "documents": 1024, "room": 846, "next_dropped": "How far?"}
    shown = page.open(s.state(s.chat([s.user("How far?", id="q"), s.reply("Five miles.", id="r")], context=context)))
    meter = shown.get_by_role("button", name="Context: 90% used")
    meter.click()
    panel = shown.get_by_role("dialog", name="Context")
    words = panel.inner_text()
    for part in ("312", "6,010", "1,024", "846", "no longer be read: “How far?”"):
        assert part in words
    shown.keyboard.press("Escape")
    page.push("chat.updated", chat="c1", context={**context, "history": 100, "room": 6756, "next_dropped": None})
    shown.get_by_role("button", name="Context: 18% used").click()
    shown.get_by_text("Everything in this chat is still read.").wait_for()


def test_a_reply_without_the_beginning_of_the_chat_is_told_once(page):
    shown = page.open(s.state(s.chat([s.user("How far?", id="q"), s.reply("Five", id="r", state="writing")], status=s.status(is_generating=True))))
    said = shown.locator(".notice").get_by_text("without 2 earlier turns")
    page.delta("r", 0, [s.paragraph("Five miles")])
    page.push("message.updated", chat="c1", message=s.reply("Five miles.", id="r", receipt=s.RECEIPT))
    said.wait_for()
    shown.get_by_role("button", name="Dismiss").click()
    said.wait_for(state="detached")
    page.push("message.added", chat="c1", message=s.reply("Six", id="r2", state="writing"))
    page.delta("r2", 0, [s.paragraph("Six miles")])
    page.push("message.updated", chat="c1", message=s.reply("Six miles.", id="r2", receipt={**s.RECEIPT, "dropped_turns": 3}))
    shown.get_by_text("Six miles.").wait_for()
    page.settle()
    assert shown.locator(".notice").count() == 0


# MARK: Cards


@by
def test_a_card_acts_once(page, by):
    page.open(s.state(s.chat([s.user("Plan it"), s.reply("Here.", id="r", cards=[cards.ALL["pendingDeletion"]])])), holds=["card"])
    confirm = page.page.get_by_role("button", name="Delete all 3")
    if by == "mouse":
        confirm.dblclick()
    else:
        to_message(page, "r")
        page.page.keyboard.press("Enter")
        page.page.keyboard.press("Enter")
        page.page.keyboard.press("Enter")
    wish = one(page, "card")
    assert (wish["card"], wish["event"]) == ("pd", "confirm")
    assert confirm.get_attribute("aria-disabled") == "true"
    page.page.get_by_role("button", name="Do not").click(force=True)
    assert len(page.wishes("card")) == 1
    page.page.evaluate("wire.release()")
    page.push("card.updated", chat="c1", message="r", card={**cards.ALL["pendingDeletion"], "state": "deleted", "stage": "done", "status": "Done",
                                                          "choices": cards.UNDO})
    undo = page.page.locator("parley-card").get_by_role("button", name="Undo")
    undo.wait_for()
    if by == "keyboard":
        assert page.page.evaluate("() => document.activeElement.textContent") == "Undo", "the focus stays on the card"
    undo.click()
    page.page.wait_for_function("() => wire.wishes.filter((wish) => wish.type === 'card').length === 2")
    assert page.wishes("card")[1]["event"] == "undo"


@pytest.mark.parametrize("name", cards.ALL)
def test_the_buttons_of_a_card_are_its_choices(page, name):
    card = cards.ALL[name]
    page.open(s.state(s.chat([s.user("Plan it"), s.reply("Here.", id="r", cards=[card])])))
    shown = page.page.locator("parley-card")
    shown.get_by_role("heading", name=card["headline"]).wait_for()
    labels = shown.get_by_role("button").all_inner_texts()
    expected = ["Use the corrected values"] if card["stage"] == "malformed" else [choice["label"] for choice in card["choices"]]
    assert labels == expected
    for index, choice in enumerate(card["choices"]):
        page.page.evaluate("wire.wishes.length = 0")
        shown.get_by_role("button").nth(index).click()
        wish = one(page, "card")
        assert (wish["event"], wish["value"]) == (choice["event"], choice["value"])
        page.push("card.updated", chat="c1", message="r", card={**card, "text": str(index)})
        page.settle()


def test_a_tool_is_shown_with_all_that_it_is_called_with(page):
    page.open(s.state(s.chat([s.user("Plan it"), s.reply("Here.", id="r", cards=[cards.ALL["tool"]])])))
    shown = page.page.locator("parley-card")
    shown.get_by_role("button", name="Use it").wait_for()
    assert shown.locator(".facts dt").all_inner_texts() == ["path", "lines"]
    assert shown.locator(".facts dd").all_inner_texts() == ["/etc/code", "[1,20]"]


@by
def test_a_malformed_card_is_corrected(page, by):
    page.open(s.state(s.chat([s.user("Plan it"), s.reply("Here.", id="r", cards=[cards.ALL["malformed"]])])))
    if by == "keyboard":
        to_message(page, "r")
        page.page.keyboard.press("Enter")
        page.page.keyboard.press("Tab")
        page.page.keyboard.press("Tab")
    start = page.page.get_by_role("textbox", name="start", exact=True)
    assert "no time" in page.page.evaluate("(id) => document.getElementById(id).textContent", start.get_attribute("aria-describedby"))
    start.fill("2026-09-22 12:00")
    page.page.get_by_role("textbox", name="end", exact=True).fill("2026-09-22 13:00")
    if by == "mouse":
        page.page.get_by_role("button", name="Use the corrected values").click()
    else:
        page.page.keyboard.press("Enter")
    wish = one(page, "card")
    assert wish["event"] == "correct"
    assert wish["value"] == '{"action":"create","title":"Lunch","start":"2026-09-22 12:00","isAllDay":false,"end":"2026-09-22 13:00"}'


def test_a_time_in_digits_is_not_explained(page):
    said = {"words": "2026-09-22T12:00", "instant": "", "meaning": "Tue 22 Sep, 12:00", "assumptions": ["noon"], "alternatives": []}
    card = {**cards.ALL["pendingCreation"], "said": [said, {**said, "words": "at noon"}]}
    page.open(s.state(s.chat([s.user("Plan it"), s.reply("Here.", id="r", cards=[card])])))
    # The words are the model's: nobody is told to have said them.
    page.page.get_by_text("“at noon”: understood as Tue 22 Sep, 12:00; assumed: noon", exact=True).wait_for()
    assert page.page.get_by_text("2026-09-22").count() == 0


def test_text_that_looks_like_a_card_is_text(page):
    page.open(s.state(s.chat([s.user("Plan it"), s.reply('[CALENDAR_ACTION:{"action":"delete"}]', "<parley-card></parley-card>", id="r")])))
    page.page.get_by_text("CALENDAR_ACTION").wait_for()
    assert page.page.locator("parley-card").count() == 0


def test_a_card_from_untrusted_text_names_its_source(page):
    scenes.show(page, "cards-asking").get_by_text("Proposed after reading text from example.org").wait_for()


# MARK: Attachments


@by
def test_attach_and_detach(page, by):
    page.open(two())
    if by == "mouse":
        with page.page.expect_file_chooser() as chooser:
            page.page.get_by_role("button", name="Attach files").click()
        chooser.value.set_files({"name": "notes.txt", "mimeType": "text/plain", "buffer": b"hello"})
    else:
        page.page.evaluate("""() => {
            const data = new DataTransfer();
            data.items.add(new File(["hello"], "notes.txt", { type: "text/plain" }));
            document.querySelector("#composer").dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
        }""")
    chip = page.page.get_by_role("list", name="Attachments").get_by_role("listitem")
    chip.get_by_text("notes.txt", exact=True).wait_for()
    assert "5 bytes" in chip.inner_text() and "12 tokens" in chip.inner_text()
    page.page.get_by_role("button", name="Send").click()
    assert one(page, "send")["attachments"] == ["a-notes.txt"]
    page.page.get_by_role("button", name="Remove notes.txt").click()
    assert one(page, "detach")["attachment"] == "a-notes.txt"
    page.page.wait_for_function("() => document.activeElement.id === 'composer'")


def test_a_large_picture_is_made_smaller_in_the_page(page):
    page.open(two())
    size = page.page.evaluate("""async () => {
        const canvas = Object.assign(document.createElement("canvas"), { width: 2000, height: 1000 });
        const blob = await new Promise((done) => canvas.toBlob(done));
        const fetched = window.fetch;
        let sent;
        window.fetch = (input, options) => { if (options.method === "PUT") sent = options.body; return fetched(input, options); };
        const data = new DataTransfer();
        data.items.add(new File([blob], "big.png", { type: "image/png" }));
        window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
        while (!sent) await new Promise((done) => setTimeout(done, 10));
        const picture = await createImageBitmap(sent);
        return [picture.width, picture.height];
    }""")
    assert size == [896, 448]


def test_a_chip_says_what_was_cut(page):
    chip = scenes.show(page, "attachments").get_by_role("list", name="Attachments").get_by_role("listitem").filter(has_text="paper.pdf")
    assert chip.locator(".detail").inner_text() == "2.4 MB · 2,048 tokens · the first 8,000 characters"


def test_a_picture_for_a_model_that_does_not_see_offers_one_that_does(page):
    scenes.show(page, "attachments").get_by_role("button", name="Use Gemma 3 4B").click()
    assert one(page, "chooseModel")["model"] == "gemma3-4b"


def test_dictation_says_why_it_is_off(page):
    page.open(two())
    page.page.evaluate("() => { navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError')); }")
    page.page.get_by_role("button", name="Dictate").click()
    page.page.get_by_role("alert").get_by_text("does not let this page use the microphone").wait_for()


@by
def test_a_picture_that_was_sent_opens(page, by):
    shown = scenes.show(page, "attachments")
    label = "Image walk.jpg"
    if by == "mouse":
        shown.get_by_role("button", name=label).click()
    else:
        shown.locator("parley-message article").focus()
        page.page.keyboard.press("Enter")
        shown.get_by_role("button", name=label).focus()
        page.page.keyboard.press("Enter")
    dialog = shown.get_by_role("dialog", name=label)
    shown.wait_for_function("() => document.querySelector('.whole-picture').naturalWidth === 240")
    assert "240 × 160 · 120 kB" in dialog.inner_text()
    with shown.expect_download() as download:
        dialog.get_by_role("button", name="Save walk.jpg").click()
    assert download.value.suggested_filename == "walk.jpg"
    page.page.keyboard.press("Escape")
    assert focused(page) == label


def test_a_document_that_was_sent_is_saved_as_it_was(page):
    paper = {**scenes.PAPER, "url": "/app/v1/attachments/d"}
    shown = page.open(s.state(s.chat([s.user("Read this", id="q", attachments=[paper])])))
    with shown.expect_download() as download:
        shown.get_by_role("button", name="Save paper.pdf").click()
    assert download.value.suggested_filename == "paper.pdf"


def test_a_picture_that_is_gone_says_so(page):
    picture = {**scenes.PICTURE, "url": "/app/v1/else"}
    shown = page.open(s.state(s.chat([s.user("What is this?", id="q", attachments=[picture])])))
    shown.get_by_text("walk.jpg: The image could not be shown.").wait_for()


def test_a_picture_for_which_no_model_is_here_leads_to_those_that_could_be_fetched(page):
    blind = [model for model in s.MODELS["installed"] if "images" not in model["capabilities"]]
    seeing = {**s.MODELS["catalog"][0], "capabilities": ["chat", "images"]}
    models = {**s.MODELS, "installed": blind, "catalog": [seeing]}
    shown = page.open(s.state(s.chat(status=s.status(attachments=[scenes.PICTURE])), models=models))
    shown.get_by_role("button", name="Look for one that does").click()
    shown.get_by_role("heading", name="Models", level=1).wait_for()


# MARK: What could not be sent


@by
def test_what_is_sent_while_the_model_is_loaded_waits_for_it(page, by):
    page.open(scenes.SCENES["model-loading"][0]())
    field(page).fill("And back?")
    if by == "mouse":
        page.page.get_by_role("button", name="Send").click()
    else:
        field(page).press("Enter")
    strip = page.page.locator(".strip.waiting")
    strip.get_by_text("This is sent as soon as the model is loaded: And back?").wait_for()
    assert page.wishes("send") == [] and field(page).input_value() == ""
    page.page.reload()
    strip.wait_for()
    page.status()
    assert one(page, "send")["text"] == "And back?"
    strip.wait_for(state="detached")


def test_what_waits_for_the_model_is_taken_back(page):
    page.open(scenes.SCENES["model-loading"][0]())
    field(page).fill("And back?")
    field(page).press("Enter")
    page.page.locator(".strip.waiting").get_by_role("button", name="Take back").click()
    assert field(page).input_value() == "And back?"
    page.status()
    page.settle()
    assert page.wishes("send") == []


def test_a_model_that_was_unloaded_meanwhile_loses_no_word(page):
    page.open(two(), answers={"send": {"error": "The model is not loaded yet.", "status": 503, "code": "model_loading"}})
    field(page).fill("And back?")
    field(page).press("Enter")
    one(page, "send")
    page.status(is_model_loaded=False, is_model_loading=True)
    page.page.locator(".strip.waiting").get_by_text("as soon as the model is loaded").wait_for()
    page.page.evaluate("wire.answers = {}")
    page.status()
    one(page, "send", 2)
    first, second = page.wishes("send")
    assert first == second, "it is the same wish"


def test_a_message_that_came_back_to_the_server_is_taken_back(page):
    page.open(two(), answers={"recall": {"text": "What is this?"}})
    page.status(unsent={"text": "What is this?"})
    page.page.locator(".strip.unsent").get_by_text("This was not sent: What is this?").wait_for()
    page.page.get_by_role("button", name="Take back").click()
    one(page, "recall")
    page.page.wait_for_function("() => document.querySelector('#composer').value === 'What is this?'")
