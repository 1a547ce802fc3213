# SPDX-License-Identifier: Apache-2.0
"""The key, and whatever goes wrong between page and server: no word is lost, and the page says how it stands."""

import states as s
from conftest import Page

LIVE = "wire.streams.length === 1"


def two(**more):
    return s.state(s.chat([s.user("How far?", id="q"), s.reply("Five miles.", id="r")]), **more)


def field(page):
    return page.page.get_by_role("textbox", name="Message")


def requests(page, start):
    return [one for one in page.page.evaluate("wire.requests") if one.startswith(start)]


def clocked(page, state, path="", **wire):
    """Opens a page whose clock the test moves."""
    page.page.clock.install(time=s.NOW)
    page.page.clock.set_fixed_time = lambda *_: None
    page.open(state, path, **wire)
    page.page.wait_for_function(f"() => {LIVE}")
    page.stop_clock()


def test_the_key_leaves_the_address_and_travels_in_the_header(page):
    shown = page.open(two(), "#key=secret%2F1", key="secret/1")
    shown.get_by_text("Five miles.").wait_for()
    assert "secret" not in shown.url
    assert shown.evaluate("localStorage.getItem('parley.key')") == "secret/1"
    assert not any("secret" in one for one in shown.evaluate("wire.requests"))
    assert shown.context.cookies() == []


def test_a_wrong_key_asks_for_another(page):
    shown = page.open(two(), key="right")
    shown.get_by_text("this page has none").wait_for()
    shown.get_by_label("Key", exact=True).fill("wrong")
    shown.keyboard.press("Enter")
    shown.get_by_role("alert").get_by_text("does not know this key").wait_for()
    shown.get_by_label("Key", exact=True).fill("http://127.0.0.1:8080/#key=right")
    shown.get_by_role("button", name="Use this key").click()
    shown.get_by_text("Five miles.").wait_for()
    shown.get_by_role("dialog").wait_for(state="hidden")


def test_a_key_that_the_server_does_not_know_is_another_thing_than_none(page):
    shown = page.open(two(), "#key=wrong", key="right")
    shown.get_by_text("The server does not know the key this page has").wait_for()
    assert shown.locator("form input[type=password][autocomplete=current-password]").count() == 1


def test_a_reply_is_interrupted_while_the_server_is_gone(page):
    growing = s.state(s.chat([s.user("How far?", id="q"), s.reply(id="r", state="reading", fraction=0.5)], status=s.status(is_generating=True)))
    shown = page.open(growing)
    shown.get_by_text("Reading, 50%").wait_for()
    shown.evaluate("wire.isOffline = true; wire.drop()")
    shown.get_by_text("Interrupted: the server cannot be reached.").wait_for()
    assert shown.get_by_text("writing", exact=True).count() == 0 or not shown.get_by_text("writing", exact=True).first.is_visible()
    assert shown.locator("article[aria-busy]").count() == 0
    shown.get_by_role("button", name="Stop").click(force=True)
    shown.keyboard.press("Escape")
    assert page.wishes("stop") == []
    shown.evaluate("wire.isOffline = false")
    shown.get_by_role("button", name="Try now").click()
    shown.get_by_text("Reading, 50%").wait_for()
    shown.get_by_role("button", name="Stop").click()
    shown.wait_for_function("() => wire.wishes.some((wish) => wish.type === 'stop')")


def test_events_go_on_where_they_ended(page):
    # The clock stands, so that only the button tries again.
    clocked(page, two())
    shown = page.page
    page.push("chat.updated", chat="c1", title="Renamed")
    shown.get_by_role("heading", name="Renamed", level=1).wait_for()
    shown.evaluate("wire.drop()")
    shown.get_by_role("button", name="Try now").click()
    shown.wait_for_function(f"() => {LIVE}")
    assert [one.split("since=")[1] for one in requests(page, "GET events")] == ["e1.10", "e1.11"]
    assert len(requests(page, "GET state")) == 1


def test_events_that_were_seen_change_nothing(page):
    shown = page.open(two())
    shown.wait_for_function(f"() => {LIVE}")
    delta = {"chat": "c1", "id": "r", "part": "blocks", "from": 0, "blocks": [s.paragraph("Six miles.")], "state": "done", "revision": 11}
    shown.evaluate("([data]) => wire.push('message.delta', data)", [delta])
    shown.get_by_text("Six miles.").wait_for()
    shown.evaluate("([data]) => wire.push('message.delta', data)", [{**delta, "blocks": [s.paragraph("Seven")]}])
    page.settle()
    assert shown.get_by_text("Six miles.").is_visible()


def test_a_reset_takes_the_state_anew_and_keeps_the_nodes(page):
    shown = page.open(two())
    shown.wait_for_function(f"() => {LIVE}")
    shown.evaluate("""() => {
        window.kept = document.querySelector("[data-id=q]");
        wire.state = structuredClone(wire.state);
        wire.state.epoch = "e2";
        wire.state.revision = 3;
        wire.state.chat.messages[1].blocks[0].inlines[0].text = "Six miles.";
        wire.push("reset", {});
    }""")
    shown.get_by_text("Six miles.").wait_for()
    assert shown.evaluate("window.kept === document.querySelector('[data-id=q]')")
    shown.wait_for_function(f"() => {LIVE}")
    assert requests(page, "GET events")[-1].endswith("since=e2.4") or requests(page, "GET events")[-1].endswith("since=e2.3")


def test_tries_come_after_1_2_5_and_10_seconds(page):
    clocked(page, two())
    page.page.evaluate("wire.isOffline = true; wire.drop()")
    for seconds in [1, 2, 5, 10, 10]:
        page.page.get_by_text(f"Trying again in {seconds} s.").wait_for()
        count = len(requests(page, "GET events"))
        page.page.clock.run_for(seconds * 1000 - 600)
        assert len(requests(page, "GET events")) == count
        page.page.clock.run_for(700)
        page.page.wait_for_function("(count) => wire.requests.filter((one) => one.startsWith('GET events')).length === count + 1", arg=count)
    page.page.evaluate("wire.isOffline = false")
    page.page.get_by_role("button", name="Try now").click()
    page.page.wait_for_function(f"() => {LIVE}")
    page.page.get_by_role("region", name="The server cannot be reached.").wait_for(state="hidden")


def test_what_is_sent_while_the_server_is_gone_arrives_once_when_it_is_back(page):
    shown = page.open(two())
    shown.wait_for_function(f"() => {LIVE}")
    shown.evaluate("wire.isOffline = true; wire.drop()")
    shown.get_by_text("Your text is kept").first.wait_for()
    field(page).fill("And back?")
    field(page).press("Enter")
    shown.get_by_text("This is sent as soon as the server is back: And back?").last.wait_for()
    assert page.wishes("send") == []
    shown.evaluate("wire.isOffline = false")
    shown.get_by_role("button", name="Try now").click()
    shown.wait_for_function("() => wire.wishes.length === 1")
    page.settle()
    assert [wish["text"] for wish in page.wishes("send")] == ["And back?"]
    assert field(page).input_value() == ""


def test_what_is_written_while_a_message_is_on_its_way_is_not_lost(page):
    shown = page.open(two(), holds=["send"])
    field(page).fill("And back?")
    field(page).press("Enter")
    shown.wait_for_function("() => wire.held.length === 1")
    field(page).fill("And then?")
    field(page).press("Enter")
    page.settle()
    send = shown.get_by_role("button", name="Send")
    assert (field(page).input_value(), send.get_attribute("aria-disabled")) == ("And then?", "true")
    shown.evaluate("wire.release()")
    shown.wait_for_function("() => !document.querySelector('button[aria-label=Send]').hasAttribute('aria-disabled')")
    field(page).press("Enter")
    shown.wait_for_function("() => wire.wishes.length === 2")
    assert [wish["text"] for wish in page.wishes("send")] == ["And back?", "And then?"]


def test_a_message_that_the_network_alone_lost_is_sent_again(page):
    shown = page.open(two())
    shown.get_by_text("Five miles.").wait_for()
    shown.evaluate("wire.isOffline = true")
    field(page).fill("And back?")
    field(page).press("Enter")
    shown.get_by_text("This is sent as soon as the server is back: And back?").last.wait_for()
    shown.evaluate("wire.isOffline = false")
    # The stream of events has noticed nothing.
    shown.wait_for_function("() => wire.wishes.length === 1")
    shown.get_by_role("button", name="Take back").wait_for(state="detached")
    assert [wish["text"] for wish in page.wishes("send")] == ["And back?"]
    assert len(requests(page, "GET events")) == 1


def test_what_waits_can_be_taken_back_and_survives_a_reload(page):
    shown = page.open(two())
    shown.wait_for_function(f"() => {LIVE}")
    shown.evaluate("wire.isOffline = true; wire.drop()")
    shown.get_by_text("Your text is kept").first.wait_for()
    field(page).fill("And back?")
    field(page).press("Enter")
    shown.get_by_role("button", name="Take back").click()
    assert field(page).input_value() == "And back?"
    field(page).press("Enter")
    shown.get_by_role("button", name="Take back").wait_for()
    shown.reload()
    shown.wait_for_function("() => wire.wishes.length === 1")
    assert page.wishes("send")[0]["text"] == "And back?"


def test_a_wish_that_is_refused_gives_the_words_back(page):
    shown = page.open(two(), answers={"send": {"error": "The disk is full.", "status": 507}})
    field(page).fill("And back?")
    field(page).press("Enter")
    shown.get_by_role("alert").get_by_text("The disk is full.").wait_for()
    assert field(page).input_value() == "And back?"


def chats():
    return {"c1": two(), "c2": s.state(s.chat([s.user("Other")], id="c2", title="Other chat"))}


def leave(page):
    """Goes to another chat."""
    page.page.get_by_role("link", name="Why do kernels differ by a bit?").click()
    page.page.get_by_role("heading", name="Other chat", level=1).wait_for()


def come_back(page):
    page.page.go_back()
    page.page.get_by_text("Five miles.").wait_for()


def send_and_hold(page, **wire):
    """Sends a message that is refused when its answer is released."""
    shown = page.open(two(), answers={"send": {"error": "The disk is full.", "status": 507}}, holds=["send"], **wire)
    field(page).fill("And back?")
    field(page).press("Enter")
    shown.wait_for_function("() => wire.held.length === 1")
    return shown


def test_words_that_are_refused_when_another_chat_is_shown_are_kept_for_theirs(page):
    shown = send_and_hold(page, states=chats())
    field(page).fill("And then?")
    leave(page)
    shown.evaluate("wire.release()")
    shown.get_by_role("alert").get_by_text("The disk is full.").wait_for()
    assert field(page).input_value() == ""
    come_back(page)
    assert field(page).input_value() == "And back?\nAnd then?"


def test_words_that_are_refused_during_an_edit_outlive_it(page):
    shown = send_and_hold(page)
    field(page).press("ArrowUp")
    shown.evaluate("wire.release()")
    shown.get_by_role("alert").get_by_text("The disk is full.").wait_for()
    assert field(page).input_value() == "How far?"
    field(page).press("Escape")
    assert field(page).input_value() == "And back?"


def test_a_message_that_is_taken_back_for_a_chat_that_was_left_replaces_nothing_there(page):
    shown = page.open(two(), states=chats(), answers={"recall": {"text": "What is this?"}}, holds=["recall"])
    page.status(unsent={"text": "What is this?"})
    field(page).fill("Half a thought")
    shown.get_by_role("button", name="Take back").click()
    shown.wait_for_function("() => wire.held.length === 1")
    leave(page)
    shown.evaluate("wire.release()")
    shown.wait_for_function("() => Object.values(localStorage).some((kept) => kept.includes('What is this?'))")
    come_back(page)
    assert field(page).input_value() == "What is this?\nHalf a thought"


def test_what_was_typed_in_a_chat_that_is_deleted_comes_back_with_it(page):
    shown = page.open(two(), states=chats())
    field(page).fill("half a thou")
    leave(page)
    shown.get_by_role("button", name="Menu of A walk in Bern").click()
    shown.get_by_role("menuitem", name="Delete chat").click()
    undo = shown.get_by_role("button", name="Undo")
    undo.wait_for()
    assert not shown.evaluate("Object.values(localStorage).some((kept) => kept.includes('half a thou'))")
    undo.click()
    undo.wait_for(state="detached")
    come_back(page)
    assert field(page).input_value() == "half a thou"


def test_a_draft_survives_a_reload_and_belongs_to_its_chat(page):
    shown = page.open(two(), states=chats())
    field(page).fill("half a thou")
    leave(page)
    assert field(page).input_value() == ""
    shown.go_back()
    shown.get_by_text("Five miles.").wait_for()
    shown.reload()
    shown.get_by_text("Five miles.").wait_for()
    assert field(page).input_value() == "half a thou"


def test_the_last_letters_before_a_reload_stay(page):
    shown = page.open(two())
    shown.get_by_text("Five miles.").wait_for()
    field(page).fill("half a thou")
    shown.reload()
    shown.get_by_text("Five miles.").wait_for()
    assert field(page).input_value() == "half a thou"


def tab(page):
    """Another tab of the same browser."""
    other = Page(page.page.context.new_page(), page.address)
    other.open(two())
    other.page.get_by_text("Five miles.").wait_for()
    return other


def test_two_tabs_have_a_draft_each_and_the_next_one_goes_on_with_what_a_closed_one_left(page):
    page.open(two())
    page.page.get_by_text("Five miles.").wait_for()
    other = tab(page)
    for one, words in ((page, "Half a thought"), (other, "Another one")):
        field(one).fill(words)
        one.page.wait_for_function("(words) => Object.values(localStorage).some((kept) => kept.includes(words))", arg=words)
    for one, words in ((page, "Half a thought"), (other, "Another one")):
        one.page.reload()
        one.page.get_by_text("Five miles.").wait_for()
        assert field(one).input_value() == words
    field(page).press("Enter")
    page.page.wait_for_function("() => Object.values(localStorage).every((kept) => !kept.includes('Half a thought'))")
    other.page.close()
    # What one tab has sent is gone, and what another one has not is there.
    assert field(tab(page)).input_value() == "Another one"


def test_what_two_tabs_send_while_the_server_is_gone_arrives(page):
    page.open(two())
    page.page.get_by_text("Five miles.").wait_for()
    tabs = [(page, "And back?"), (tab(page), "And then?")]
    for one, words in tabs:
        one.page.evaluate("wire.isOffline = true; wire.drop()")
        one.page.get_by_text("Your text is kept").first.wait_for()
        field(one).fill(words)
        field(one).press("Enter")
        one.page.get_by_text(f"This is sent as soon as the server is back: {words}").last.wait_for()
    for one, words in tabs:
        one.page.evaluate("wire.isOffline = false")
        one.page.wait_for_function("() => wire.wishes.some((wish) => wish.type === 'send')")
        one.settle()
        assert [wish["text"] for wish in one.wishes("send")] == [words]


def left_for_a_chat_that_does_not_come(page):
    """The page of a chat, from which another one is opened while the server is gone."""
    shown = page.open(two(), states={"c2": s.state(s.chat([s.user("Other")], id="c2", title="Other chat"))})
    shown.get_by_text("Five miles.").wait_for()
    shown.evaluate("wire.isOffline = true")
    shown.get_by_role("link", name="Why do kernels differ by a bit?").click()
    shown.get_by_text("The server cannot be reached. Trying").wait_for()
    return shown


def test_a_chat_that_is_opened_while_the_server_is_gone_comes_when_it_is_back(page):
    shown = left_for_a_chat_that_does_not_come(page)
    shown.evaluate("wire.isOffline = false")
    shown.get_by_role("heading", name="Other chat", level=1).wait_for()


def test_going_back_from_a_chat_that_never_came_stays_at_the_one_before(page):
    shown = left_for_a_chat_that_does_not_come(page)
    shown.go_back()
    shown.evaluate("wire.isOffline = false")
    shown.wait_for_function(f"() => {LIVE}")
    page.settle()
    assert shown.get_by_role("heading", name="Other chat", level=1).count() == 0
    assert shown.get_by_text("Five miles.").is_visible()
    field(page).fill("And back?")
    field(page).press("Enter")
    shown.wait_for_function("() => wire.wishes.some((wish) => wish.type === 'send')")


def test_a_tab_that_is_closed_leaves_what_another_one_has_taken_over_and_cleared(page):
    page.open(two())
    page.page.get_by_text("Five miles.").wait_for()
    field(page).fill("Half a thought")
    page.page.wait_for_function("() => Object.values(localStorage).some((kept) => kept.includes('Half a thought'))")
    other = tab(page)
    assert field(other).input_value() == "Half a thought"
    field(other).fill("")
    other.page.wait_for_function("() => Object.values(localStorage).every((kept) => !kept.includes('Half a thought'))")
    page.page.reload()
    other.page.wait_for_function("() => Object.values(localStorage).some((kept) => kept.includes('Half a thought'))")


def test_what_another_tab_takes_back_is_not_sent(page):
    page.open(two())
    page.page.get_by_text("Five miles.").wait_for()
    other = tab(page)
    page.page.evaluate("wire.isOffline = true; wire.drop()")
    page.page.get_by_text("Your text is kept").first.wait_for()
    field(page).fill("And back?")
    field(page).press("Enter")
    waiting = page.page.get_by_text("This is sent as soon as the server is back: And back?").last
    waiting.wait_for()
    identity = page.page.evaluate(
        "() => Object.values(sessionStorage).map((kept) => JSON.parse(kept)).find((kept) => kept?.pending)?.pending.id")
    other.page.evaluate("(id) => localStorage.setItem('parley.cancelled', id)", identity)
    waiting.wait_for(state="hidden")
    page.page.evaluate("wire.isOffline = false")
    page.page.wait_for_function(f"() => {LIVE}")
    page.settle()
    assert page.wishes("send") == []


def test_what_is_typed_before_the_first_answer_stays(page):
    shown = page.open(False)
    shown.get_by_text("The server is starting.").wait_for()
    field(page).fill("early")
    shown.evaluate("(state) => { wire.state = state; }", two())
    shown.get_by_role("button", name="Try now").click()
    shown.get_by_text("Five miles.").wait_for()
    assert field(page).input_value() == "early"


def test_a_hidden_tab_gives_its_stream_back_and_goes_on_when_it_is_seen(page):
    clocked(page, two())
    hide = "(is) => { Object.defineProperty(document, 'hidden', { value: is, configurable: true }); document.dispatchEvent(new Event('visibilitychange')); }"
    page.page.evaluate(hide, True)
    page.page.clock.run_for(9_000)
    assert page.page.evaluate(LIVE)
    page.page.clock.run_for(2_000)
    assert page.page.evaluate("wire.streams.length") == 0
    page.page.evaluate(hide, False)
    page.page.wait_for_function(f"() => {LIVE}")
    assert len(requests(page, "GET state")) == 1
    assert page.page.get_by_role("region", name="The server cannot be reached.").count() == 0


def test_a_stream_that_falls_silent_is_given_up(page):
    clocked(page, two())
    page.page.clock.run_for(17_000)
    page.page.wait_for_function("() => wire.requests.filter((one) => one.startsWith('GET events')).length >= 2 || document.body.innerText.includes('Trying again')")


def test_an_old_page_offers_the_new_one(page):
    shown = page.open(two())
    shown.wait_for_function(f"() => {LIVE}")
    shown.evaluate("wire.state.page = '2'; wire.push('reset', {})")
    shown.get_by_role("button", name="Reload for the new version").click()
    shown.get_by_text("Five miles.").wait_for()
    assert not shown.get_by_role("button", name="Reload for the new version").is_visible()


def test_a_server_that_is_not_ready_is_asked_again(page):
    shown = page.open(False)
    shown.get_by_text("The server is starting.").wait_for()
    shown.evaluate("(state) => { wire.state = state; }", two())
    shown.get_by_text("Five miles.").wait_for()


def test_earlier_messages_come_when_asked_for_and_nothing_jumps(page):
    recent = [one for at in range(20) for one in (s.user(f"Question {at}", id=f"q{at}"), s.reply(f"Answer {at}", id=f"a{at}"))]
    older = [s.user(f"Old {at}", id=f"o{at}") for at in range(30)]
    shown = page.open(s.state(s.chat(recent, earlier=30)), earlier=[{"messages": older, "earlier": 0}])
    shown.get_by_text("Answer 19").wait_for()
    shown.locator("main").evaluate("(main) => main.scrollTop = 0")
    page.settle()
    place = "document.querySelector('[data-id=q0]').getBoundingClientRect().top"
    before = shown.evaluate(place)
    shown.get_by_role("button", name="Show earlier messages (30)").click()
    shown.locator("[data-id=o29]").wait_for()
    page.settle()
    assert requests(page, "GET messages") == ["GET messages?chat=c1&before=q0"]
    assert not shown.get_by_role("button", name="Show earlier messages").is_visible()
    assert abs(shown.evaluate(place) - before) < 60
    assert shown.evaluate("document.activeElement.closest('parley-message').dataset.id") == "o29"


def test_earlier_messages_stay_when_the_state_is_taken_anew(page):
    recent = [s.user("Question", id="q"), s.reply("Answer", id="a")]
    older = [s.user(f"Old {at}", id=f"o{at}") for at in range(30)]
    shown = page.open(s.state(s.chat(recent, earlier=30)), earlier=[{"messages": older, "earlier": 0}])
    shown.get_by_role("button", name="Show earlier messages (30)").click()
    shown.locator("[data-id=o29]").wait_for()
    shown.evaluate("window.old = document.querySelector('[data-id=o29]')")
    shown.evaluate("wire.push('reset', {})")
    shown.wait_for_function("() => wire.requests.filter((one) => one.startsWith('GET events')).length === 2")
    page.settle()
    assert shown.evaluate("window.old.isConnected") and shown.locator("parley-message").count() == 32
    assert not shown.get_by_role("button", name="Show earlier messages").is_visible()
    # Another number before the same message: they are no longer those.
    shown.evaluate("wire.state = structuredClone(wire.state); wire.state.chat.earlier = 29; wire.push('reset', {})")
    shown.get_by_role("button", name="Show earlier messages (29)").wait_for()
    assert shown.locator("parley-message").count() == 2


def test_notices_wait_while_somebody_is_at_them_and_stay_in_the_list(page):
    clocked(page, two())
    page.push("notice", notice={"id": "n1", "kind": "error", "text": "The disk is full.", "date": s.NOW})
    notice = page.page.get_by_role("alert").get_by_text("The disk is full.")
    notice.wait_for()
    notice.hover()
    page.page.clock.run_for(500)
    page.page.clock.run_for(20_000)
    assert notice.is_visible()
    assert page.wishes("holdNotices")[0]["on"] is True
    page.page.mouse.move(10, 10)
    page.page.clock.run_for(500)
    page.page.clock.run_for(20_000)
    assert not notice.is_visible()
    page.push("notice", notice={"id": "n2", "kind": "error", "text": "It is still full.", "date": s.NOW})
    notice = page.page.get_by_role("alert").get_by_text("It is still full.")
    notice.wait_for()
    page.page.get_by_role("button", name="Dismiss").focus()
    page.page.clock.run_for(500)
    page.page.clock.run_for(20_000)
    assert notice.is_visible(), "the focus holds it as well"
    field(page).focus()
    page.page.clock.run_for(500)
    page.page.clock.run_for(20_000)
    assert not notice.is_visible()
    page.page.get_by_role("button", name="Notices, 2 unread").click()
    assert "The disk is full." in page.page.get_by_role("dialog", name="Notices").inner_text()


def test_a_notice_over_a_dialog_is_within_reach_and_stays_when_the_dialog_closes(page):
    shown = page.open(two())
    shown.get_by_text("Five miles.").wait_for()
    shown.keyboard.press("Control+Slash")
    dialog = shown.get_by_role("dialog", name="Keyboard shortcuts")
    page.push("notice", notice={"id": 1, "kind": "error", "text": "The disk is full.", "date": s.NOW}, chat="c1")
    dialog.get_by_role("alert").get_by_text("The disk is full.").wait_for()
    dismiss = dialog.get_by_role("button", name="Dismiss")
    dismiss.focus()
    shown.keyboard.press("Enter")
    dismiss.wait_for(state="detached")
    assert dialog.evaluate("(dialog) => dialog.contains(document.activeElement)"), "the focus is not lost behind the dialog"
    page.push("notice", notice={"id": 2, "kind": "error", "text": "It is still full.", "date": s.NOW}, chat="c1")
    dialog.get_by_role("alert").get_by_text("It is still full.").wait_for()
    shown.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    shown.get_by_role("alert").get_by_text("It is still full.").wait_for()
    shown.get_by_role("button", name="Dismiss").click()
    shown.get_by_text("It is still full.").wait_for(state="detached")


def test_a_notice_that_goes_does_not_have_the_others_spoken_again(page):
    shown = page.open(two())
    shown.get_by_text("Five miles.").wait_for()
    for number, words in enumerate(["One.", "Two."], 1):
        page.push("notice", notice={"id": number, "kind": "error", "text": words, "date": s.NOW}, chat="c1")
        shown.get_by_role("alert").get_by_text(words).wait_for()
    shown.evaluate("document.querySelector('.notices').addEventListener('beforetoggle', () => { window.toggled = true; })")
    shown.get_by_role("button", name="Dismiss").first.click()
    shown.get_by_role("alert").get_by_text("One.").wait_for(state="detached")
    assert shown.get_by_role("alert").get_by_text("Two.").is_visible()
    assert shown.evaluate("window.toggled ?? false") is False


def test_a_message_that_need_not_wait_any_longer_is_sent(page):
    state = s.state(s.chat([s.user("Go on"), s.reply("It goes", id="r", state="writing")], status=s.status(is_generating=True)))
    shown = page.open(state, answers={"queue": {"error": "No reply is being written.", "status": 409}})
    field(page).fill("And back?")
    field(page).press("Enter")
    shown.wait_for_function("() => wire.wishes.length === 2")
    page.settle()
    assert [(wish["type"], wish["text"]) for wish in page.wishes()] == [("queue", "And back?"), ("send", "And back?")]
    assert field(page).input_value() == ""
