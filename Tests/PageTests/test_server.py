# SPDX-License-Identifier: Apache-2.0
"""The page and the program together: whatever is reloaded, closed or killed, no word is lost."""

import contextlib
import json
import os
import re
import shlex
import subprocess
import sys
import urllib.request

from conftest import PAGE, PATIENCE, POLICY, kept, until_sendable

MARKDOWN = "# Rivers\n\nThe **Aare** flows through `Bern`.\n\n```swift\nlet a = 1\n```\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n- [x] done\n\n⏸end⏸The end."


def field(page):
    return page.get_by_role("textbox", name="Message")


def say(page, words):
    field(page).fill(words)
    until_sendable(page)
    field(page).press("Enter")


def asked(program, path):
    """What the program answers to a request of the page's."""
    base, key = program.address.split("#key=")
    return urllib.request.urlopen(urllib.request.Request(f"{base}app/v1/{path}", headers={"Authorization": f"Bearer {key}"}), timeout=PATIENCE / 1000)


def replies(page):
    return page.locator("parley-message[data-author=assistant] .body")


def seen(page, words, **more):
    """Waits for words in a reply; the same words may be spoken, or be part of a suggestion."""
    replies(page).get_by_text(words).last.wait_for(**more)


def ready(page):
    page.get_by_role("button", name="Model of this chat").wait_for()
    page.get_by_role("button", name="Send").wait_for()


def test_a_reply_is_written_and_stays(start_program, make_page):
    program = start_program({"replies": {"rivers": MARKDOWN}})
    shown = make_page().visit(program.address)
    ready(shown)
    assert "key=" not in shown.url
    say(shown, "Tell me of rivers")
    seen(shown, "flows through")
    assert shown.get_by_role("button", name="Stop").is_visible()
    program.open_gate("end")
    seen(shown, "The end.")
    ready(shown)
    whole = replies(shown).last.evaluate("(body) => body.cloneNode(true).innerHTML")
    shown.reload()
    seen(shown, "The end.")
    assert replies(shown).last.evaluate("(body) => body.cloneNode(true).innerHTML") == whole
    assert shown.locator("parley-code .language").inner_text() == "swift"


def test_formulas_stay_as_they_were_written_and_can_be_copied(start_program, make_page):
    whole = r"x_1 = \frac{-b_1 + \sqrt{b_1^2 - 4ac}}{2a}"
    program = start_program({"replies": {"solve": f"With \\(a_0\\) and \\(b_1^2*c_1^2 > 0\\):\n\\[\n{whole}\n\\]\nThat costs $5 or $6, \\[really\\]."}})
    shown = make_page().visit(program.address)
    ready(shown)
    say(shown, "solve it")
    seen(shown, "That costs $5 or $6, [really].")
    ready(shown)
    shown.evaluate("navigator.clipboard.writeText = async (words) => { window.copied = words; }")
    assert shown.locator(".formula code").all_inner_texts() == ["a_0", "b_1^2*c_1^2 > 0"]
    assert shown.locator("parley-code .language").inner_text() == "formula"
    copies = shown.get_by_role("button", name="Copy formula")
    assert copies.count() == 2, "a name alone needs no button"
    for button, words in ((copies.first, "b_1^2*c_1^2 > 0"), (copies.last, whole)):
        button.click()
        shown.wait_for_function("(words) => window.copied === words", arg=words)
    # By the keyboard: a message is opened by Enter, and its buttons are reached by Tab.
    shown.evaluate("window.copied = null")
    shown.locator("parley-message[data-author=assistant] .message").focus()
    shown.keyboard.press("Enter")
    copies.first.focus()
    assert copies.first.get_attribute("tabindex") == "0"
    shown.keyboard.press("Enter")
    shown.wait_for_function("() => window.copied === 'b_1^2*c_1^2 > 0'")
    assert replies(shown).last.locator("em").count() == 0


def test_a_reload_while_a_reply_is_written_loses_nothing(start_program, make_page):
    program = start_program({"replies": {"slow": "One ⏸a⏸two ⏸b⏸three."}})
    shown = make_page().visit(program.address)
    ready(shown)
    say(shown, "slow")
    seen(shown, "One")
    shown.reload()
    seen(shown, "One")
    assert shown.get_by_role("button", name="Stop").is_visible()
    program.open_gate("a")
    seen(shown, "One two")
    program.open_gate("b")
    seen(shown, "One two three.")
    ready(shown)


def test_two_tabs_show_the_same(start_program, make_page):
    program = start_program({"replies": {"slow": "One ⏸a⏸two."}})
    first, second = make_page().visit(program.address), make_page().visit(program.address)
    ready(first)
    say(first, "slow")
    seen(first, "One")
    second.goto(program.address.split("#")[0] + first.url[first.url.index("#"):])
    seen(second, "One")
    program.open_gate("a")
    seen(first, "One two.")
    seen(second, "One two.")
    say(second, "And from here")
    seen(first, "You wrote: And from here")


def test_a_server_killed_in_mid_reply_comes_back_with_what_was_written(start_program, make_page):
    program = start_program({"replies": {"slow": "One two three ⏸a⏸four."}})
    shown = make_page().visit(program.address)
    ready(shown)
    say(shown, "slow")
    seen(shown, "One two three")
    kept(program.home, "One two three")
    program.kill()
    shown.get_by_text("The server cannot be reached. Trying").wait_for()
    say(shown, "Written meanwhile")
    shown.get_by_text("This is sent as soon as").first.wait_for()
    program.start()
    shown.get_by_role("button", name="Try now").click()
    seen(shown, "You wrote: Written meanwhile")
    assert "One two three" in shown.get_by_role("log").inner_text()


def test_an_address_that_names_no_chat_shows_the_last_one(start_program, make_page):
    program = start_program({"replies": {}})
    shown = make_page().visit(program.address)
    ready(shown)
    say(shown, "Here")
    seen(shown, "You wrote: Here")
    own = shown.url
    for name in ("foo", "%E0%A4%A"):
        shown.goto("about:blank")
        shown.goto(f"{own.split('#')[0]}#/chat/{name}")
        seen(shown, "You wrote: Here")
        assert shown.url == own


def test_stop_keeps_what_was_written(start_program, make_page):
    program = start_program({"replies": {"slow": "One two ⏸a⏸three."}})
    shown = make_page().visit(program.address)
    ready(shown)
    say(shown, "slow")
    seen(shown, "One two")
    shown.get_by_role("button", name="Stop").click()
    shown.get_by_text("Stopped.").wait_for()
    assert "One two" in replies(shown).last.inner_text()
    assert shown.get_by_role("button", name="Continue").is_visible()


def test_a_queued_message_is_sent_after_the_reply(start_program, make_page):
    program = start_program({"replies": {"slow": "One ⏸a⏸two."}})
    shown = make_page().visit(program.address)
    ready(shown)
    say(shown, "slow")
    seen(shown, "One")
    say(shown, "And then")
    shown.get_by_text("Sent when this reply is finished:").first.wait_for()
    program.open_gate("a")
    seen(shown, "You wrote: And then")


def test_versions_by_regenerating_and_editing(start_program, make_page):
    program = start_program({"replies": {"rivers": "The Aare."}})
    shown = make_page().visit(program.address)
    ready(shown)
    say(shown, "rivers")
    seen(shown, "The Aare.")
    ready(shown)
    (program.home / "script.json").write_text(json.dumps({"replies": {"rivers": "The Rhine."}}))
    shown.keyboard.press("Control+Shift+Period")
    seen(shown, "The Rhine.")
    shown.get_by_text("2 of 2").wait_for()
    shown.get_by_role("button", name="Earlier version").last.click()
    seen(shown, "The Aare.")
    field(shown).focus()
    shown.keyboard.press("ArrowUp")
    say(shown, "lakes")
    seen(shown, "You wrote: lakes")
    assert replies(shown).get_by_text("The Aare.").count() == 0


def test_a_card_is_confirmed_once_and_undone(start_program, make_page):
    call = '[NOTE_ACTION:{"action":"create","title":"Milk","body":"two litres"}]'
    program = start_program({"replies": {"note": f"Noted. {call}"}})
    shown = make_page().visit(program.address)
    ready(shown)
    say(shown, "note milk")
    card = shown.locator("parley-card")
    card.get_by_role("heading").wait_for()
    assert "NOTE_ACTION" not in shown.get_by_role("log").inner_text()
    if (confirm := card.get_by_role("button", name="Create")).count():
        confirm.dblclick()
    card.get_by_role("button", name="Undo").wait_for()
    state = json.load(asked(program, "state"))
    card.get_by_role("button", name="Undo").click()
    card.get_by_text("Taken back").wait_for()
    # Only the card is told, not the message with all its text.
    events = asked(program, f"events?chat={state['chat']['id']}&since={state['epoch']}.{state['revision']}")
    told = (line.decode().removeprefix("event: ").strip() for line in events if line.startswith(b"event: "))
    assert next(kind for kind in told if kind in ("card.updated", "message.updated")) == "card.updated"
    events.close()


def test_undoing_a_move_leads_back_into_the_conflict(start_program, make_page):
    """A card in conflict has its buttons, whatever was done and undone before; the free times on them are named."""
    def call(title):
        return f'[CALENDAR_ACTION:{{"action":"create","title":"{title}","start":"tomorrow at 10:00","end":"15:00"}}]'
    program = start_program({"replies": {"one": f"Made. {call('Travel')}", "two": f"Made. {call('Review')}"}})
    shown = make_page().visit(program.address)
    ready(shown)
    say(shown, "one")
    shown.get_by_role("heading", name="New event “Travel”").wait_for()
    ready(shown)
    say(shown, "two")
    card = shown.locator("parley-card").last
    card.get_by_text("At the same time").wait_for()
    choices = card.get_by_role("button").all_inner_texts()
    assert choices[:2] == ["Keep both", "Delete the new one"] and len(choices) > 2
    # Five hours stay five hours.
    for label in choices[2:]:
        start, end = re.fullmatch(r"Move to .*, (\d\d):\d\d–(\d\d):\d\d", label).groups()
        assert int(end) - int(start) == 5, label
    card.get_by_role("button", name=choices[2]).click()
    card.get_by_text("Moved", exact=True).wait_for()
    assert card.get_by_text("At the same time").count() == 0
    card.get_by_role("button", name="Undo").click()
    card.get_by_text("At the same time").wait_for()
    assert card.get_by_role("button").all_inner_texts() == choices
    card.get_by_role("button", name="Delete the new one").click()
    card.get_by_text("Taken back").wait_for()


def test_a_block_without_its_brackets_is_a_card_to_be_looked_at(start_program, make_page):
    call = 'NOTE_ACTION:{"action":"create","title":"Milk","body":"two litres"}'
    program = start_program({"replies": {"note": f"Noted.\n{call}"}})
    shown = make_page().visit(program.address)
    ready(shown)
    say(shown, "note")
    card = shown.locator("parley-card")
    card.get_by_text("Not understood").wait_for()
    assert "NOTE_ACTION" not in shown.get_by_role("log").inner_text()
    # Nothing is done before the user has looked at it, and agreed.
    assert list(program.home.rglob("*ilk*.md")) == []
    card.get_by_role("button", name="Use the corrected values").click()
    card.get_by_role("button", name="Create").click()
    card.get_by_text("Done", exact=True).wait_for()
    assert len(list(program.home.rglob("*ilk*.md"))) == 1


def test_the_program_says_how_it_is_called(start_program):
    program = start_program({"replies": {}})
    told = subprocess.run([*shlex.split(program.command), "--help"], capture_output=True, text=True, timeout=PATIENCE / 1000)
    assert told.returncode == 0 and "--page FOLDER" in told.stdout and told.stderr == ""
    told = subprocess.run([*shlex.split(program.command), "--port"], capture_output=True, text=True, timeout=PATIENCE / 1000)
    assert told.returncode == 64 and "usage:" in told.stderr and told.stdout == ""


def test_chats_are_listed_searched_renamed_deleted_and_restored(start_program, make_page):
    program = start_program({"replies": {}})
    shown = make_page().visit(program.address)
    ready(shown)
    say(shown, "About kernels")
    seen(shown, "You wrote: About kernels")
    ready(shown)
    shown.keyboard.press("Control+Shift+O")
    shown.get_by_text("What can I do for you?").wait_for()
    say(shown, "About rivers")
    seen(shown, "You wrote: About rivers")
    shown.keyboard.press("Control+k")
    shown.get_by_role("combobox").fill("kernels")
    shown.get_by_role("option").first.wait_for()
    shown.keyboard.press("Enter")
    seen(shown, "You wrote: About kernels")
    shown.get_by_role("button", name="Chat menu").click()
    shown.get_by_role("menuitem", name="Rename").click()
    shown.get_by_label("Title of the chat").fill("Sums")
    shown.keyboard.press("Enter")
    shown.get_by_role("heading", name="Sums", level=1).wait_for()
    shown.get_by_role("button", name="Chat menu").click()
    shown.get_by_role("menuitem", name="Delete chat").click()
    shown.get_by_role("heading", name="About rivers", level=1).wait_for()
    shown.get_by_role("button", name="Undo").click()
    shown.get_by_role("heading", name="Sums", level=1).wait_for()


def test_the_first_model_is_fetched(start_program, make_page):
    program = start_program({"empty": True})
    shown = make_page().visit(program.address)
    shown.get_by_role("button", name="Fetch Scripted").click()
    program.open_gate("fetch-1")
    shown.get_by_text("10%").wait_for()
    for part in range(2, 11):
        program.open_gate(f"fetch-{part}")
    shown.get_by_text("What can I do for you?").wait_for()


def test_a_benchmark_sets_engines_side_by_side_and_leaves_the_model_as_it_was(start_program, make_page):
    program = start_program({"engines": ["one", "two"], "otherwise": "word " * 80})
    shown = make_page().visit(program.address)
    ready(shown)
    shown.get_by_role("link", name="Performance").click()
    choice = shown.get_by_role("group", name="Engines")
    choice.get_by_role("checkbox", name="two").wait_for()
    shown.get_by_role("group", name="Models").get_by_role("checkbox", name="scripted-tools").check()
    shown.get_by_role("button", name="Start").click()
    lines = shown.locator(".results tbody tr")
    lines.nth(3).wait_for()
    shown.get_by_role("button", name="Start").wait_for()
    cells = [lines.nth(at).locator("td").all_inner_texts() for at in range(4)]
    assert [line[:3] for line in cells] == [[engine, model, "512"] for model in ("scripted", "scripted-tools") for engine in ("one", "two")]
    assert all(re.fullmatch(r"[\d,.]+\s+[\d,.]+–[\d,.]+", line[4]) for line in cells), cells
    shown.get_by_role("link", name="Models").click()
    shown.get_by_role("button", name="Unload: scripted", exact=True).wait_for()
    assert shown.locator(".model").count() == 2 + shown.get_by_role("region", name="Catalog").locator(".model").count()
    needed = shown.locator(".model").first.locator(".facts > div", has_text="Memory needed").locator("dd").inner_text()
    # The figures have it too, although nobody looked at them from the beginning.
    shown.get_by_role("link", name="Performance").click()
    shown.locator(".charts").wait_for()
    # What a model needs is one figure, on whichever screen.
    assert shown.locator(".shares tbody", has_text="scripted").first.get_by_role("row", name="Needed").get_by_role("cell").first.inner_text() == needed


def test_a_wrong_key_asks_for_another(start_program, make_page):
    program = start_program({"replies": {}})
    shown = make_page().visit(program.address.split("#")[0] + "#key=wrong")
    shown.get_by_label("Key", exact=True).fill(program.address)
    shown.keyboard.press("Enter")
    ready(shown)


def test_the_page_comes_with_what_keeps_it_safe_and_is_kept_by_the_browser(start_program, make_page):
    program = start_program({"replies": {}}, page=())
    shown = make_page().visit(program.address)
    ready(shown)
    told = shown.evaluate("""async () => {
        const headers = async (path, options) => {
            const answer = await fetch(path, { cache: "no-store", ...options });
            return [answer.status, Object.fromEntries(answer.headers)];
        };
        const script = document.querySelector("script[src]").src;
        const tag = (await headers(script))[1].etag;
        return { index: await headers("/"), script: await headers(script), same: await headers(script, { headers: { "If-None-Match": tag } }),
                 gone: await headers(script.replace(/page.[0-9a-f]+/, "page/old")), state: await headers("/app/v1/state"), script_path: new URL(script).pathname };
    }""")
    status, index = told["index"]
    assert (status, index["cache-control"]) == (200, "no-cache")
    for name, value in {
        "content-security-policy": POLICY, "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin", "permissions-policy": "microphone=(self)",
    }.items():
        assert index[name] == value
    status, script = told["script"]
    assert status == 200 and script["etag"].strip('"') in told["script_path"]
    assert "immutable" in script["cache-control"] and script["content-type"].startswith("text/javascript")
    assert [told[name][0] for name in ("same", "gone", "state")] == [304, 404, 401], "nothing is told without a key"


def tiny_disk(folder):
    """A disk of a megabyte; none where one may not be made."""
    folder.mkdir(parents=True)
    made = sys.platform == "linux" and os.geteuid() == 0 and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], capture_output=True).returncode == 0
    return made


def test_a_full_disk_is_told_and_loses_no_word(start_program, make_page, tmp_path):
    # Elsewhere the page is told the same by `test_connection.py`, without a disk.
    home = tmp_path / "home-0"
    is_disk = tiny_disk(home)
    try:
        program = start_program({"replies": {}})
        shown = make_page().visit(program.address)
        ready(shown)
        say(shown, "Before")
        seen(shown, "You wrote: Before")
        ready(shown)
        filler = home / "filler"
        if is_disk:
            with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
                while True:
                    file.write(b"0" * 4096)
        say(shown, "Meanwhile")
        seen(shown, "You wrote: Meanwhile")
        ready(shown)
        if is_disk:
            shown.get_by_role("alert").get_by_text(re.compile("space|disk", re.I)).first.wait_for()
            filler.unlink()
        say(shown, "Afterwards")
        seen(shown, "You wrote: Afterwards")
        ready(shown)
        kept(program.home, "You wrote: Afterwards")
        program.kill()
        program.start()
        shown.reload()
        seen(shown, "You wrote: Afterwards")
        assert [words for words in ("Before", "Meanwhile", "Afterwards") if f"You wrote: {words}" not in shown.get_by_role("log").inner_text()] == []
    finally:
        if is_disk:
            program.kill()
            subprocess.run(["umount", str(home)], check=True)


def test_the_page_that_is_built_in_is_whole_and_small(start_program, make_page):
    """The bytes as the browser gets them and as it reads them, of all that a chat and its screens need."""
    program = start_program({"replies": {"rivers": MARKDOWN.replace("⏸end⏸", "")}}, page=())
    shown = make_page().visit(program.address)
    ready(shown)
    say(shown, "Tell me of rivers")
    seen(shown, "The end.")
    for name in ("Models", "Performance", "Settings"):
        shown.get_by_role("link", name=name).click()
        shown.get_by_role("heading", name=name, exact=True).first.wait_for()
    sizes = shown.evaluate("""async () => {
        const find = () => performance.getEntriesByType("resource").filter((one) => one.name.includes("/page/"));
        // The one file that waits for a use of the microphone.
        const dictation = find().find((one) => one.name.endsWith("/dictation.js"));
        await (await fetch(dictation.name.replace("dictation.js", "recorder.js"))).text();
        const files = find();
        const all = [performance.getEntriesByType("navigation")[0], ...files];
        const sum = (name) => all.reduce((sum, one) => sum + one[name], 0);
        return { files: all.length, sent: sum("encodedBodySize"), read: sum("decodedBodySize") };
    }""")
    assert sizes["files"] == sum(1 for one in PAGE.rglob("*") if one.is_file()), "each file of the page is used"
    print(f"the page: {sizes['files']} files of {sizes['read']} bytes")
    assert 200_000 < sizes["sent"] <= sizes["read"] < 300_000, sizes
