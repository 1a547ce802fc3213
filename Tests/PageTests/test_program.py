# SPDX-License-Identifier: Apache-2.0
"""The page, the program and the default model: what a reader does in a chat, and what goes wrong with programs.

Nothing here depends on what the model says. `PARLEY_SERVER` names the program, and the model is where
scripts/fetch-references puts it.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from conftest import PAGE, PATIENCE, kept, until_sendable

ROOT = Path(__file__).parent.parent.parent
MODEL = Path(os.environ.get("PARLEY_REFERENCES") or ROOT / ".build" / "references") / "models" / "smollm2-135m-q4_1.gguf"
LONG = "Tell me a long story of a king, a river and a mill."


class Server:
    """parley-server with a home of its own, which can be killed and started again at the same address."""

    def __init__(self, program, home, model=MODEL, before=()):
        self.program, self.home, self.model, self.before = program, home, model, before
        self.port, self.key = 0, None
        home.mkdir(parents=True, exist_ok=True)
        self.start()

    def start(self):
        arguments = [*self.before, self.program, str(self.model), "--port", str(self.port), "--page-folder", str(PAGE)]
        self.log = open(self.home.parent / f"{self.home.name}.log", "ab")
        # A request to fetch a model must not reach the network.
        environment = {**os.environ, "PARLEY_HOME": str(self.home), "HF_ENDPOINT": "http://127.0.0.1:9"}
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=self.log, text=True, env=environment)
        for line in self.process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/(?:#key=(\S+))?", line):
                self.port, self.key = int(found.group(1)), found.group(2) or self.key
                if "web chat" in line:
                    return
        raise RuntimeError(f"the server has ended: {Path(self.log.name).read_text()[-2000:]}")

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}/#key={self.key}"

    def ask(self, path, key=None):
        """The status and the body of an answer."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/app/v1/{path}", headers={"Authorization": f"Bearer {key or self.key}"})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE / 1000) as answer:
                # Events have no end; their beginning is enough.
                data = answer.read1() + answer.read1() if path.startswith("events") else answer.read()
                return answer.status, data.decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.log.close()


@pytest.fixture
def start_server(tmp_path):
    """Starts the program with the default model."""
    program = os.environ.get("PARLEY_SERVER")
    if not program:
        pytest.skip("PARLEY_SERVER is not set")
    if not MODEL.exists():
        pytest.skip("scripts/fetch-references fetches the default model")
    started = []

    def start(**more):
        started.append(Server(program, tmp_path / f"home-{len(started)}", **more))
        return started[-1]

    yield start
    for server in started:
        server.kill()


def open_chat(make_page, server):
    made = make_page()
    shown = made.visit(server.address)
    ready(shown)
    return shown


def field(page):
    return page.get_by_role("textbox", name="Message")


def say(page, words):
    field(page).fill(words)
    until_sendable(page)
    field(page).press("Enter")


def ready(page):
    """Waits until a model is loaded and no reply is written."""
    page.get_by_role("button", name="Model of this chat").wait_for()
    page.get_by_role("button", name="Send", exact=True).wait_for()


def replies(page):
    return page.locator("parley-message[data-author=assistant]")


def words(page):
    return replies(page).last.locator(".body").inner_text()


def begun(page, letters=20):
    """Waits until some of the last reply is written."""
    page.wait_for_function("""(letters) => {
        const last = [...document.querySelectorAll("parley-message[data-author=assistant]")].at(-1);
        return last?.dataset.state === "writing" && last.querySelector(".body").textContent.length > letters;
    }""", arg=letters)


def ended(page, *states):
    page.wait_for_function("""(states) => {
        const last = [...document.querySelectorAll("parley-message[data-author=assistant]")].at(-1);
        return states.includes(last?.dataset.state);
    }""", arg=[*states])


def tool(page, message, name):
    message.hover()
    message.get_by_role("toolbar").get_by_role("button", name=name, exact=True).click()


def receipt(shown, message):
    """What the panel of a reply says of how it was made."""
    tool(shown, message, "Details")
    panel = shown.get_by_role("dialog", name="How this reply was made")
    said = panel.inner_text()
    shown.keyboard.press("Escape")
    panel.wait_for(state="detached")
    return said


def test_a_reply_of_the_default_model_is_written_remade_branched_stopped_and_continued(start_server, make_page):
    server = start_server()
    shown = open_chat(make_page, server)
    say(shown, "Say hello.")
    ended(shown, "done")
    shown.keyboard.press("Control+Shift+Period")
    shown.get_by_text("2 of 2").wait_for()
    ended(shown, "done")
    said = receipt(shown, replies(shown).last)
    assert "Tokens read" in said and "Tokens written" in said
    whole = words(shown)
    chat = shown.locator("[data-chat]").get_attribute("data-chat")
    tool(shown, replies(shown).last, "More actions")
    shown.get_by_role("menuitem", name="Branch into a new chat").click()
    # The address changes before the chat does, and the words are the same.
    shown.wait_for_function("(chat) => document.querySelector('[data-chat]').dataset.chat !== chat", arg=chat)
    shown.wait_for_function("(whole) => document.querySelector('parley-message[data-author=assistant] .body')?.innerText === whole", arg=whole)
    ready(shown)
    field(shown).focus()
    shown.keyboard.press("ArrowUp")
    assert field(shown).input_value() == "Say hello."
    say(shown, LONG)
    begun(shown)
    shown.get_by_role("button", name="Stop", exact=True).click()
    ended(shown, "stopped")
    assert shown.locator("parley-message[data-author=user]").all_inner_texts()[0].count(LONG) == 1
    stopped = words(shown)
    shown.get_by_role("button", name="Continue", exact=True).click()
    begun(shown, len(stopped))
    shown.get_by_role("button", name="Stop", exact=True).click()
    ended(shown, "stopped", "done")
    assert words(shown).startswith(stopped[: len(stopped) // 2])
    assert replies(shown).count() == 1
    longer = words(shown)
    shown.reload()
    replies(shown).last.wait_for()
    assert words(shown) == longer


def replayed(shown, message):
    """What the panel of a reply says of sending exactly the same again."""
    tool(shown, message, "Details")
    panel = shown.get_by_role("dialog", name="How this reply was made")
    panel.get_by_role("button", name="Replay", exact=True).click()
    said = panel.get_by_text(re.compile("tokens came again|Something else came|could not be sent again"))
    said.wait_for()
    result = said.inner_text()
    shown.keyboard.press("Escape")
    panel.wait_for(state="detached")
    return result


def test_a_reply_of_the_default_model_comes_again_word_for_word(start_server, make_page, tmp_path):
    model = tmp_path / "kept.gguf"
    shutil.copyfile(MODEL, model)
    server = start_server(model=model)
    shown = open_chat(make_page, server)
    say(shown, "Say hello.")
    ended(shown, "done")
    say(shown, LONG)
    begun(shown, 100)
    shown.get_by_role("button", name="Stop", exact=True).click()
    ended(shown, "stopped")
    first, second = replies(shown).first, replies(shown).last
    before = [first.locator(".body").inner_text(), second.locator(".body").inner_text()]
    written = re.search(r"Tokens written\n(\d+)", receipt(shown, first)).group(1)
    assert replayed(shown, first) == f"The same {written} tokens came again."
    # The end of a reply that was stopped belongs to it as well, and a server that has forgotten everything has the rest.
    server.kill()
    server.start()
    shown.reload()
    ready(shown)
    assert re.fullmatch(r"The same \d+ tokens came again\.", replayed(shown, second))
    assert [first.locator(".body").inner_text(), second.locator(".body").inner_text()] == before, "the chat stays as it is"
    assert replies(shown).count() == 2


def test_a_killed_server_and_a_reload_lose_no_word(start_server, make_page):
    server = start_server()
    shown = open_chat(make_page, server)
    second = open_chat(make_page, server)
    say(shown, LONG)
    begun(shown, 200)
    shown.reload()
    begun(shown, 200)
    second.goto(shown.url.replace("#", "?tab=2#"))
    begun(second, 200)
    before = words(shown)[:100]
    kept(server.home, before)
    server.kill()
    shown.get_by_text("The server cannot be reached. Trying").wait_for()
    say(shown, "Say hello.")
    shown.get_by_text("This is sent as soon as").first.wait_for()
    server.start()
    # What waits is sent when the model is loaded, or comes back to be sent then.
    shown.wait_for_function("""() => document.querySelectorAll("parley-message[data-author=user]").length === 2
        || document.querySelector("#composer").value !== "" """)
    if field(shown).input_value():
        say(shown, field(shown).input_value())
    for page in (shown, second):
        page.wait_for_function("""() => document.querySelectorAll("parley-message[data-author=user]").length === 2""")
    ended(shown, "done", "stopped")
    ended(second, "done", "stopped")
    first = replies(shown).first.locator(".body").inner_text()
    assert first.startswith(before)
    assert replies(second).first.locator(".body").inner_text() == first
    assert words(second) == words(shown)
    # Whoever asks for events of another time, or comes with another key, is told so.
    status, events = server.ask("events?since=before.12")
    assert status == 200 and "event: reset" in events
    assert server.ask("state", key="wrong")[0] == 401


def test_a_model_that_is_removed_while_it_writes(start_server, make_page, tmp_path):
    model = tmp_path / "kept.gguf"
    shutil.copyfile(MODEL, model)
    server = start_server(model=model)
    shown = open_chat(make_page, server)
    say(shown, LONG)
    begun(shown)
    model.unlink()
    shown.get_by_role("link", name="Models").click()
    shown.get_by_role("button", name=re.compile("^Unload: ")).click()
    shown.keyboard.press("Escape")
    ended(shown, "done", "stopped", "failed")
    assert words(shown)
    chat = json.loads(server.ask("state")[1])["chat"]
    assert [one["author"] for one in chat["messages"]] == ["user", "assistant"]
