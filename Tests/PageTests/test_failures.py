# SPDX-License-Identifier: Apache-2.0
"""What did not work: why is said, and trying again is offered where it can help, and only there."""

import pytest

import cards
import scenes
import states as s

GONE = "The server did not answer, so this may not have been done."
FAULT = {"error": "The disk is full.", "status": 503, "code": "store_unavailable"}


def two(**more):
    return s.state(s.chat([s.user("How far?", id="q"), s.reply("Five miles.", id="r")]), **more)


def field(page):
    return page.page.get_by_role("textbox", name="Message")


def alert(page, words):
    found = page.page.locator(".notice", has_text=words)
    found.wait_for()
    return found


def again(place):
    return place.get_by_role("button", name="Try again")


def one(page, kind, count=1):
    page.page.wait_for_function("([kind, count]) => wire.wishes.filter((wish) => wish.type === kind).length >= count", arg=[kind, count])
    found = page.wishes(kind)
    assert len(found) == count
    return found[-1]


def menu(page, name):
    page.page.get_by_role("button", name="Chat menu").click()
    page.page.get_by_role("menuitem", name=name).click()


def offer(page, name, kind="text/plain", words=None, on="paste"):
    """Pastes or drops a file."""
    page.page.evaluate("""([name, kind, words, on]) => {
        const data = new DataTransfer();
        data.items.add(new File(["hello"], name, { type: kind }));
        if (words !== null) data.setData("text/plain", words);
        const event = on === "paste" ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
            : new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
        (on === "paste" ? document.querySelector("#composer") : window).dispatchEvent(event);
    }""", [name, kind, words, on])


def chips(page):
    return page.page.get_by_role("list", name="Attachments").get_by_role("listitem")


# MARK: Wishes


@pytest.mark.parametrize("status, code, helps", [
    (500, None, True), (503, "store_unavailable", True), (503, "insufficient_memory", False), (429, "rate_limit_exceeded", True),
    (400, "invalid_value", False), (404, "not_found", False), (403, "insufficient_scope", False), (409, "model_in_use", False)])
def test_trying_again_is_offered_where_it_can_help(page, status, code, helps):
    page.open(two(), answers={"pin": {"error": "No.", "status": status, "code": code}})
    menu(page, "Pin")
    shown = alert(page, "This did not work: No.")
    assert again(shown).count() == int(helps)
    if not helps:
        return
    page.page.evaluate("wire.answers = {}")
    again(shown).click()
    wish = one(page, "pin", 2)
    # It is the same wish: what the server has done already is not done twice.
    assert wish == page.wishes("pin")[0]
    shown.wait_for(state="detached")


def test_a_wish_that_the_network_lost_is_sent_again_about_its_own_chat(page):
    page.open(two(), states={"c2": s.state(s.chat([s.user("Other", id="other")], id="c2", title="Other chat"))})
    page.page.get_by_text("Five miles.").wait_for()
    page.page.evaluate("wire.isOffline = true")
    menu(page, "Pin")
    shown = alert(page, GONE)
    page.page.evaluate("wire.isOffline = false")
    page.page.get_by_role("link", name="Why do kernels differ by a bit?").click()
    page.page.get_by_role("heading", name="Other chat", level=1).wait_for()
    again(shown).click()
    assert one(page, "pin")["chat"] == "c1"


def test_what_follows_a_wish_follows_the_second_try_too(page):
    page.open(two(), answers={"delete": FAULT})
    page.page.locator("parley-message.last").get_by_role("button", name="More actions").click()
    page.page.get_by_role("menuitem", name="Delete").click()
    shown = alert(page, "The disk is full.")
    page.page.evaluate("wire.answers = {}")
    again(shown).click()
    alert(page, "The message is deleted.").get_by_role("button", name="Undo").wait_for()


def test_a_new_chat_that_did_not_come_is_tried_again_and_keeps_the_field_usable(page):
    page.open(two(), states={"c2": s.state(s.chat([], id="c2", title=""))}, answers={"newChat": FAULT})
    page.page.get_by_text("Five miles.").wait_for()
    field(page).fill("Draft")
    page.page.get_by_role("button", name="New chat", exact=True).click()
    shown = alert(page, "The disk is full.")
    assert field(page).input_value() == "Draft"
    assert page.page.get_by_role("button", name="Send").get_attribute("aria-disabled") is None
    page.page.evaluate("wire.answers = { newChat: { chat: 'c2' } }")
    again(shown).click()
    page.page.get_by_role("heading", name="New chat", level=1).wait_for()


def test_the_same_failure_is_one_notice(page):
    page.open(two(), answers={"pin": FAULT, "rename": FAULT})
    for _ in range(2):
        menu(page, "Pin")
        alert(page, "The disk is full.").first.wait_for()
    one(page, "pin", 2)
    page.settle()
    assert page.page.locator(".notice").count() == 1


def test_a_model_that_cannot_be_fetched_offers_no_second_try(page):
    lasting = {**s.JOB, "id": "j2", "model": "qwen3-8b", "status": "failed", "error": "There is no such model.", "can_be_retried": False}
    shown = page.open(s.state(models={**s.MODELS, "jobs": [lasting]}), "#/models")
    region = shown.get_by_role("region", name="Not fetched")
    region.get_by_role("button", name="Dismiss").wait_for()
    assert again(region).count() == 0


def test_what_the_page_asks_by_itself_fails_silently(page):
    page.open(s.state(), "#/performance", answers={"watchMetrics": FAULT})
    one(page, "watchMetrics")
    page.settle()
    assert page.page.locator(".notice").count() == 0


# MARK: Lists


@pytest.mark.parametrize("status, says", [(500, "Press Enter to try again."), (400, "This did not work: No.")])
def test_a_search_that_failed_shows_nothing_of_the_one_before(page, status, says):
    page.open(two(), answers=scenes.HITS)
    page.page.keyboard.press("Control+k")
    page.page.get_by_role("combobox").fill("kernel")
    page.page.get_by_role("option").first.wait_for()
    page.page.evaluate("(status) => { wire.answers = { search: { error: 'No.', status } }; }", status)
    page.page.get_by_role("combobox").fill("kernels")
    page.page.get_by_text(says).wait_for()
    assert page.page.get_by_role("option").count() == 0
    page.page.get_by_role("combobox").press("Enter")
    assert one(page, "search", 3)["query"] == "kernels"


def test_a_list_of_what_was_deleted_that_did_not_come_is_not_empty(page):
    shown = page.open(two(), answers={"deletedMessages": FAULT})
    menu(page, "Deleted messages")
    dialog = shown.get_by_role("dialog", name="Deleted messages")
    dialog.get_by_role("alert").get_by_text("The disk is full.").wait_for()
    assert dialog.get_by_text("Nothing here can be restored.").count() == 0
    page.page.evaluate("(answers) => { wire.answers = answers; }", scenes.GONE)
    again(dialog).click()
    dialog.get_by_role("button", name="Restore: Six miles").wait_for()
    assert dialog.evaluate("(dialog) => dialog.contains(document.activeElement)")


# MARK: Files


def test_a_file_that_was_not_kept_is_named_and_tried_again(page):
    page.open(two(), answers={"attachments": FAULT})
    offer(page, "notes.txt")
    shown = alert(page, "notes.txt: This did not work: The disk is full.")
    assert chips(page).count() == 0
    page.page.evaluate("wire.answers = {}")
    again(shown).click()
    chips(page).get_by_text("notes.txt", exact=True).wait_for()


def test_a_file_that_is_too_large_offers_no_second_try(page):
    page.open(two(), answers={"attachments": {"error": "The body is larger than 32 MiB.", "status": 413, "code": "request_too_large"}})
    offer(page, "film.txt")
    assert again(alert(page, "film.txt: This did not work: The body is larger")).count() == 0


def test_a_file_that_cannot_be_read_is_not_taken_for_a_network_that_is_gone(page):
    page.open(two())
    page.page.evaluate("() => { Blob.prototype.arrayBuffer = () => Promise.reject(new DOMException('gone', 'NotFoundError')); }")
    offer(page, "folder")
    assert again(alert(page, "“folder” cannot be read.")).count() == 0
    assert not [one for one in page.page.evaluate("wire.requests") if "attachments" in one]


def test_files_before_the_first_answer_are_not_swallowed(page):
    page.open(False)
    page.page.get_by_text("The server is starting.").wait_for()
    offer(page, "notes.txt")
    alert(page, "Attach files when it is back.")


def test_a_picture_that_the_network_lost_is_asked_for_again(page):
    page.open(two())
    page.page.evaluate("wire.isOffline = true")
    page.push("message.added", chat="c1", message=s.user("Look", id="p", attachments=[{**scenes.PICTURE, "url": "/app/v1/attachments/p"}]))
    shown = page.page.locator("parley-message[data-id=p]")
    shown.get_by_text("walk.jpg: The image could not be shown.").wait_for()
    page.page.evaluate("wire.isOffline = false")
    again(shown).click()
    shown.get_by_role("button", name="Image walk.jpg").wait_for()
    assert page.page.evaluate("document.activeElement.ariaLabel") == "Image walk.jpg"


def test_the_memory_of_pictures_is_given_back(page):
    page.open(two())
    page.page.evaluate("""() => {
        window.addresses = new Set();
        const [create, revoke] = [URL.createObjectURL, URL.revokeObjectURL];
        URL.createObjectURL = (blob) => { const made = create.call(URL, blob); addresses.add(made); return made; };
        URL.revokeObjectURL = (made) => { addresses.delete(made); revoke.call(URL, made); };
    }""")
    page.push("message.added", chat="c1", message=s.user("Look", id="p", attachments=[{**scenes.PICTURE, "url": "/app/v1/attachments/p"}]))
    page.page.wait_for_function("() => document.querySelector('.picture img')?.naturalWidth > 0 && addresses.size === 0")
    page.page.get_by_role("button", name="Image walk.jpg").click()
    page.page.wait_for_function("() => document.querySelector('.whole-picture')?.naturalWidth > 0 && addresses.size === 0")


def test_a_file_is_dropped_where_it_is_seen(page):
    page.open(two(), "#/settings")
    page.page.get_by_role("heading", name="Settings", level=1).wait_for()
    offer(page, "notes.txt", on="drop")
    page.page.get_by_role("button", name="Back to the chat").click()
    offer(page, "seen.txt", on="drop")
    chips(page).get_by_text("seen.txt", exact=True).wait_for()
    assert chips(page).count() == 1


@pytest.mark.parametrize("words, isFile", [("photo.png", True), ("/home/ada/photo.png", True), ("12\t30", False)])
def test_the_name_that_comes_with_a_pasted_file_is_not_its_text(page, words, isFile):
    page.open(two())
    offer(page, "photo.png", "image/x", words)
    if isFile:
        chips(page).get_by_text("photo.png", exact=True).wait_for()
    page.settle()
    assert chips(page).count() == int(isFile)


def test_a_message_with_attachments_is_not_queued_without_them(page):
    status = s.status(is_generating=True, attachments=[scenes.PAPER])
    page.open(s.state(s.chat([s.user("How far?", id="q"), s.reply(id="r", state="writing")], status=status)))
    page.page.get_by_text("Attachments cannot wait in line").last.wait_for()
    field(page).fill("Read this")
    field(page).press("Enter")
    page.settle()
    assert page.wishes() == [] and field(page).input_value() == "Read this"
    page.push("message.updated", chat="c1", message=s.reply("Five miles.", id="r"))
    page.status(attachments=[scenes.PAPER])
    page.page.get_by_text("Attachments cannot wait in line").last.wait_for(state="detached")
    field(page).press("Enter")
    assert one(page, "send")["attachments"] == ["d"]


def test_many_attachments_leave_the_messages_in_sight(make_page):
    page = make_page(390, 700)
    many = [{**scenes.PAPER, "id": f"d{at}", "name": f"{'a long name ' * 8}{at}.pdf"} for at in range(16)]
    page.open(s.state(s.chat([s.user("How far?")], status=s.status(attachments=many))))
    chips(page).first.wait_for()
    assert page.page.locator(".composer").evaluate("(box) => box.offsetHeight") < 350


# MARK: Storage, keys and addresses


@pytest.mark.parametrize("error", ["QuotaExceededError", "SecurityError"])
def test_without_storage_a_message_is_sent_all_the_same(page, error):
    page.open(two())
    page.page.evaluate("""(error) => {
        const refuse = () => { throw new DOMException("no", error); };
        Storage.prototype.setItem = refuse;
        if (error === "SecurityError") Storage.prototype.getItem = Storage.prototype.removeItem = refuse;
    }""", error)
    field(page).fill("And back?")
    field(page).press("Enter")
    assert one(page, "send")["text"] == "And back?"
    page.page.evaluate("wire.isOffline = true; wire.drop()")
    page.page.get_by_text("Your text is kept").first.wait_for()
    field(page).fill("And then?")
    field(page).press("Enter")
    page.page.get_by_text("This is sent as soon as the server is back: And then?").last.wait_for()
    page.page.evaluate("wire.isOffline = false")
    page.page.get_by_role("button", name="Try now").click()
    assert one(page, "send", 2)["text"] == "And then?"


@pytest.mark.parametrize("way", ["address", "other tab"])
def test_a_key_that_comes_later_opens_the_page(page, way):
    shown = page.open(two(), key="right")
    shown.get_by_role("dialog", name="A key is needed").wait_for()
    if way == "address":
        shown.evaluate("location.hash = 'key=right'")
    else:
        shown.evaluate("""() => {
            localStorage.setItem("parley.key", "right");
            dispatchEvent(new StorageEvent("storage", { key: "parley.key", newValue: "right" }));
        }""")
    shown.get_by_text("Five miles.").wait_for()
    shown.get_by_role("dialog", name="A key is needed").wait_for(state="detached")
    assert "right" not in shown.url


def test_a_hidden_tab_that_comes_back_to_the_server_gives_its_stream_back_too(page):
    page.page.clock.install(time=s.NOW)
    page.page.clock.set_fixed_time = lambda *_: None
    page.open(two())
    page.page.wait_for_function("() => wire.streams.length === 1")
    page.page.evaluate("""() => {
        Object.defineProperty(document, "hidden", { value: true, configurable: true });
        wire.isOffline = true;
        wire.drop();
        document.dispatchEvent(new Event("visibilitychange"));
    }""")
    page.page.get_by_text("The server cannot be reached. Trying").wait_for()
    page.page.clock.run_for(11_000)
    page.page.evaluate("wire.isOffline = false; dispatchEvent(new Event('online'))")
    page.page.wait_for_function("() => wire.streams.length === 1")
    page.page.clock.run_for(11_000)
    assert page.page.evaluate("wire.streams.length") == 0


# MARK: What is typed


def test_what_is_typed_into_a_setting_outlives_an_event(page):
    page.open(s.state(), "#/settings")
    number = page.page.get_by_label("Most tokens of an answer")
    number.fill("2048")
    page.push("settings.updated", settings={**s.SETTINGS, "history_window": 7})
    page.settle()
    assert number.input_value() == "2048"
    number.press("Tab")
    assert one(page, "set")["value"] == 2048
    page.page.wait_for_function("() => document.querySelector('[data-key=set-history_window]').value === '7'")
    assert page.page.evaluate("document.activeElement.dataset.key") == "set-thinking_tokens", "the focus goes where it went"


def test_a_press_that_leaves_a_setting_is_a_press_although_the_settings_are_drawn_anew(page):
    shown = page.open(s.state(), "#/settings")
    shown.get_by_label("Most tokens of an answer").fill("2048")
    create = shown.get_by_role("button", name="New key")
    create.scroll_into_view_if_needed()
    create.hover()
    shown.mouse.down()
    one(page, "set")
    page.push("settings.updated", settings={**s.SETTINGS, "answer_tokens": 2048, "history_window": 7})
    page.settle()
    shown.mouse.up()
    dialog = shown.get_by_role("dialog", name="New key")
    dialog.wait_for()
    shown.wait_for_function("() => document.querySelector('[data-key=set-history_window]').value === '7'")
    # The button that has opened the dialog is another one by now.
    shown.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    shown.wait_for_function("() => document.activeElement.dataset.key === 'new-key'")


def test_what_is_typed_into_a_card_outlives_an_event(page):
    shown = page.open(s.state(s.chat([s.user("Plan it"), s.reply("Here.", id="r", cards=[cards.ALL["malformed"]])])))
    start = shown.get_by_role("textbox", name="start", exact=True)
    start.fill("2026-09-22 12:00")
    news = s.reply("Here.", id="r", cards=[cards.ALL["malformed"]], sources=[{"title": "News", "url": "https://www.example.org/news", "snippet": ""}])
    page.push("message.updated", chat="c1", message=news)
    shown.get_by_text("1 source").wait_for()
    assert start.input_value() == "2026-09-22 12:00"
    assert start.evaluate("(field) => field === document.activeElement")


def test_a_key_of_an_input_method_ends_no_dialog(page):
    shown = page.open(two())
    menu(page, "Rename")
    # Safari says that a word was composed by this code alone.
    shown.get_by_label("Title of the chat").evaluate("(field) => field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true }))")
    page.settle()
    assert shown.get_by_role("dialog", name="Rename").count() == 1 and page.wishes() == []


def test_a_key_of_an_input_method_leaves_no_field_of_a_card(page):
    shown = page.open(s.state(s.chat([s.user("Plan it"), s.reply("Here.", id="r", cards=[cards.ALL["malformed"]])])))
    start = shown.get_by_role("textbox", name="start", exact=True)
    start.focus()
    start.evaluate("(field) => field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', isComposing: true, bubbles: true, cancelable: true }))")
    assert start.evaluate("(field) => field === document.activeElement")
    start.evaluate("(field) => field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true }))")
    page.settle()
    assert page.wishes() == []


# MARK: Paper


def test_on_paper_a_chat_is_whole_dark_on_white_and_without_controls(page):
    code = {"kind": "code", "info": "swift", "text": "let a = 1\n" * 80}
    messages = [one for at in range(20) for one in (s.user(f"Question {at}"), s.reply(f"Answer {at}"))]
    shown = page.open(s.state(s.chat([s.user("Go on"), s.reply(code, id="r"), *messages])))
    shown.get_by_text("Answer 19").wait_for()
    folded = shown.locator("parley-code pre").evaluate("(block) => block.clientHeight")
    shown.emulate_media(media="print", color_scheme="dark")
    page.settle()
    assert shown.evaluate("document.documentElement.scrollHeight > 2 * innerHeight"), "all of it, and not what the window shows"
    assert shown.locator("parley-code pre").evaluate("(block) => block.clientHeight") > 2 * folded
    assert shown.evaluate("getComputedStyle(document.body).color") == "rgb(29, 29, 27)"
    assert [shown.get_by_role(kind).count() for kind in ("button", "textbox", "navigation")] == [0, 0, 0]


# MARK: Large letters and narrow screens


@pytest.mark.parametrize("scene", ["models", "cards-asking", "versions"])
def test_letters_of_twice_the_size_need_no_scrolling_sideways(make_page, scene):
    page = make_page(480, 800)
    scenes.show(page, scene)
    page.page.evaluate("document.documentElement.style.fontSize = '200%'")
    page.settle()
    assert page.page.locator(".stage").evaluate("(stage) => stage.scrollWidth <= stage.clientWidth")


@pytest.mark.parametrize("scene", ["chat", "find", "models", "settings", "performance", "notice"])
def test_bars_and_notices_fit_on_a_phone_with_letters_of_twice_the_size(make_page, scene):
    page = make_page(360, 740, has_touch=True, is_mobile=True)
    scenes.show(page, scene)
    page.page.evaluate("document.documentElement.style.fontSize = '200%'")
    page.settle()
    wide = page.page.evaluate("""() => [...document.querySelectorAll(".bar, .find, .notice")].filter((bar) => bar.checkVisibility()
        && (bar.scrollWidth > bar.clientWidth || bar.getBoundingClientRect().right > innerWidth)).map((bar) => bar.className)""")
    assert wide == []


def test_the_tools_of_a_message_fit_on_the_narrowest_phone(make_page):
    page = make_page(320, 600, has_touch=True, is_mobile=True)
    scenes.show(page, "versions")
    assert page.page.locator(".stage").evaluate("(stage) => stage.scrollWidth <= stage.clientWidth")
