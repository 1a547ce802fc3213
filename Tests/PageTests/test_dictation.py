# SPDX-License-Identifier: Apache-2.0
"""Speaking instead of writing. The browser's microphone is a tone (`conftest.py`)."""

import struct

import pytest

import states


@pytest.fixture
def allowed(make_page):
    """A page that may use the microphone."""
    return make_page(permissions=["microphone"])


def button(page):
    return page.page.get_by_role("button", name="Dictate")


def strip(page):
    return page.page.get_by_role("group", name="Dictate")


def begin(page, seconds=1):
    """Records for some seconds."""
    button(page).click()
    strip(page).get_by_text("Listening").wait_for()
    page.page.wait_for_function(
        "(least) => parseFloat(document.querySelector('.dictation [role=timer]').textContent) >= least", arg=seconds)


def field(page):
    return page.page.get_by_role("textbox", name="Message")


def alert(page, words):
    page.page.get_by_role("alert").get_by_text(words).wait_for()


def test_what_is_said_goes_into_the_field_behind_the_draft_and_is_not_sent(allowed):
    allowed.open(states.state(speech="whisper-base"), answers={"transcribe": {"text": " and call Anna."}}, holds=["transcribe"])
    field(allowed).fill("Buy milk")
    begin(allowed)
    assert button(allowed).get_attribute("aria-pressed") == "true"
    assert allowed.page.evaluate("document.querySelector('.dictation meter').value") > 0
    strip(allowed).get_by_role("button", name="Finish dictating").click()
    strip(allowed).get_by_role("status").get_by_text("Writing down what you said").wait_for()
    allowed.page.wait_for_function("() => wire.held.length === 1")
    allowed.page.evaluate("wire.release()")
    strip(allowed).wait_for(state="hidden")
    assert field(allowed).input_value() == "Buy milk and call Anna."
    assert allowed.page.evaluate("document.activeElement.id") == "composer"
    assert allowed.wishes("send") == [] and button(allowed).get_attribute("aria-pressed") == "false"
    sound = bytes(allowed.page.evaluate("wire.sounds[0]"))
    assert struct.unpack("<4sI4s4sIHHIIHH4sI", sound[:44]) == (
        b"RIFF", len(sound) - 8, b"WAVE", b"fmt ", 16, 1, 1, 16_000, 32_000, 2, 16, b"data", len(sound) - 44)
    samples = struct.unpack(f"<{(len(sound) - 44) // 2}h", sound[44:])
    # Chromium passes speech on and dampens tones; what counts is that a second or more of sound came at 16 kHz.
    assert 16_000 <= len(samples) < 16_000 * 20 and max(samples) > 300


def test_keys_alone_do(allowed):
    allowed.open(states.state(speech="whisper-base"), answers={"transcribe": {"text": "Hello"}})
    button(allowed).focus()
    allowed.page.keyboard.press("Enter")
    strip(allowed).get_by_text("Listening").wait_for()
    allowed.page.wait_for_function("() => parseFloat(document.querySelector('.dictation [role=timer]').textContent) >= 1")
    allowed.page.keyboard.press("Enter")
    allowed.page.wait_for_function("() => document.querySelector('#composer').value === 'Hello'")


def test_who_holds_the_button_speaks_until_it_is_let_go(allowed):
    allowed.open(states.state(speech="whisper-base"), answers={"transcribe": {"text": "Hello"}})
    button(allowed).hover()
    allowed.page.mouse.down()
    strip(allowed).get_by_text("Listening").wait_for()
    allowed.page.wait_for_function("() => parseFloat(document.querySelector('.dictation [role=timer]').textContent) >= 1")
    allowed.page.mouse.up()
    allowed.page.wait_for_function("() => document.querySelector('#composer').value === 'Hello'")


def test_escape_forgets_what_is_recorded_and_what_is_being_written_down(allowed):
    allowed.open(states.state(speech="whisper-base"), answers={"transcribe": {"text": "Hello"}}, holds=["transcribe"])
    field(allowed).fill("Draft")
    begin(allowed)
    allowed.page.keyboard.press("Escape")
    strip(allowed).wait_for(state="hidden")
    assert allowed.page.evaluate("document.activeElement.ariaLabel") == "Dictate"
    assert allowed.page.evaluate("wire.sounds.length") == 0
    begin(allowed)
    button(allowed).click()
    allowed.page.wait_for_function("() => wire.held.length === 1")
    allowed.page.keyboard.press("Escape")
    strip(allowed).wait_for(state="hidden")
    allowed.page.evaluate("wire.release()")
    allowed.settle()
    assert field(allowed).input_value() == "Draft"


def test_after_thirty_seconds_it_ends(allowed):
    allowed.open(states.state(speech="whisper-base"), answers={"transcribe": {"text": "Hello"}})
    allowed.page.evaluate("""() => {
        window.AudioWorkletNode = class extends AudioWorkletNode {
            constructor(...values) {
                super(...values);
                setTimeout(() => this.port.onmessage({ data: new Float32Array(this.context.sampleRate * 30) }));
            }
        };
    }""")
    button(allowed).click()
    allowed.page.wait_for_function("() => document.querySelector('#composer').value === 'Hello'")
    assert allowed.page.evaluate("wire.sounds[0].length") >= 44 + 30 * 32_000


def test_the_other_button_of_the_mouse_does_not_listen(page):
    page.open()
    page.page.evaluate("() => { navigator.mediaDevices.getUserMedia = () => { window.asked = true; return new Promise(() => {}); }; }")
    opener = page.page.get_by_role("button", name="Dictate", exact=True)
    opener.click(button="right")
    page.settle()
    assert page.page.evaluate("window.asked ?? false") is False
    assert not page.page.locator(".dictation").is_visible()
    opener.click()
    page.page.locator(".dictation").wait_for()


def test_what_cannot_be_done_says_why(page):
    page.open(states.state(speech="whisper-base"))
    page.page.evaluate("() => { navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError')); }")
    button(page).click()
    alert(page, "does not let this page use the microphone")
    assert strip(page).is_hidden() and button(page).get_attribute("aria-pressed") == "false"
    # Who has allowed it, or has connected one, tries again.
    page.page.evaluate("() => { navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotFoundError')); }")
    button(page).click()
    alert(page, "There is no microphone")


@pytest.mark.parametrize("knows", [True, False])
def test_without_a_model_it_says_what_to_do(allowed, knows):
    allowed.open(states.state(speech=None) if knows else states.state(speech="gone"))
    if knows:
        off = allowed.page.get_by_role("button", name="Dictate. Dictation is off: the server has no speech model")
        off.click()
    else:
        begin(allowed)
        button(allowed).click()
    alert(allowed, "Start it with --speech whisper-base")
    assert strip(allowed).is_hidden()


def test_where_nobody_spoke_nothing_was_heard(allowed):
    allowed.open(states.state(speech="whisper-base"), answers={"transcribe": {"text": " "}})
    field(allowed).fill("Draft")
    begin(allowed)
    button(allowed).click()
    alert(allowed, "Nothing was heard")
    assert field(allowed).input_value() == "Draft"


def test_what_is_too_short_is_not_sent(allowed):
    allowed.open(states.state(speech="whisper-base"))
    allowed.page.evaluate("""() => {
        window.AudioWorkletNode = class extends AudioWorkletNode {
            constructor(...values) {
                super(...values);
                Object.defineProperty(this.port, "onmessage", { set() {} });
            }
        };
    }""")
    button(allowed).click()
    strip(allowed).get_by_text("Listening").wait_for()
    button(allowed).click()
    alert(allowed, "That was too short")
    assert allowed.page.evaluate("wire.sounds.length") == 0


def test_a_failure_of_the_server_is_told(allowed):
    allowed.open(states.state(speech="whisper-base"),
                 answers={"transcribe": {"error": "The speech model could not be loaded.", "status": 503, "code": "model_failed"}})
    begin(allowed)
    button(allowed).click()
    alert(allowed, "The speech model could not be loaded.")
    # What was said is not lost with it.
    allowed.page.evaluate("wire.answers = { transcribe: { text: 'Hello' } }")
    allowed.page.get_by_role("button", name="Try again").click()
    allowed.page.wait_for_function("() => document.querySelector('#composer').value === 'Hello'")
