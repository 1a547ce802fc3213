# SPDX-License-Identifier: Apache-2.0
"""A walk by keyboard alone through every flow, over the program: no mouse, and no focus set by the test.

After each key the focus must be somewhere, in the view, not behind anything, and marked.
"""

import json
import re

from conftest import until_sendable

FOCUS = """() => {
    const focused = document.activeElement;
    if (!focused || focused === document.body || focused === document.documentElement) return { fault: "the focus is lost" };
    const name = focused.getAttribute("aria-label") || (focused.id && document.querySelector(`label[for="${focused.id}"]`)?.textContent)
        || focused.textContent.trim().slice(0, 200);
    const told = { name, tag: focused.localName, id: focused.closest("parley-message")?.dataset.id ?? null };
    if (focused.localName === "h1" || focused.localName === "main") return told; // a place to read from, and no control
    const { left, right, top, bottom, width, height } = focused.getBoundingClientRect();
    const fault = (words) => ({ ...told, fault: `${words}: <${focused.localName}> “${name}”` });
    if (width === 0 || height === 0) return fault("the focus is on nothing");
    if (bottom <= 0 || top >= innerHeight || right <= 0 || left >= innerWidth) return fault("the focus is outside of the view");
    const inside = [Math.max(left, 0) + 3, (Math.max(left, 0) + Math.min(right, innerWidth)) / 2, Math.min(right, innerWidth) - 3];
    const along = [Math.max(top, 0) + 3, (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2, Math.min(bottom, innerHeight) - 3];
    const isSeen = inside.some((x) => along.some((y) => {
        const seen = document.elementFromPoint(x, y);
        return seen && (focused.contains(seen) || seen.contains(focused) && seen.closest("dialog, [popover]") === focused.closest("dialog, [popover]"));
    }));
    if (!isSeen) return fault("the focus is behind something else");
    const isMarked = (element) => getComputedStyle(element).outlineStyle !== "none" && parseFloat(getComputedStyle(element).outlineWidth) >= 1;
    const around = [focused, focused.parentElement, focused.parentElement?.parentElement].filter(Boolean);
    return around.some(isMarked) ? told : fault("the focus is not marked");
}"""


class Walker:
    """Somebody who has a keyboard only."""

    def __init__(self, page):
        self.page = page

    def focus(self):
        return self.page.evaluate(FOCUS)

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
            # Behind the last stop is the browser's own frame.
            if key in {"Tab", "Shift+Tab"} and self.page.evaluate("document.activeElement === document.body"):
                self.page.keyboard.press(key)
            self.check(key)

    def check(self, key=""):
        # Where the focus goes after an answer of the server it is for a moment nowhere.
        try:
            self.page.wait_for_function(f"() => !({FOCUS})().fault")
        except Exception:
            raise AssertionError(f"after {key}: {self.focus()['fault']}") from None

    def type(self, words):
        self.page.keyboard.type(words)
        self.check(words)

    def to(self, name, key="Tab", most=80):
        """Goes on until the focus is on what has this name."""
        wanted = name if isinstance(name, re.Pattern) else re.compile(re.escape(name) + "$")
        met = []
        for _ in range(most):
            focus = self.focus()
            if wanted.match(focus.get("name") or ""):
                return
            met.append(focus.get("name"))
            self.press(key)
        raise AssertionError(f"{key} does not reach {name!r}: {met}")

    def choose(self, name, key="ArrowDown"):
        self.to(name, key)
        self.press("Enter")

    def say(self, words):
        self.to("Message")
        self.type(words)
        until_sendable(self.page)
        self.press("Enter")

    def to_last_message(self):
        """From the field backwards into the messages; what is between is passed."""
        self.to("Message")
        for _ in range(8):
            self.press("Shift+Tab")
            if self.focus()["tag"] == "article":
                return
        raise AssertionError("the messages are not reached")

    def tool(self, name):
        """Opens the message that has the focus, and presses a button of its toolbar."""
        self.press("Enter")
        self.choose(name, "ArrowRight")

    def seen(self, words):
        self.page.locator("parley-message .body").get_by_text(words).last.wait_for()

    def heading(self, name):
        self.page.get_by_role("heading", name=name, level=1).wait_for()
        self.check(name)


def start(start_program, make_page, script):
    program = start_program(script)
    page = make_page().visit(program.address)
    page.get_by_role("button", name="Send", exact=True).wait_for()
    page.wait_for_function("() => document.activeElement.id === 'composer'")
    return program, Walker(page)


def ready(walker):
    walker.page.get_by_role("button", name="Send", exact=True).wait_for()
    walker.page.wait_for_function("""() => document.querySelector("parley-message[data-author=assistant].last")?.dataset.state !== "writing" """)


def test_a_chat(start_program, make_page):
    program, walker = start(start_program, make_page, {"replies": {"rivers": "The Aare.", "slow": "One ⏸a⏸two ⏸b⏸three.", "lakes": "The Thunersee."}})
    walker.say("rivers")
    walker.seen("The Aare.")
    ready(walker)
    # Once more, with another version to turn to.
    walker.press("Control+Shift+Period")
    walker.page.get_by_text("2 of 2").wait_for()
    ready(walker)
    walker.to_last_message()
    walker.press("ArrowLeft")
    walker.page.get_by_text("1 of 2").wait_for()
    walker.check("ArrowLeft")
    # Details; a scripted model tells no tokens, so that the same cannot be sent again.
    walker.tool("Details")
    walker.page.get_by_text("Too little was kept of this reply").wait_for()
    walker.press("Escape")
    ready(walker)
    # Stop, continue.
    walker.say("slow")
    walker.seen("One")
    walker.press("Escape")
    walker.page.get_by_text("Stopped.").first.wait_for()
    walker.to_last_message()
    walker.press("Enter")
    assert walker.focus()["name"] == "Continue"
    walker.press("Enter")
    program.open_gate("a")
    program.open_gate("b")
    ready(walker)
    # A queued message, taken back, and sent.
    walker.to("Message")
    # Edit the last question.
    walker.press("ArrowUp")
    assert walker.page.evaluate("document.activeElement.value") == "slow"
    walker.press("Control+a")
    walker.type("lakes")
    walker.press("Enter")
    walker.seen("The Thunersee.")
    ready(walker)
    # Delete and undo.
    walker.to_last_message()
    walker.press("ArrowUp", "Enter")
    walker.choose("More actions", "ArrowRight")
    walker.choose("Delete")
    walker.page.get_by_role("button", name="Undo").wait_for()
    walker.to("Undo")
    walker.press("Enter")
    walker.seen("lakes")
    # Reply to a message.
    walker.to("Message")
    walker.to_last_message()
    walker.tool("Reply to this")
    walker.page.locator(".strip.replying").wait_for()
    walker.type("Really?")
    walker.press("Enter")
    walker.seen("You wrote: ")
    ready(walker)
    # Branch.
    walker.to_last_message()
    walker.tool("More actions")
    before = walker.page.url
    walker.choose("Branch into a new chat")
    walker.page.wait_for_function("(before) => location.href !== before", arg=before)
    walker.check("branch")
    assert walker.page.locator("parley-message").count() > 2


def test_a_message_that_waits(start_program, make_page):
    program, walker = start(start_program, make_page, {"replies": {"slow": "One ⏸a⏸two."}})
    walker.say("slow")
    walker.seen("One")
    walker.type("And then")
    walker.press("Enter")
    walker.page.locator(".strip.queued").wait_for()
    walker.to("Take back", "Shift+Tab")
    walker.press("Enter")
    walker.page.wait_for_function("() => document.querySelector('#composer').value === 'And then'")
    walker.check()
    walker.press("Enter")
    program.open_gate("a")
    walker.seen("You wrote: And then")


def test_cards(start_program, make_page):
    call = '[CALENDAR_ACTION:{"action":"create","title":"%s","start":"2030-06-03 %s","end":"2030-06-03 %s"}]'
    program, walker = start(start_program, make_page, {"replies": {
        "milk": 'Noted. [NOTE_ACTION:{"action":"create","title":"Milk","body":"two litres"}]',
        "lunch": "Planned. " + call % ("Lunch", "12:00", "13:00"),
        "dentist": "Planned. " + call % ("Dentist", "12:30", "13:30"),
        "remove": 'Look. [NOTE_ACTION:{"action":"delete","search":"Milk"}]'}})
    walker.say("milk")
    card = walker.page.locator("parley-card").last
    card.get_by_role("button", name="Undo").wait_for()
    ready(walker)
    walker.to_last_message()
    walker.press("Enter")
    walker.to("Undo")
    walker.press("Enter")
    card.get_by_text("Taken back").wait_for()
    walker.check("Undo")
    walker.say("lunch")
    walker.page.locator("parley-card").nth(1).wait_for()
    ready(walker)
    walker.say("dentist")
    card = walker.page.locator("parley-card").nth(2)
    card.get_by_text("At the same time").wait_for()
    ready(walker)
    walker.to_last_message()
    walker.press("Enter")
    walker.to(re.compile("Move to"))
    walker.press("Enter")
    card.get_by_text("At the same time").wait_for(state="hidden")
    walker.check("reschedule")


def test_the_list_of_chats(start_program, make_page):
    program, walker = start(start_program, make_page, {"replies": {}})
    walker.say("About kernels")
    walker.seen("You wrote: About kernels")
    ready(walker)
    walker.press("Control+Shift+O")
    walker.page.get_by_text("What can I do for you?").wait_for()
    walker.check("new chat")
    walker.say("About rivers")
    walker.seen("You wrote: About rivers")
    ready(walker)
    # Search over all chats.
    walker.press("Control+k")
    walker.type("kernels")
    walker.page.get_by_role("option").first.wait_for()
    walker.press("Enter")
    walker.seen("You wrote: About kernels")
    walker.check("search")
    # Rename, pin, delete and undo in the list.
    walker.to("Menu of About kernels")
    walker.press("Enter")
    walker.choose("Rename")
    walker.press("Control+a")
    walker.type("Sums")
    walker.press("Enter")
    walker.heading("Sums")
    walker.to("Menu of Sums")
    walker.press("Enter")
    walker.choose("Pin")
    walker.page.get_by_role("navigation").get_by_role("heading", name="Pinned").wait_for()
    walker.to("Menu of Sums")
    walker.press("Enter")
    walker.choose("Delete chat")
    walker.page.get_by_role("heading", name="Sums", level=1).wait_for(state="detached")
    walker.check("delete")
    walker.to("Undo")
    walker.press("Enter")
    walker.heading("Sums")
    # Another chat from the list.
    walker.to(re.compile("About rivers"))
    walker.press("Enter")
    walker.seen("You wrote: About rivers")
    # Find in this chat.
    walker.to("Chat menu")
    walker.press("Enter")
    walker.choose("Find in this chat")
    walker.type("rivers")
    walker.page.get_by_role("search").get_by_text(re.compile(" of ")).wait_for()
    walker.press("Enter", "Escape")
    walker.check("find")
    # Export: the file comes.
    walker.to("Chat menu")
    walker.press("Enter")
    walker.to("Export as Markdown", "ArrowDown")
    with walker.page.expect_download():
        walker.press("Enter")
    # Hide the chats, and show them again.
    walker.press("Control+b")
    walker.press("Control+b")


def test_screens(start_program, make_page):
    program, walker = start(start_program, make_page, {"replies": {}})
    walker.press("Control+Shift+l")
    walker.choose("All models")
    walker.heading("Models")
    walker.to(re.compile("Unload: "))
    walker.press("Enter")
    walker.page.get_by_role("button", name=re.compile("^Load: scripted$")).wait_for()
    walker.check("unload")
    walker.to(re.compile("Load: scripted$"))
    walker.press("Enter")
    walker.page.get_by_role("button", name=re.compile("^Unload: ")).first.wait_for()
    walker.check("load")
    walker.press("Control+Comma")
    walker.heading("Settings")
    walker.to("Colours")
    walker.press("ArrowDown")
    walker.to("Text size")
    walker.press("ArrowDown")
    walker.to("Most tokens of an answer")
    walker.press("Control+a")
    walker.type("2048")
    walker.press("Tab")
    walker.to(re.compile("Notes: Delete"))
    walker.press("ArrowDown")
    walker.page.wait_for_function("() => document.querySelector('main').innerText.length > 0")
    walker.press("Escape")
    walker.check("Escape")
    walker.to("Performance")
    walker.press("Enter")
    walker.heading("Performance")
    walker.press("Escape")
    walker.press("Control+/")
    walker.page.get_by_role("dialog", name="Keyboard").wait_for()
    walker.press("Escape")
    assert walker.page.get_by_role("dialog").count() == 0


def test_files_speech_and_notices(start_program, make_page):
    program, walker = start(start_program, make_page, {"replies": {}})
    # The browser is told some time before that its dialog is not wanted.
    walker.page.on("filechooser", lambda chooser: None)
    walker.to("Attach files")
    with walker.page.expect_file_chooser() as chooser:
        walker.press("Enter")
    chooser.value.set_files({"name": "notes.txt", "mimeType": "text/plain", "buffer": b"hello"})
    walker.page.get_by_role("list", name="Attachments").get_by_text("notes.txt", exact=True).wait_for()
    walker.to("Remove notes.txt", "Shift+Tab")
    walker.press("Enter")
    walker.page.get_by_role("list", name="Attachments").wait_for(state="hidden")
    walker.check("detach")
    # This server has no speech model, which the button says.
    walker.to(re.compile("^Dictate. Dictation is off"))
    walker.press("Enter")
    walker.page.get_by_role("alert").wait_for()
    walker.to(re.compile("Notices"))
    walker.press("Enter")
    walker.page.get_by_role("dialog", name="Notices").wait_for()
    walker.press("Escape")


def test_the_first_stop_leads_to_the_field(start_program, make_page):
    program, walker = start(start_program, make_page, {"replies": {}})
    walker.page.evaluate("() => document.activeElement.blur()")
    walker.press("Tab")
    assert json.dumps(walker.focus())
    walker.to("Skip to the message field", "Shift+Tab")
    walker.press("Enter")
    assert walker.focus()["name"] == "Message"
