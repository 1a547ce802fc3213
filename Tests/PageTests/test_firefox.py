# SPDX-License-Identifier: Apache-2.0
"""The page in Firefox, over the program: what a reader does first, by keys.

Debian's Firefox is driven by the protocol that it has itself, WebDriver BiDi. Where it is not installed, these tests are
left out.
"""

import contextlib
import itertools
import json
import os
import re
import shutil
import subprocess

import pytest
from websockets.sync.client import connect

from conftest import PATIENCE

FIREFOX = os.environ.get("PARLEY_FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")
KEYS = {"Enter": "\ue006", "Escape": "\ue00c", "Tab": "\ue004", "ArrowUp": "\ue013", "ArrowDown": "\ue015", "Shift": "\ue008", "Control": "\ue009"}


class Firefox:
    """A browser with one tab."""

    def __init__(self, profile):
        profile.mkdir()
        arguments = [FIREFOX, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0", "about:blank"]
        self.process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        address = next(found.group() for line in self.process.stderr if (found := re.search(r"ws://\S+", line)))
        self.stack = contextlib.ExitStack()
        self.socket = self.stack.enter_context(connect(f"{address}/session", max_size=None, open_timeout=PATIENCE / 1000))
        self.numbers = itertools.count(1)
        self.call("session.new", capabilities={})
        self.context = self.call("browsingContext.getTree")["contexts"][0]["context"]
        self.call("browsingContext.setViewport", context=self.context, viewport={"width": 1280, "height": 800})

    def call(self, method, **parameters):
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv(timeout=PATIENCE / 1000))
            if answer.get("id") == number:
                assert answer["type"] == "success", answer
                return answer["result"]

    def visit(self, address):
        self.call("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def value(self, expression):
        result = self.call("script.evaluate", expression=f"(async () => JSON.stringify(await ({expression}) ?? null))()",
                           target={"context": self.context}, awaitPromise=True)
        assert result["type"] == "success", result
        return json.loads(result["result"]["value"])

    def wait(self, expression):
        """Waits until an expression is true."""
        seen = self.value(f"""new Promise((done) => {{
            const end = Date.now() + {PATIENCE - 10_000};
            const look = () => {{
                let is = false;
                try {{ is = Boolean({expression}); }} catch {{}}
                if (is || Date.now() > end) done(is);
                else setTimeout(look, 20);
            }};
            look();
        }})""")
        assert seen, f"{expression} does not become true; the page says: {self.value('document.body.innerText')}"

    def press(self, *keys):
        """Presses keys, each with those that are held meanwhile: `Control+k`."""
        actions = []
        for key in keys:
            *held, last = [KEYS.get(one, one) for one in key.split("+")] if len(key) > 1 else [key]
            actions += [{"type": "keyDown", "value": one} for one in [*held, last]]
            actions += [{"type": "keyUp", "value": one} for one in [last, *reversed(held)]]
        self.call("input.performActions", context=self.context, actions=[{"type": "key", "id": "keys", "actions": actions}])

    def type(self, words):
        self.press(*words)

    def click(self, selector):
        """Presses the middle of an element; without a screen no window is active, and keys press no buttons."""
        x, y = self.value(f"(({{ x, y, width, height }}) => [x + width / 2, y + height / 2])(document.querySelector({json.dumps(selector)}).getBoundingClientRect())")
        press = [{"type": "pointerMove", "x": round(x), "y": round(y)}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.call("input.performActions", context=self.context, actions=[{"type": "pointer", "id": "mouse", "actions": press}])

    def close(self):
        self.stack.close()
        self.process.kill()
        self.process.wait()


@pytest.fixture
def firefox(tmp_path):
    browser = Firefox(tmp_path / "profile")
    yield browser
    browser.close()


REPLY = """[...document.querySelectorAll("parley-message[data-author=assistant] .body")].at(-1)?.textContent"""


def start(firefox, program):
    firefox.visit(program.address)
    firefox.wait("document.activeElement.id === 'composer' && [...document.querySelectorAll('button')].some((one) => one.title === 'Send' && !one.hidden)")


def test_a_chat_in_firefox(firefox, start_program):
    markdown = "# Rivers\n\nThe **Aare** flows.\n\n```swift\nlet a = 1\n```\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n- [x] done"
    program = start_program({"replies": {"rivers": markdown, "slow": "One ⏸a⏸two."}})
    start(firefox, program)
    assert not firefox.value("location.href").count("key=")
    firefox.type("Of rivers")
    firefox.press("Shift+Enter")
    firefox.type("please")
    firefox.press("Enter")
    firefox.wait(f"{REPLY}?.includes('done') || document.querySelector('.task')")
    assert firefox.value("document.querySelector('parley-message .body').textContent") == "Of rivers\nplease"
    assert firefox.value("[...document.querySelector('parley-message.last .body').children].map((one) => one.localName)") == [
        "h3", "p", "parley-code", "div", "ul"]
    firefox.wait("document.querySelector('parley-message.last').dataset.state === 'done'")
    # Stop.
    firefox.type("slow")
    firefox.press("Enter")
    firefox.wait(f"{REPLY} === 'One '.trim() || {REPLY} === 'One '")
    firefox.press("Escape")
    firefox.wait("document.querySelector('parley-message.last').dataset.state === 'stopped'")
    # A reload shows the same.
    before = firefox.value("document.querySelector('[role=log]').textContent")
    firefox.visit(firefox.value("location.href"))
    firefox.call("browsingContext.reload", context=firefox.context, wait="complete")
    firefox.wait("document.querySelector('parley-message.last')?.dataset.state === 'stopped'")
    assert firefox.value("document.querySelector('[role=log]').textContent") == before
    # Through the messages, and their tools.
    firefox.wait("document.activeElement.id === 'composer'")
    firefox.press("Shift+Tab")
    assert firefox.value("document.activeElement.localName") == "article"
    firefox.press("ArrowUp", "ArrowUp", "Enter")
    assert firefox.value("document.activeElement.closest('[role=toolbar]') !== null")
    firefox.press("Escape")


def test_screens_search_and_menus_in_firefox(firefox, start_program):
    program = start_program({"replies": {}})
    start(firefox, program)
    firefox.type("About kernels")
    firefox.press("Enter")
    firefox.wait("document.querySelector('parley-message.last')?.dataset.state === 'done'")
    firefox.press("Control+k")
    firefox.type("kernels")
    firefox.wait("document.querySelector('[role=option]')")
    firefox.press("Enter")
    firefox.wait("!document.querySelector('dialog[open]')")
    firefox.press("Control+Shift+l")
    firefox.wait("document.activeElement.getAttribute('role') === 'menuitemradio'")
    firefox.press("Escape")
    firefox.wait("!document.querySelector('[role=menu]')")
    for keys, screen in [("Control+,", "Settings")]:
        firefox.press(keys)
        firefox.wait(f"document.activeElement.localName === 'h1' && document.activeElement.textContent === '{screen}'")
        firefox.press("Escape")
    # Find paints its matches, or marks none where the browser cannot; either way they are counted.
    firefox.click("[title='Chat menu']")
    firefox.wait("document.activeElement.getAttribute('role') === 'menuitem'")
    firefox.click("[role=menuitem]")
    firefox.wait("document.activeElement.type === 'search'")
    firefox.type("kernels")
    firefox.wait("document.querySelector('.find-said').textContent.includes(' of ')")
    firefox.press("Escape")
    assert firefox.value("document.documentElement.scrollWidth <= innerWidth")


def test_cards_figures_and_a_killed_server_in_firefox(firefox, start_program):
    call = '[NOTE_ACTION:{"action":"create","title":"Milk","body":"two litres"}]'
    program = start_program({"replies": {"note": f"Noted. {call}"}})
    start(firefox, program)
    firefox.type("note milk")
    firefox.press("Enter")
    firefox.wait("document.querySelector('parley-card button')?.textContent === 'Undo'")
    firefox.wait("document.querySelector('parley-message.last').dataset.state === 'done'")
    firefox.click("parley-card button")
    firefox.wait("document.querySelector('parley-card .card-status').textContent === 'Taken back'")
    # Every screen is there, and nothing scrolls sideways where there is little room.
    firefox.call("browsingContext.setViewport", context=firefox.context, viewport={"width": 320, "height": 640})
    for name in ("models", "settings", "performance"):
        firefox.value(f"location.hash = '#/{name}', dispatchEvent(new PopStateEvent('popstate')), null")
        firefox.wait(f"document.querySelector('.screen.{name}').checkVisibility() && document.activeElement.localName === 'h1'")
        assert firefox.value("[document.documentElement, document.querySelector('main')].every((one) => one.scrollWidth <= one.clientWidth)"), name
    firefox.wait("document.querySelector('.performance .chart, .performance .detail')")
    firefox.press("Escape")
    firefox.wait("document.querySelector('.screen.chat').checkVisibility()")
    # Without the server the words are kept, and sent when it is back.
    firefox.call("browsingContext.setViewport", context=firefox.context, viewport={"width": 1280, "height": 800})
    program.kill()
    firefox.wait("document.querySelector('.connection').checkVisibility()")
    firefox.click("#composer")
    firefox.type("Written meanwhile")
    firefox.press("Enter")
    firefox.wait("document.querySelector('.strip.waiting')")
    program.start()
    firefox.wait(f"{REPLY}?.includes('You wrote: Written meanwhile')")
