# SPDX-License-Identifier: Apache-2.0
"""One browser for all tests of the page, and a fresh context for each.

Most tests run the page against `wire.js`, which stands in for the server's answers: every state on demand, and no clock.
The tests in `test_server.py` run against the program that `PARLEY_PAGE_SERVER` names, the web chat over scripted models;
they are skipped without it. It is called as `PROGRAM HOME --page FOLDER --port N` and prints its address with the key.
"""

import contextlib
import functools
import http.server
import json
import math
import os
import re
import shlex
import shutil
import struct
import subprocess
import threading
import time
import wave
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

import states

HERE = Path(__file__).parent
# Firefox is not everywhere that Chromium is.
collect_ignore = [] if os.environ.get("PARLEY_FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox") else ["test_firefox.py"]
PAGE = HERE.parent.parent / "Sources" / "ParleyWeb" / "Page"
CHROMIUM = os.environ.get("PARLEY_CHROMIUM", "/usr/bin/chromium")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src blob:; font-src 'self'; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)

# A machine that is busy with other things takes its time, and nothing here waits for a time to pass: this only ends a test
# that would hang.
PATIENCE = 240_000

# What the page says once it has heard of the server, or has found that it cannot.
TOLD = "() => window.wire.streams.length > 0 || document.querySelector('.connection:not([hidden]), dialog[open]') !== null"


class Files(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def end_headers(self):
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Permissions-Policy", "microphone=(self)")
        super().end_headers()

    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="session")
def files_address():
    """The address of the page's files."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=str(PAGE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


class Program:
    """The program under test in a folder of its own, which can be killed and started again at the same address."""

    def __init__(self, command, home, script, page=("--page", str(PAGE))):
        self.command = command
        self.page = page
        self.home = home
        self.port = 0
        (home / "gates").mkdir(parents=True, exist_ok=True)
        (home / "script.json").write_text(json.dumps(script))
        self.start()

    def start(self):
        arguments = [*shlex.split(self.command), str(self.home), *self.page, "--port", str(self.port)]
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
        # One that says nothing is ended, so that no test waits for ever.
        patience = threading.Timer(PATIENCE / 1000, self.process.kill)
        patience.start()
        try:
            for line in self.process.stdout:
                if found := re.search(r"https?://[^/]+:(\d+)/\S*", line):
                    self.address, self.port = found.group(), int(found.group(1))
                    return
        finally:
            patience.cancel()
        raise RuntimeError("the program under test printed no address")

    def open_gate(self, name):
        """Lets a reply go on that waits at a gate of its script."""
        (self.home / "gates" / name).touch()

    def kill(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture
def start_program(tmp_path):
    """Starts the program under test with a script for its models."""
    command = os.environ.get("PARLEY_PAGE_SERVER")
    if not command:
        pytest.skip("PARLEY_PAGE_SERVER is not set")
    started = []

    def start(script, **more):
        started.append(Program(command, tmp_path / f"home-{len(started)}", script, **more))
        return started[-1]

    yield start
    for program in started:
        program.kill()


def until_sendable(page):
    """Waits until what is written can be sent: without the server it is kept, and without a model it cannot be."""
    page.wait_for_function("""() => document.querySelector(".strip.offline, .connection:not([hidden])")
        || [...document.querySelectorAll(".composer-bar .main")].some((one) => !one.hidden && one.getAttribute("aria-disabled") !== "true")""")


def kept(home, words):
    """Waits until a file in the home of a program has these words: what is not there yet is lost with a kill.

    Letters alone are compared: a journal has a text in pieces, and marks of Markdown are not shown.
    """
    def letters(text):
        return "".join(letter for letter in text if letter.isalpha())

    wanted = letters(words)
    assert wanted
    end = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < end:
        for path in home.rglob("*"):
            # Files come and go, and may be read while they are written.
            with contextlib.suppress(OSError, ValueError):
                texts = re.findall(r'"(?:text|content)": ?("(?:[^"\\]|\\.)*")', path.read_text(errors="ignore")) if path.is_file() else []
                if wanted in letters("".join(json.loads(text) for text in texts)):
                    return
        time.sleep(0.02)
    raise AssertionError(f"no file has “{words}”")


def tone(path):
    """A sound file with beeps of a quarter of a second."""
    rate = 48_000
    samples = [round(12_000 * math.sin(2 * math.pi * 440 * n / rate)) if n % (rate // 2) < rate // 4 else 0 for n in range(rate)]
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        file.writeframes(struct.pack(f"<{len(samples)}h", *samples))
    return path


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    # The microphone plays a file: a tone that comes and goes, or what PARLEY_SPOKEN names.
    sound = os.environ.get("PARLEY_SPOKEN") or str(tone(tmp_path_factory.mktemp("sound") / "tone.wav"))
    microphone = ["--use-fake-device-for-media-stream", f"--use-file-for-fake-audio-capture={sound}"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *microphone], timeout=PATIENCE)
        yield browser
        browser.close()


class Page:
    """A page with its wire."""

    def __init__(self, page, address):
        self.page = page
        self.address = address
        self.foreign = []
        self.errors = []
        self.dialogs = []
        page.on("request", self._requested)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))

    def _requested(self, request):
        if not request.url.startswith((self.address.split("#")[0], "blob:", "data:")):
            self.foreign.append(request.url)

    def visit(self, address):
        """Opens a page of the program under test, without a wire."""
        self.address = address.split("#")[0]
        self.page.add_init_script("""window.violations = [];
            document.addEventListener("securitypolicyviolation", (event) => window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));""")
        self.page.goto(address)
        return self.page

    def open(self, state=None, path="", key=None, **wire):
        script = (HERE / "wire.js").read_text()
        settings = {"state": states.state() if state is None else (state or None), "key": key, **wire}
        self.page.clock.set_fixed_time(states.NOW)
        self.page.add_init_script(script + f"\nObject.assign(window.wire, {json.dumps(settings)});")
        self.page.goto(self.address + path)
        # Keys that are pressed and events that are pushed before the page is live would be lost.
        self.page.wait_for_function(TOLD)
        return self.page

    def push(self, kind, **data):
        self.page.evaluate("([kind, data]) => wire.push(kind, data)", [kind, data])

    def delta(self, id, start, blocks, **more):
        data = {"chat": "c1", "id": id, "part": "blocks", "from": start, "blocks": blocks, "state": "writing", **more}
        self.push("message.delta", **data)

    def status(self, **more):
        self.push("chat.updated", chat="c1", status=states.status(**more))

    def wishes(self, kind=None):
        found = self.page.evaluate("wire.wishes")
        return [wish for wish in found if kind is None or wish["type"] == kind]

    def resize(self, width, height):
        """Gives the window another size; the browser tells it to the page some time later."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.wait_for_function("(size) => innerWidth === size[0] && innerHeight === size[1]", arg=[width, height])
        self.settle()

    def stop_clock(self):
        """Stops a clock that was installed, and has gone on while the page was opened, however long that took."""
        self.page.clock.pause_at(max(states.NOW + 12, self.page.evaluate("Date.now() / 1000") + 5))

    def settle(self):
        """Waits for two frames: the first may have begun already."""
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def check(self):
        assert self.page.evaluate("window.violations ?? []") == []
        assert self.foreign == []
        assert self.errors == []
        assert self.dialogs == []


@pytest.fixture
def make_page(request, browser, files_address):
    """Makes pages; at the end of the test each has made no foreign request, broken no policy and thrown no error."""
    made = []

    slowness = request.config.getoption("--slow")

    def make(width=1280, height=800, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce", locale="en-GB",
                                      timezone_id="UTC", **options)
        context.set_default_timeout(PATIENCE)
        page = Page(context.new_page(), files_address)
        if slowness > 1:
            context.new_cdp_session(page.page).send("Emulation.setCPUThrottlingRate", {"rate": slowness})
        made.append((context, page))
        return page

    yield make
    for _, page in made:
        page.check()
    for context, _ in made:
        context.close()


@pytest.fixture
def page(make_page):
    return make_page()


def pytest_addoption(parser):
    parser.addoption("--slow", type=float, default=1, metavar="N", help="give the page a processor that is N times slower")
    parser.addoption("--update-snapshots", action="store_true", help="write down what assistive technology is told at present")
