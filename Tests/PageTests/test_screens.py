# SPDX-License-Identifier: Apache-2.0
"""The screens around the chat: lists, search, models, settings, figures, first run, and the keys that lead there."""

import pytest

import scenes
import states as s

by = pytest.mark.parametrize("by", ["mouse", "keyboard"])
OTHER = {"c2": s.state(s.chat([s.user("Other", id="other")], id="c2", title="Other chat"))}


def two(**more):
    return s.state(s.chat([s.user("How far?", id="q"), s.reply("Five miles.", id="r")]), **more)


def one(page, kind, count=1):
    page.page.wait_for_function("([kind, count]) => wire.wishes.filter((wish) => wish.type === kind).length >= count", arg=[kind, count])
    found = page.wishes(kind)
    assert len(found) == count
    return found[-1]


def press(page, control, by):
    if by == "mouse":
        control.click()
    else:
        control.focus()
        page.page.keyboard.press("Enter")


# MARK: Chats


def test_chats_stand_by_day_with_the_pinned_first(page):
    page.open(two())
    side = page.page.get_by_role("navigation")
    side.get_by_role("link", name="Groceries").wait_for()
    names = side.get_by_role("heading", level=2).all_inner_texts()
    assert names[:3] == ["Pinned", "Today", "Yesterday"] and len(names) == 5
    assert side.get_by_role("link").all_inner_texts()[:2] == ["Groceries", "A walk in Bern"]
    assert side.get_by_role("link", name="A walk in Bern").get_attribute("aria-current") == "page"


@by
def test_open_a_chat_and_go_back(page, by):
    page.open(two(), states=OTHER)
    press(page, page.page.get_by_role("link", name="Why do kernels differ by a bit?"), by)
    page.page.get_by_role("heading", name="Other chat", level=1).wait_for()
    assert page.page.evaluate("document.activeElement.id") == "composer"
    page.page.evaluate("(state) => { wire.states.c1 = state; }", two())
    page.page.go_back()
    page.page.get_by_role("heading", name="A walk in Bern", level=1).wait_for()


@by
def test_a_new_chat(page, by):
    page.open(two(), states=OTHER, answers={"newChat": {"chat": "c2"}})
    page.page.get_by_text("Five miles.").wait_for()
    if by == "mouse":
        page.page.get_by_role("button", name="New chat", exact=True).click()
    else:
        page.page.keyboard.press("Control+Shift+O")
    one(page, "newChat")
    page.page.get_by_role("heading", name="Other chat", level=1).wait_for()


def test_what_is_typed_while_a_new_chat_is_on_its_way_is_for_that_one(page):
    page.open(two(), states=OTHER, answers={"newChat": {"chat": "c2"}}, holds=["newChat"])
    field = page.page.get_by_role("textbox", name="Message")
    field.fill("For the old one")
    page.page.get_by_role("button", name="New chat", exact=True).click()
    one(page, "newChat")
    assert page.page.evaluate("document.activeElement.id") == "composer" and field.input_value() == ""
    page.page.keyboard.type("For the new one")
    page.page.keyboard.press("Enter")
    page.page.evaluate("wire.release()")
    page.page.get_by_role("heading", name="Other chat", level=1).wait_for()
    assert field.input_value() == "For the new one"
    # Nothing went to the chat that was left, and what was written there waits for its writer.
    assert page.wishes("send") == []
    page.page.evaluate("(state) => { wire.states.c1 = state; }", two())
    page.page.get_by_role("link", name="A walk in Bern").click()
    page.page.get_by_role("heading", name="A walk in Bern", level=1).wait_for()
    assert field.input_value() == "For the old one"


@pytest.mark.parametrize("answer", [{"chat": "c1"}, {"error": "The disk is full."}], ids=["same", "refused"])
def test_where_no_new_chat_comes_what_was_typed_meanwhile_stays(page, answer):
    page.open(two(), answers={"newChat": answer}, holds=["newChat"])
    field = page.page.get_by_role("textbox", name="Message")
    field.fill("Before")
    page.page.get_by_role("button", name="New chat", exact=True).click()
    one(page, "newChat")
    page.page.keyboard.type("after")
    page.page.evaluate("wire.release()")
    page.page.wait_for_function("() => document.querySelector('#composer').value.length > 5")
    assert field.input_value() == "Before\nafter"


@by
def test_rename_pin_and_delete_with_undo(page, by):
    page.open(two(), states=OTHER)
    menu = page.page.get_by_role("button", name="Menu of A walk in Bern")
    press(page, menu, by)
    press(page, page.page.get_by_role("menuitem", name="Rename"), by)
    field = page.page.get_by_label("Title of the chat")
    field.fill("Bern")
    press(page, page.page.get_by_role("button", name="Save"), by)
    wish = one(page, "rename")
    assert (wish["chat"], wish["title"]) == ("c1", "Bern")
    press(page, menu, by)
    press(page, page.page.get_by_role("menuitem", name="Pin"), by)
    assert one(page, "pin")["is_pinned"] is True
    press(page, menu, by)
    press(page, page.page.get_by_role("menuitem", name="Delete chat"), by)
    assert one(page, "deleteChat")["chat"] == "c1"
    page.page.get_by_role("heading", name="Other chat", level=1).wait_for()
    press(page, page.page.get_by_role("button", name="Undo"), by)
    assert one(page, "restoreChat")["chat"] == "c1"


@by
def test_a_menu_survives_what_happens_to_the_list(page, by):
    page.open(two(), states=OTHER)
    menu = page.page.get_by_role("button", name="Menu of A walk in Bern")
    press(page, menu, by)
    item = page.page.get_by_role("menuitem", name="Pin")
    item.wait_for()
    rows = [dict(one) for one in s.ROWS]
    page.push("chats.changed", chats=[s.row("c7", "A new one", 0.01), dict(rows[0], is_generating=True, title="Bern"), *rows[1:]])
    page.page.get_by_role("link", name="A new one").wait_for()
    assert item.is_visible()
    page.page.keyboard.press("Escape")
    item.wait_for(state="detached")
    # The focus is back at the button, which has the new name; the browser tells some time later that the menu is closed.
    page.page.wait_for_function("() => document.activeElement.getAttribute('aria-expanded') === 'false'")
    assert page.page.evaluate("document.activeElement.getAttribute('aria-label')") == "Menu of Bern"


def test_a_press_survives_what_happens_to_the_list(page):
    page.open(two(), states=OTHER)
    link = page.page.get_by_role("link", name="Why do kernels differ by a bit?")
    link.hover()
    page.page.mouse.down()
    rows = [dict(one) for one in s.ROWS]
    page.push("chats.changed", chats=[rows[0], dict(rows[1], is_generating=False), *rows[2:]])
    page.settle()
    page.page.mouse.up()
    page.page.get_by_role("heading", name="Other chat", level=1).wait_for()


def test_a_menu_opens_again_at_once(page):
    page.open(two(), states=OTHER)
    menu = page.page.get_by_role("button", name="Menu of A walk in Bern")
    menu.wait_for()
    # No event of the page comes between the choice and the next press.
    isOpen = page.page.evaluate("""() => {
        const menu = document.querySelector('[aria-label="Menu of A walk in Bern"]');
        menu.click();
        [...document.querySelectorAll("[role=menuitem]")].find((item) => item.textContent === "Pin").click();
        menu.click();
        return menu.getAttribute("aria-expanded");
    }""")
    assert isOpen == "true"
    page.settle()
    assert menu.get_attribute("aria-expanded") == "true"
    page.page.get_by_role("menuitem", name="Delete chat").wait_for()


def test_export_and_import(page):
    page.open(two())
    page.page.get_by_role("button", name="Chat menu").click()
    with page.page.expect_download() as download:
        page.page.get_by_role("menuitem", name="Export as Markdown").click()
    assert download.value.suggested_filename == "A walk in Bern.md"
    with page.page.expect_file_chooser() as chooser:
        page.page.get_by_role("button", name="Import chats").click()
    chooser.value.set_files({"name": "chats.json", "mimeType": "application/json", "buffer": b"[]"})
    page.page.get_by_text("2 chats were imported.").wait_for()


def test_a_chat_is_exported_under_its_title_in_any_script(page):
    for title, name in (("हिन्दी: नमस्ते?", "हिन्दी नमस्ते.md"), ("🎉", "New chat.md")):
        shown = page.open(s.state(s.chat([s.user("How far?", id="q")], title=title)))
        shown.get_by_role("button", name="Chat menu").click()
        with shown.expect_download() as download:
            shown.get_by_role("menuitem", name="Export as Markdown").click()
        assert download.value.suggested_filename == name


def test_chats_that_were_imported_before_are_told(page):
    page.open(two(), answers={"import": {"chats": 1, "known": 2}})
    with page.page.expect_file_chooser() as chooser:
        page.page.get_by_role("button", name="Import chats").click()
    chooser.value.set_files({"name": "chats.json", "mimeType": "application/json", "buffer": b"[]"})
    page.page.get_by_text("1 chat was imported. 2 were here already.").wait_for()


@by
def test_search_over_all_chats(page, by):
    page.open(two(), states=OTHER, answers=scenes.HITS)
    page.page.get_by_text("Five miles.").wait_for()
    if by == "mouse":
        page.page.get_by_role("button", name="Search all chats").click()
    else:
        page.page.keyboard.press("Control+k")
    page.page.get_by_role("combobox").fill("kernel")
    hits = page.page.get_by_role("option")
    hits.first.wait_for()
    assert hits.count() == 2
    if by == "mouse":
        hits.nth(1).click()
    else:
        page.page.keyboard.press("ArrowDown")
        page.page.keyboard.press("Enter")
    page.page.wait_for_function("() => document.activeElement.closest('parley-message')?.dataset.id === 'q'")


def test_what_was_found_says_when_it_was_written(page):
    hits = [{"chat": "c1", "title": "A walk in Bern", "message": "q", "snippet": "two kernels", "date": s.NOW - 86_400},
            {"chat": "c2", "title": "Why do kernels differ by a bit?", "message": None, "snippet": "kernels", "date": s.NOW - 60}]
    page.open(two(), answers={"search": {"hits": hits}})
    page.page.keyboard.press("Control+k")
    page.page.get_by_role("combobox").fill("kernel")
    found = page.page.get_by_role("option")
    found.first.wait_for()
    assert [found.nth(at).locator("time").inner_text() for at in range(2)] == ["Yesterday", "Today"]


def test_every_menu_offers_the_same_forms_of_a_chat(page):
    page.open(two())
    offered = []
    for menu in ("Chat menu", "Menu of A walk in Bern"):
        page.page.get_by_role("button", name=menu).click()
        page.page.get_by_role("menuitem", name="Rename").wait_for()
        offered.append([name for name in page.page.get_by_role("menuitem").all_inner_texts() if "Export" in name])
        page.page.keyboard.press("Escape")
    assert offered[0] == offered[1] == ["Export as Markdown", "Export as JSON", "Export as text"]


def test_notices_leave_the_composer_and_its_words_free(page):
    page.open(s.state(s.chat([s.user("How far?"), s.reply("Five", id="r", state="writing")], status=s.status(is_generating=True))))
    page.status(is_generating=True, queued={"text": "And how long does that take?"})
    page.page.locator(".strip.queued").wait_for()
    page.push("notice", notice={"id": "n1", "kind": "error", "text": "The disk is full.", "date": s.NOW}, chat="c1")
    page.page.get_by_text("The disk is full.").wait_for()
    page.settle()
    bottom = page.page.locator(".notice").evaluate("(notice) => notice.getBoundingClientRect().bottom")
    top = page.page.locator(".composer-box").evaluate("(box) => box.getBoundingClientRect().top")
    assert bottom <= top


def test_a_model_bears_the_name_of_the_catalog_everywhere(page):
    job = {**s.JOB, "model": "smollm2-135m"}
    page.open(s.state(models={**s.MODELS, "jobs": [job]}), "#/models")
    page.page.get_by_role("heading", name="SmolLM2 135M", level=3).first.wait_for()
    page.page.get_by_role("link", name="Performance").click()
    page.page.get_by_role("cell", name="Qwen3 4B").wait_for()
    assert page.page.get_by_text("smollm2-135m").count() == 0 and page.page.get_by_role("cell", name="qwen3-4b", exact=True).count() == 0


def test_times_are_told_with_the_clock_of_the_cards(make_page):
    page = make_page()
    page.page.add_init_script("Object.defineProperty(navigator, 'languages', { get: () => ['en-US'] });")
    page.open(s.state(s.chat([s.user("How far?", date=s.NOW - 60)])))
    # 14:12 UTC is 2:12 PM where cards do not say so.
    assert page.page.locator("article time").text_content() == "14:12"


def test_a_result_in_the_chat_that_is_shown_is_gone_to_once(page):
    page.open(two(), "#/chat/c1", answers=scenes.HITS)
    page.page.get_by_text("Five miles.").wait_for()
    page.page.keyboard.press("Control+k")
    page.page.get_by_role("combobox").fill("kernel")
    page.page.get_by_role("option").nth(1).click()
    page.page.wait_for_function("() => document.activeElement.closest('parley-message')?.dataset.id === 'q'")
    page.page.keyboard.press("Control+Comma")
    page.page.get_by_role("heading", name="Settings", level=1).wait_for()
    page.page.keyboard.press("Escape")
    page.page.wait_for_function("() => document.activeElement.id === 'composer'")
    page.settle()
    page.settle()
    assert page.page.evaluate("document.activeElement.id") == "composer"


def test_escape_leaves_another_screen_and_nothing_of_the_chat_below(page):
    shown = page.open(two())
    shown.get_by_text("Five miles.").wait_for()
    field = shown.get_by_role("textbox", name="Message")
    field.press("ArrowUp")
    field.fill("How far is it?")
    shown.keyboard.press("Control+Comma")
    shown.get_by_role("heading", name="Settings", level=1).wait_for()
    shown.keyboard.press("Escape")
    shown.get_by_role("heading", name="A walk in Bern", level=1).wait_for()
    assert field.input_value() == "How far is it?"
    shown.locator(".strip.editing").wait_for()


def test_escape_closes_the_search_whatever_is_in_its_field(page):
    shown = scenes.show(page, "search")
    shown.keyboard.press("Escape")
    shown.get_by_role("dialog", name="Search all chats").wait_for(state="detached")


def test_a_search_that_failed_is_tried_again(page):
    page.open(two(), states=OTHER, answers={"search": {"error": "The disk is gone.", "status": 500}})
    page.page.get_by_text("Five miles.").wait_for()
    page.page.keyboard.press("Control+k")
    field = page.page.get_by_role("combobox")
    field.fill("kernel")
    page.page.get_by_text("Press Enter to try again.").wait_for()
    page.page.evaluate("(answers) => { wire.answers = answers; }", scenes.HITS)
    field.press("Enter")
    page.page.get_by_role("option").first.wait_for()


def test_a_chat_is_read_and_searched_without_a_model(page):
    shown = page.open(s.state(s.chat([s.user("How far?", id="q"), s.reply("Five miles.", id="r")], status=s.status(**scenes.NO_MODEL))),
                      answers=scenes.HITS, states=OTHER)
    shown.get_by_text("No model is loaded.").first.wait_for()
    shown.get_by_text("Five miles.").wait_for()
    shown.get_by_role("button", name="Chat menu").click()
    shown.get_by_role("menuitem", name="Find in this chat").click()
    shown.get_by_role("searchbox").fill("miles")
    shown.wait_for_function("() => document.querySelector('.find-said').textContent === '1 of 1'")
    shown.keyboard.press("Control+k")
    shown.get_by_role("combobox").fill("kernel")
    shown.get_by_role("option").first.click()
    shown.get_by_role("heading", name="Other chat", level=1).wait_for()
    # What is written meanwhile stays.
    field = shown.get_by_role("textbox", name="Message")
    field.fill("And back?")
    shown.get_by_role("button", name="Choose a model").or_(shown.get_by_role("button", name="Send")).first.wait_for()
    assert field.input_value() == "And back?"


@by
def test_find_in_the_chat_counts_and_changes_no_node(page, by):
    scenes.show(page, "find")
    assert page.page.get_by_role("search").get_by_role("status").inner_text() == "3 of 3"
    page.page.evaluate("""() => {
        window.changed = 0;
        new MutationObserver((list) => window.changed += list.length).observe(document.querySelector("[role=log]"), { subtree: true, childList: true, characterData: true });
    }""")
    if by == "mouse":
        page.page.get_by_role("button", name="Next match").click()
    else:
        page.page.get_by_role("searchbox").press("Enter")
    assert page.page.get_by_role("search").get_by_role("status").inner_text() == "1 of 3"
    page.page.keyboard.press("Escape")
    assert not page.page.get_by_role("search").is_visible()
    assert page.page.evaluate("window.changed") == 0


FOUND = "[...CSS.highlights.get('found')].map((range) => range.toString())"


def test_what_is_found_is_marked_whatever_its_accents_and_case(page):
    hits = [{"chat": "c1", "title": "Le Café", "message": "q", "snippet": "… un cafe\u0301 à la Straße …", "date": s.NOW}]
    shown = page.open(s.state(s.chat([s.user("Un cafe\u0301?", id="q"), s.reply("Un CAFÉ, ou deux cafés. Straße!", id="r")])), answers={"search": {"hits": hits}})
    scenes.find(page)
    for wanted, found in (("cafe", ["cafe\u0301", "CAFÉ", "café"]), ("CAFÉ", ["cafe\u0301", "CAFÉ", "café"]), ("strasse", ["Straße"]), ("ss", ["ß"])):
        shown.get_by_role("searchbox").fill(wanted)
        assert shown.get_by_role("search").get_by_role("status").inner_text() == f"{len(found)} of {len(found)}"
        assert shown.evaluate(FOUND) == found
    shown.keyboard.press("Control+k")
    shown.get_by_role("combobox").fill("STRASSE cafe")
    shown.get_by_role("option").wait_for()
    # Each word is looked for by itself, in any order.
    assert shown.locator(".hit mark").all_inner_texts() == ["Café", "cafe\u0301", "Straße"]


def test_what_is_found_deep_in_a_long_text_is_brought_into_sight(page):
    code = "".join(f"let line{at} = {at}\n" for at in range(400))
    words = "\n".join(f"Line {at}" for at in range(400))
    shown = page.open(s.state(s.chat([s.user(words, id="q"), s.reply({"kind": "code", "info": "swift", "text": code}, id="r")])))
    scenes.find(page)
    for wanted in ("line200", "line 300"):
        shown.get_by_role("searchbox").fill(wanted)
        shown.wait_for_function("() => document.querySelector('.find-said').textContent === '1 of 1'")
        page.settle()
        top, bottom = shown.evaluate("""() => {
            const { top, bottom } = [...CSS.highlights.get("found-here")][0].getBoundingClientRect();
            return [top, bottom];
        }""")
        bar = shown.locator(".chat > .chat-top").bounding_box()
        assert bar["y"] + bar["height"] < top < bottom < shown.locator(".composer").bounding_box()["y"]


def test_find_in_the_chat_reaches_messages_that_are_not_in_the_page(page):
    early = [s.user("The first river", id="e1"), s.reply("A river, and another river.", id="e2")]
    here = s.chat([s.user("One more river?", id="q"), s.reply("No.", id="r")], earlier=2)
    shown = page.open(s.state(here), earlier=[{"messages": early, "earlier": 0}],
                      answers={"findInChat": {"hits": [{"message": "e1", "count": 1}, {"message": "e2", "count": 2}, {"message": "q", "count": 1}]}})
    scenes.find(page)
    field, said = shown.get_by_role("searchbox"), shown.get_by_role("search").get_by_role("status")
    field.fill("river")
    shown.wait_for_function("() => document.querySelector('.find-said').textContent === '4 of 4'")
    field.press("Shift+Enter")
    shown.wait_for_function("() => document.querySelector('.find-said').textContent === '3 of 4'")
    assert shown.locator("parley-message").count() == 4, "the messages have come"
    assert shown.evaluate("document.activeElement.type") == "search", "the focus stays in the field"
    field.press("Shift+Enter")
    assert said.inner_text() == "2 of 4"
    field.fill("nowhere")
    shown.wait_for_function("() => document.querySelector('.find-said').textContent === 'No match'")


@by
def test_deleted_messages_come_back_from_a_list(page, by):
    gone = [{"id": "d2", "author": "assistant", "date": s.NOW - 60, "text": "Six miles."}, {"id": "d1", "author": "user", "date": s.NOW - 90, "text": "How far?"}]
    shown = page.open(two(), answers={"deletedMessages": {"messages": gone}})
    press(page, shown.get_by_role("button", name="Chat menu"), by)
    press(page, shown.get_by_role("menuitem", name="Deleted messages"), by)
    dialog = shown.get_by_role("dialog", name="Deleted messages")
    dialog.get_by_role("listitem").nth(1).wait_for()
    assert dialog.get_by_role("listitem").count() == 2
    page.page.evaluate("(gone) => { wire.answers.deletedMessages = { messages: gone }; }", gone[1:])
    press(page, dialog.get_by_role("button", name="Restore: Six miles."), by)
    assert one(page, "restore")["message"] == "d2"
    dialog.get_by_role("listitem").nth(1).wait_for(state="detached")
    shown.wait_for_function("() => document.activeElement.textContent === 'Restore'")
    page.page.evaluate("wire.answers.deletedMessages = { messages: [] }")
    press(page, dialog.get_by_role("button", name="Restore: How far?"), by)
    dialog.get_by_text("Nothing here can be restored.").wait_for()
    shown.wait_for_function("() => document.activeElement.getAttribute('aria-label') === 'Close'")


def test_deleted_chats_come_back_one_by_one_or_all(page):
    gone = [{"id": f"g{number}", "title": f"Chat {number}", "deleted": s.NOW - 60, "messages": 2} for number in range(3)]
    shown = page.open(path="#/settings", answers={"deletedChats": {"chats": gone}})
    shown.get_by_role("button", name="Deleted chats").click()
    dialog = shown.get_by_role("dialog", name="Deleted chats")
    dialog.get_by_role("button", name="Restore: Chat 1").click()
    assert one(page, "restoreAll")["chats"] == ["g1"]
    dialog.get_by_role("button", name="Restore all").click()
    assert "chats" not in one(page, "restoreAll", 2), "all are restored, also those that the list has no room for"


@by
def test_what_was_deleted_can_be_deleted_for_good(page, by):
    gone = [{"id": f"d{number}", "author": "user", "date": s.NOW - number, "text": f"Words {number}"} for number in range(3)]
    shown = page.open(two(), answers={"deletedMessages": {"messages": gone, "more": 1200}})
    press(page, shown.get_by_role("button", name="Chat menu"), by)
    press(page, shown.get_by_role("menuitem", name="Deleted messages"), by)
    dialog = shown.get_by_role("dialog", name="Deleted messages")
    dialog.get_by_text("for a day").wait_for()
    dialog.get_by_text("and 1,200 more").wait_for()
    # Nothing happens without a yes.
    press(page, dialog.get_by_role("button", name="Delete for good: Words 1"), by)
    press(page, shown.get_by_role("dialog", name="Delete for good").get_by_role("button", name="Cancel"), by)
    assert page.wishes("forgetMessages") == []
    press(page, dialog.get_by_role("button", name="Delete for good: Words 1"), by)
    page.page.evaluate("(gone) => { wire.answers.deletedMessages = { messages: gone }; }", [gone[0], gone[2]])
    press(page, shown.get_by_role("dialog", name="Delete for good").get_by_role("button", name="Delete for good"), by)
    dialog.get_by_role("listitem").nth(2).wait_for(state="detached")
    assert one(page, "forgetMessages")["messages"] == ["d1"]
    shown.wait_for_function("() => document.activeElement.closest('dialog') !== null")
    press(page, dialog.get_by_role("button", name="Delete all for good"), by)
    page.page.evaluate("wire.answers.deletedMessages = { messages: [] }")
    press(page, shown.get_by_role("dialog", name="Delete all for good").get_by_role("button", name="Delete all for good"), by)
    dialog.get_by_text("Nothing here can be restored.").wait_for()
    assert "messages" not in one(page, "forgetMessages", 2)
    shown.wait_for_function("() => document.activeElement.getAttribute('aria-label') === 'Close'")


def test_the_chats_are_a_drawer_on_a_phone(make_page):
    page = make_page(390, 844, has_touch=True)
    page.open(two(), states=OTHER)
    page.page.get_by_text("Five miles.").wait_for()
    assert not page.page.get_by_role("navigation").is_visible()
    page.page.get_by_role("button", name="Show chats").click()
    page.page.get_by_role("dialog").get_by_role("link", name="Why do kernels differ by a bit?").click()
    page.page.get_by_role("heading", name="Other chat", level=1).wait_for()
    assert not page.page.get_by_role("navigation").is_visible()
    page.page.get_by_role("button", name="Show chats").click()
    page.page.keyboard.press("Escape")
    assert page.page.evaluate("document.activeElement.getAttribute('aria-label')") == "Show chats"


def test_the_chats_are_reached_where_there_are_only_a_few_lines(make_page):
    """As with 400 % zoom: the whole drawer scrolls, and its list keeps its height."""
    page = make_page(320, 256)
    shown = page.open(two(), states=OTHER)
    shown.get_by_role("button", name="Show chats").click()
    assert shown.locator(".chat-list").evaluate("(list) => list.clientHeight >= list.scrollHeight")
    shown.get_by_role("dialog").get_by_role("link", name="Why do kernels differ by a bit?").click()
    shown.get_by_role("heading", name="Other chat", level=1).wait_for()
    shown.get_by_role("button", name="Show chats").click()
    shown.get_by_role("dialog").get_by_role("link", name="Settings").click()
    shown.get_by_role("heading", name="Settings", level=1).wait_for()


def test_the_chats_can_be_hidden_and_stay_so(page):
    page.open(two())
    page.page.get_by_text("Five miles.").wait_for()
    page.page.keyboard.press("Control+b")
    assert not page.page.get_by_role("navigation").is_visible()
    assert page.page.evaluate("document.activeElement.getAttribute('aria-label')") == "Show chats"
    page.page.reload()
    page.page.get_by_text("Five miles.").wait_for()
    assert not page.page.get_by_role("navigation").is_visible()


# MARK: Prompts, first run, models


@by
def test_suggestions(page, by):
    shown = scenes.show(page, "empty")
    press(page, shown.get_by_role("button", name="Plan a quiet weekend in Bern"), by)
    assert one(page, "send")["text"] == "Plan a quiet weekend in Bern"


def test_a_suggestion_leaves_what_is_being_written(page):
    page.open(scenes.empty())
    field = page.page.get_by_role("textbox", name="Message")
    field.fill("Half a thought")
    page.page.get_by_role("button", name="Plan a quiet weekend in Bern").click()
    assert one(page, "send")["text"] == "Plan a quiet weekend in Bern"
    assert field.input_value() == "Half a thought"


@by
def test_the_first_run_is_one_choice(page, by):
    shown = scenes.show(page, "first-run")
    press(page, shown.get_by_role("button", name="Fetch SmolLM2 135M (98 MB)"), by)
    assert one(page, "fetchModel")["model"] == "smollm2-135m"
    page.push("fetch.progress", job=s.JOB)
    shown.get_by_text("42%").wait_for()
    assert "11 s left" in shown.locator(".first-run").inner_text()
    press(page, shown.get_by_role("button", name="Pause"), by)
    assert one(page, "pauseFetch")["job"] == "j1"
    page.push("fetch.progress", job={**s.JOB, "status": "paused"})
    press(page, shown.get_by_role("button", name="Resume"), by)
    assert one(page, "fetchModel", 2)["model"] == "smollm2-135m"
    page.push("fetch.progress", job={**s.JOB, "status": "failed", "error": "The disk is full."})
    shown.get_by_text("The disk is full.").wait_for()
    shown.get_by_role("link", name="Settings").click()
    shown.get_by_role("heading", name="Settings", level=1).wait_for()


@by
def test_models_are_loaded_unloaded_fetched_and_removed(page, by):
    shown = scenes.show(page, "models")
    for name, kind in [("Unload: Qwen3 4B", "unloadModel"), ("Load: Gemma 3 4B", "loadModel"), ("Use in this chat: Gemma 3 4B", "chooseModel"),
                       ("Fetch: Qwen3 8B", "fetchModel"), ("Pause", "pauseFetch")]:
        press(page, shown.get_by_role("button", name=name, exact=True), by)
        one(page, kind)
    press(page, shown.get_by_role("button", name="Remove: Gemma 3 4B"), by)
    assert page.wishes("removeModel") == [], "it asks first"
    press(page, shown.get_by_role("dialog").get_by_role("button", name="Remove"), by)
    assert one(page, "removeModel")["model"] == "gemma3-4b"
    assert "Weights (8.4 GB) + cache" in shown.get_by_role("main").inner_text()
    catalog = shown.get_by_role("region", name="Catalog").inner_text()
    assert "at least 12,288 tokens" in catalog, "before a model is here, only so much is known"
    assert "at least" not in shown.get_by_role("region", name="Installed").inner_text()


def test_a_model_that_is_not_the_servers_cannot_be_removed(page):
    installed = [{**one, "removable": one["id"] != "gemma3-4b"} for one in s.MODELS["installed"]]
    shown = page.open(s.state(models={**s.MODELS, "installed": installed}), "#/models")
    shown.get_by_role("button", name="Remove: Qwen3 4B").wait_for()
    assert shown.get_by_role("button", name="Remove: Gemma 3 4B").count() == 0


def test_what_was_not_fetched_stands_below_what_is_here(page):
    failed = {**s.JOB, "id": "j2", "model": "qwen3-8b", "status": "failed", "error": "The disk is full."}
    shown = page.open(s.state(models={**s.MODELS, "jobs": [failed, s.JOB]}), "#/models")
    region = shown.get_by_role("region", name="Not fetched")
    region.get_by_text("The disk is full.").wait_for()
    assert shown.locator("main h2").all_inner_texts() == ["Fetching", "Installed", "Not fetched", "Catalog"]
    region.get_by_role("button", name="Try again").click()
    assert one(page, "fetchModel")["model"] == "qwen3-8b"


@pytest.mark.parametrize("width", [1280, 800, 768, 700, 390])
def test_the_settings_fit_beside_the_chats(make_page, width):
    page = make_page(width, 800)
    scenes.show(page, "settings")
    assert page.page.locator(".wide").evaluate("(box) => box.scrollWidth <= box.clientWidth")
    assert page.page.locator(".setting-words").evaluate_all("(all) => Math.min(...all.map((words) => words.offsetWidth))") > 200


@pytest.mark.parametrize("width", [1280, 768, 390])
def test_the_composer_is_as_wide_as_the_text(make_page, width):
    page = make_page(width, 800)
    page.open(two())
    page.page.get_by_text("Five miles.").wait_for()
    sides = page.page.evaluate("""() => [".composer-box", ".log"].map((name) => {
        const { left, right } = document.querySelector(name).getBoundingClientRect();
        return [left, right];
    })""")
    assert sides[0] == pytest.approx(sides[1], abs=1)


def test_the_focus_stays_where_a_control_becomes_another_one(page):
    shown = scenes.show(page, "models")
    shown.get_by_role("button", name="Unload: Qwen3 4B", exact=True).focus()
    installed = [{**one, "status": "unloaded"} if one["status"] == "loaded" else one for one in s.MODELS["installed"]]
    page.push("model.updated", models={**s.MODELS, "installed": installed, "jobs": [s.JOB]})
    shown.get_by_role("button", name="Load: Qwen3 4B", exact=True).wait_for()
    assert shown.evaluate("document.activeElement.getAttribute('aria-label')") == "Load: Qwen3 4B"


def test_a_screen_begins_at_its_top(page):
    page.open(two())
    shown = page.page
    shown.get_by_text("Five miles.").wait_for()
    page.resize(1280, 500)
    shown.get_by_role("link", name="Models").click()
    shown.get_by_role("heading", name="Models", level=1).wait_for()
    page.settle()
    main = shown.get_by_role("main")
    assert main.evaluate("(main) => main.scrollHeight > main.clientHeight"), "there is something to scroll"
    assert main.evaluate("(main) => main.scrollTop") == 0


@by
def test_the_model_of_a_chat(page, by):
    page.open(two())
    page.page.get_by_text("Five miles.").wait_for()
    if by == "mouse":
        page.page.get_by_role("button", name="Model of this chat: Qwen3 4B").click()
        page.page.get_by_role("menuitemradio", name="Gemma 3 4B").click()
    else:
        page.page.keyboard.press("Control+Shift+l")
        page.page.keyboard.press("ArrowDown")
        page.page.keyboard.press("Enter")
    assert one(page, "chooseModel")["model"] == "gemma3-4b"


def test_the_menu_of_models_is_seen_where_the_header_had_scrolled_away(make_page):
    page = make_page(320, 256)
    page.open(s.state(s.chat([one for at in range(5) for one in (s.user(f"Question {at}"), s.reply(f"Answer {at}"))])))
    page.page.get_by_text("Answer 4").wait_for()
    page.settle()
    page.page.keyboard.press("Control+Shift+l")
    item = page.page.get_by_role("menuitemradio", name="Qwen3 4B")
    item.wait_for()
    top, bottom = item.evaluate("(item) => { const { top, bottom } = item.getBoundingClientRect(); return [top, bottom]; }")
    assert 0 <= top < bottom <= 256


# MARK: Settings and figures


@by
def test_settings(page, by):
    page.open(two())
    page.page.get_by_text("Five miles.").wait_for()
    page.page.keyboard.press("Control+Comma") if by == "keyboard" else page.page.get_by_role("link", name="Settings").click()
    page.page.get_by_label("Colours").select_option("dark")
    assert page.page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.page.get_by_label("Most tokens of an answer").fill("2048")
    page.page.keyboard.press("Tab")
    assert (one(page, "set")["name"], one(page, "set")["value"]) == ("answer_tokens", 2048)
    page.page.get_by_label("Most tokens of an answer").fill("-1")
    page.page.keyboard.press("Tab")
    assert len(page.wishes("set")) == 1
    # What the server takes is taken here too, and no more.
    page.page.get_by_label("Messages the model reads again").fill("1001")
    page.page.keyboard.press("Tab")
    page.page.get_by_label("Messages the model reads again").fill("1000")
    page.page.keyboard.press("Tab")
    wish = one(page, "set", 2)
    assert (wish["name"], wish["value"]) == ("history_window", 1000)
    page.page.get_by_label("Notes: Delete").select_option("deny")
    wish = one(page, "set", 3)
    # One change alone: what was changed elsewhere meanwhile is not undone by what this page does not know yet.
    assert (wish["name"], wish["value"]) == ("policies", [{"tag": "note", "effects": {"delete": "deny"}}])
    page.page.get_by_label("Search with").select_option("brave")
    assert one(page, "set", 4)["value"]["engine"] == "brave"
    page.page.get_by_text("What you dictate is written down by whisper-base").wait_for()
    page.page.keyboard.press("Escape")
    page.page.get_by_role("heading", name="A walk in Bern", level=1).wait_for()


@pytest.mark.parametrize("width", [390, 320])
def test_all_permissions_fit_on_a_phone(make_page, width):
    page = make_page(width, 844)
    page.open(two(), path="#/settings")
    table = page.page.locator(".policies")
    table.wait_for()
    assert table.evaluate("(table) => table.getBoundingClientRect().right") <= width
    assert page.page.evaluate("document.querySelector('.policies').parentElement.scrollWidth <= document.querySelector('.policies').parentElement.clientWidth")
    for name in ("Calendar: Delete", "Contacts: Look up"):
        page.page.get_by_label(name).scroll_into_view_if_needed()
        right = page.page.get_by_label(name).evaluate("(select) => select.getBoundingClientRect().right")
        assert right <= width


def test_the_window_itself_does_not_scroll(page):
    page.open(two())
    page.page.get_by_text("Five miles.").wait_for()
    assert page.page.evaluate("(scrollTo(0, 100), scrollY)") == 0


def test_what_has_opened_a_menu_has_no_tooltip_over_it(page):
    page.open(two())
    model = page.page.get_by_role("button", name="Model of this chat: Qwen3 4B")
    assert model.get_attribute("title") is None
    menu = page.page.get_by_role("button", name="Chat menu")
    menu.click()
    page.page.get_by_role("menuitem", name="Rename").wait_for()
    assert menu.get_attribute("title") is None
    page.page.keyboard.press("Escape")
    page.page.wait_for_function("() => document.querySelector('[aria-label=\"Chat menu\"]').title === 'Chat menu'")


def test_the_size_of_the_text_is_that_of_all(page):
    shown = page.open(path="#/settings")
    sizes = """() => ["h1", ".setting label", ".button"].map((one) => parseFloat(getComputedStyle(
        [...document.querySelectorAll(one)].find((found) => found.checkVisibility())).fontSize))"""
    before = shown.evaluate(sizes)
    shown.get_by_label("Text size").select_option("largest")
    assert shown.evaluate(sizes) == pytest.approx([size * 1.375 for size in before])
    shown.reload()
    shown.get_by_label("Text size").wait_for()
    assert shown.evaluate(sizes) == pytest.approx([size * 1.375 for size in before])


@by
def test_searxng_is_chosen_once_its_address_is_known(page, by):
    shown = page.open(s.state(settings={**s.SETTINGS, "search": {"engine": None, "address": None, "has_key": False}}), path="#/settings")
    shown.get_by_label("Search with").select_option("searxng")
    assert page.wishes("set") == []
    address = shown.get_by_label("Address of SearXNG")
    address.fill("http://localhost:8888")
    page.page.keyboard.press("Enter" if by == "keyboard" else "Tab")
    assert one(page, "set")["value"] == {"engine": "searxng", "address": "http://localhost:8888"}


@by
def test_a_new_key_is_shown_once(page, by):
    shown = page.open(path="#/settings", answers={"newKey": {"key": "pk-123"}})
    press(page, shown.get_by_role("button", name="New key"), by)
    shown.get_by_label("Name of the key").fill("tablet")
    shown.keyboard.press("Enter")
    wish = one(page, "newKey")
    assert (wish["name"], wish["scopes"]) == ("tablet", ["data"])
    dialog = shown.get_by_role("dialog")
    assert dialog.get_by_label("Key", exact=True).input_value() == "pk-123"
    assert dialog.get_by_label("Address", exact=True).input_value().endswith("/#key=pk-123")
    shown.keyboard.press("Escape")
    assert "pk-123" not in shown.content()


def test_a_key_needs_a_name_and_something_to_do(page):
    shown = page.open({**s.state(), "key": {"name": "mine", "scopes": ["data", "admin"]}}, path="#/settings")
    shown.get_by_role("button", name="New key").click()
    dialog = shown.get_by_role("dialog")
    assert dialog.get_by_role("checkbox").count() == 2, "no more is offered than this browser may do itself"
    dialog.get_by_role("button", name="Create").click()
    assert dialog.get_by_role("alert").inner_text() == "Give the key a name."
    dialog.get_by_label("Name of the key").fill("tablet")
    dialog.get_by_role("checkbox", name="The chat and your data").uncheck()
    dialog.get_by_role("button", name="Create").click()
    assert dialog.get_by_role("alert").inner_text() == "Choose what the key may be used for."
    assert page.wishes("newKey") == []


@by
def test_the_key_in_use_does_not_go_without_a_word(page, by):
    shown = page.open({**s.state(), "key": {"name": "phone", "scopes": ["data", "admin"]}}, path="#/settings")
    shown.get_by_text("This browser uses the key phone.").wait_for()
    press(page, shown.get_by_role("button", name="Delete the key phone"), by)
    shown.get_by_role("dialog").get_by_text("It will be locked out at once").wait_for()
    assert page.wishes("deleteKey") == []
    press(page, shown.get_by_role("dialog").get_by_role("button", name="Delete", exact=True), by)
    wish = one(page, "deleteKey")
    assert (wish["name"], wish["even_if_used"]) == ("phone", True)
    press(page, shown.get_by_role("button", name="Delete the key scripts"), by)
    press(page, shown.get_by_role("dialog").get_by_role("button", name="Delete", exact=True), by)
    assert one(page, "deleteKey", 2)["even_if_used"] is False


def test_a_key_that_may_not_manage_others_shows_no_way_to(page):
    shown = page.open({**s.state(), "key": {"name": "phone", "scopes": ["data"]}}, path="#/settings")
    shown.get_by_text("The key of this browser may not manage others.").wait_for()
    assert shown.get_by_role("button", name="New key").count() == 0
    assert shown.get_by_role("button", name="Delete the key").count() == 0


def test_all_chats_are_deleted_only_after_a_question(page):
    shown = page.open(path="#/settings", answers={"deleteAll": {"chats": ["c1", "c2"]}})
    shown.get_by_role("button", name="Delete all chats").click()
    assert page.wishes("deleteAll") == []
    shown.get_by_role("dialog").get_by_role("button", name="Delete all chats").click()
    one(page, "deleteAll")
    shown.get_by_role("button", name="Undo").click()
    assert one(page, "restoreAll")["chats"] == ["c1", "c2"]


@by
def test_figures_are_asked_for_while_they_are_looked_at(page, by):
    shown = scenes.show(page, "performance")
    one(page, "watchMetrics")
    page.push("metrics", performance={**s.FIGURES, "cached_share": 0.5})
    shown.get_by_text("50%").wait_for()
    press(page, shown.get_by_role("button", name="Start"), by)
    wish = one(page, "benchmark")
    assert (wish["models"], wish["prompt_tokens"], wish["on"]) == (["qwen3-4b"], [512], True)
    assert "engines" not in wish, "with one engine each model runs where it runs anyway"
    running = {"is_running": True, "rows": [], "done": 3, "all": 10, "failure": None}
    page.push("benchmark.updated", benchmark=running)
    shown.get_by_text("3 of 10 replies").wait_for()
    page.push("benchmark.updated", benchmark={**running, "done": 4})
    shown.get_by_text("4 of 10 replies").wait_for()
    press(page, shown.get_by_role("button", name="Cancel"), by)
    assert one(page, "benchmark", 2)["on"] is False


def test_who_goes_on_looking_at_the_figures_says_so_again(page):
    page.page.clock.install(time=s.NOW)
    page.page.clock.set_fixed_time = lambda *_: None
    shown = page.open(path="#/performance")
    one(page, "watchMetrics")
    page.stop_clock()
    for _ in range(2):
        # A stream that is silent for long would be given up.
        page.push("metrics", performance=s.FIGURES)
        page.page.clock.run_for(13_000)
    one(page, "watchMetrics", 2)
    shown.keyboard.press("Escape")
    shown.get_by_role("heading", name="A walk in Bern", level=1).wait_for()
    for _ in range(5):
        page.push("chat.updated", chat="c1")
        page.page.clock.run_for(13_000)
    assert len(page.wishes("watchMetrics")) == 2


@by
def test_a_benchmark_compares_engines(page, by):
    engines = [{"name": "native", "problem": None}, {"name": "llama.cpp", "problem": None}, {"name": "onnx", "problem": "This build has no such engine."}]
    shown = page.open(s.state(engines=engines, performance=s.NO_FIGURES), path="#/performance")
    choice = shown.get_by_role("group", name="Engines")
    assert choice.get_by_role("checkbox").count() == 2, "only what is here can be chosen"
    shown.get_by_text("No model runs in onnx here. This build has no such engine.").wait_for()
    press(page, shown.get_by_role("button", name="Start"), by)
    assert one(page, "benchmark")["engines"] == ["native", "llama.cpp"]
    box = choice.get_by_role("checkbox", name="native")
    box.uncheck() if by == "mouse" else (box.focus(), page.page.keyboard.press("Space"))
    press(page, shown.get_by_role("button", name="Start"), by)
    assert one(page, "benchmark", 2)["engines"] == ["llama.cpp"]
    speeds = {"median": 200.0, "least": 190.0, "most": 210.0}
    rows = [{"engine": name, "model": "qwen3-4b", "prompt_tokens": 512, "read": speeds, "written": speeds, "note": None} for name in ("native", "llama.cpp")]
    rows.append({"engine": "llama.cpp", "model": "gemma3-4b", "prompt_tokens": None, "read": None, "written": None, "note": "It does not read the form of this model."})
    page.push("benchmark.updated", benchmark={"is_running": False, "rows": rows, "done": 15, "all": 15, "failure": None})
    shown.get_by_role("cell", name="It does not read").wait_for()
    lines = shown.locator(".results tbody tr")
    assert [lines.nth(at).locator("td").first.inner_text() for at in range(3)] == ["native", "llama.cpp", "llama.cpp"]
    assert lines.nth(2).locator("td").nth(2).inner_text() == "–"


def test_engines_that_are_missing_for_one_reason_are_named_together(page):
    engines = [{"name": "native", "problem": None}, *({"name": name, "problem": "This build has no such engine."} for name in ("llama.cpp", "mlx", "onnx"))]
    shown = page.open(s.state(engines=engines), path="#/performance")
    shown.get_by_text("No model runs in llama.cpp, mlx or onnx here. This build has no such engine.").wait_for()


def test_a_chart_has_gaps_where_nothing_was_measured(page):
    firsts = [0.3, 0.5, None, None, 0.9, None]
    samples = [{**s.FIGURES["samples"][0], "date": s.NOW - 60 + 10 * at, "first_token_seconds": first} for at, first in enumerate(firsts)]
    shown = page.open(s.state(performance={**s.FIGURES, "samples": samples}), path="#/performance")
    figure = shown.get_by_role("figure", name="First token")
    figure.get_by_text("0.9 last, 0.9 at the highest").wait_for()
    assert figure.locator("polyline").evaluate_all("(lines) => lines.map((line) => line.points.length)") == [2]
    assert figure.locator(".dots").count() == 1


def test_what_fills_the_memory_stands_below_its_model(page):
    shown = scenes.show(page, "performance")
    group = shown.locator(".shares tbody").first
    assert group.get_by_role("row").all_inner_texts()[0] == "Qwen3 4B"
    assert group.get_by_role("rowheader").all_inner_texts()[1:] == ["Needed", "For chats now"]


@pytest.mark.parametrize("width", [1280, 390, 320])
def test_all_columns_of_a_benchmark_are_seen(make_page, width):
    page = make_page(width, 800)
    scenes.show(page, "benchmark")
    table = page.page.locator(".results")
    assert table.evaluate("(table) => table.parentElement.scrollWidth <= table.parentElement.clientWidth")


def test_a_benchmark_says_that_it_was_cancelled(page):
    page.open(s.state(performance={**s.FIGURES, "benchmark": {**s.FIGURES["benchmark"], "is_cancelled": True}}), "#/performance")
    page.page.get_by_text("Cancelled. What was measured until then stays.").wait_for()


def test_a_benchmark_says_what_could_not_be_measured(page):
    rows = [{"engine": "native", "model": "qwen3-4b", "prompt_tokens": 8192, "read": None, "written": None, "note": "The context is shorter."}]
    shown = page.open(s.state(performance={**s.FIGURES, "benchmark": {
        "is_running": False, "rows": rows, "done": 5, "all": 5, "failure": "gemma3-4b: No power."}}), path="#/performance")
    shown.get_by_role("cell", name="The context is shorter.").wait_for()
    shown.get_by_text("Not everything could be measured: gemma3-4b: No power.").wait_for()


def test_the_help_lists_every_key_of_the_table(page):
    page.open(two())
    page.page.get_by_text("Five miles.").wait_for()
    page.page.keyboard.press("Control+Slash")
    rows = page.page.get_by_role("dialog").locator("tbody tr")
    table = page.page.evaluate("""async () => {
        const { shortcuts, placedKeys } = await import("./app/shortcuts.js");
        return [...shortcuts, ...placedKeys].map((one) => one.does);
    }""")
    assert sorted(rows.locator("td").all_inner_texts()) == sorted(table)
    page.page.keyboard.press("Escape")
    assert page.page.get_by_role("dialog").count() == 0


def test_escape_closes_then_stops_then_leaves(page):
    state = s.state(s.chat([s.user("Go on"), s.reply("Yes", id="r", state="writing")], status=s.status(is_generating=True)))
    shown = page.open(state)
    shown.get_by_text("Yes", exact=True).wait_for()
    shown.get_by_role("button", name="Chat menu").click()
    shown.keyboard.press("Escape")
    assert page.wishes("stop") == []
    shown.get_by_role("textbox", name="Message").focus()
    shown.keyboard.press("Escape")
    one(page, "stop")
    page.status()
    page.settle()
    shown.keyboard.press("Escape")
    assert shown.evaluate("document.activeElement.closest('parley-message')?.dataset.id") == "r"
