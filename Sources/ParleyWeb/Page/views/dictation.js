// SPDX-License-Identifier: Apache-2.0
// Speaking instead of writing: press, speak, press again; or hold, speak, let go. What was understood goes into the field
// and is not sent.

import { button, make, setAttribute, setShown, setText } from "../rendering/dom.js";
import { report } from "../app/actions.js";
import { read } from "../app/api.js";
import { duration } from "../app/format.js";
import { notices } from "../app/notices.js";
import { store } from "../app/store.js";
import { text } from "../app/strings.js";

const words = text.composer;
/** What a recogniser of speech hears, in samples a second. */
const rate = 16_000;
/** Who lets go after so many milliseconds held the button; who lets go earlier pressed it. */
const held = 500;
/** Seconds after which a recording ends by itself, and what is too short to be speech. */
const [longest, shortest] = [30, 0.5];

/** The button and the strip of a recording: idle, asking for the microphone, recording, transcribing. */
export class Dictation {
    opener = button(words.record, { icon: "microphone", kind: "quiet", press: () => this.#toggle() });
    element = make("div", { class: "strip dictation", role: "group", "aria-label": words.record, hidden: true });
    #said = make("p", { role: "status" });
    #time = make("span", { role: "timer" });
    #level = make("meter", { min: 0, max: 1, "aria-label": words.level });
    #done = button(words.recordStop, { kind: "soft small", press: () => this.#finish() });
    #take;
    #recording = null;
    #passes = false;

    constructor(take) {
        this.#take = take;
        const cancel = button(text.cancel, { kind: "quiet small", press: () => this.escape() });
        this.element.append(this.#said, this.#time, this.#level, this.#done, cancel);
        this.opener.addEventListener("pointerdown", (event) => event.button === 0 && this.#pointerDown());
    }

    /** Why nothing can be dictated here; null if it can. */
    get #isOff() {
        if (!isSecureContext || !navigator.mediaDevices) return words.insecure;
        return store.state?.speech === null ? words.noSpeech : null;
    }

    /** Brings the button to the state; a button that is off says why. */
    draw() {
        const off = this.#isOff;
        setAttribute(this.opener, "aria-pressed", String(this.#recording !== null));
        setAttribute(this.opener, "title", off ?? words.record);
        setAttribute(this.opener, "aria-label", off ? `${words.record}. ${off}` : words.record);
        this.opener.classList.toggle("off", off !== null);
    }

    /** Forgets what is recorded or being written down; whether there was anything. */
    escape() {
        if (!this.#recording) return false;
        this.#recording.abort.abort();
        this.#close();
        this.opener.focus();
        return true;
    }

    /** Begins with the press and not with the letting go, so that no word is lost; the press that follows is passed over. */
    #pointerDown() {
        if (this.#recording || this.#isOff) return;
        const began = performance.now();
        addEventListener("pointerup", () => {
            if (performance.now() - began > held) this.#finish();
            // The press comes right after this, unless the pointer was let go elsewhere.
            setTimeout(() => (this.#passes = false));
        }, { once: true });
        this.#passes = true;
        this.#start();
    }

    #toggle() {
        if (this.#passes) return;
        if (this.#recording) return this.#finish();
        // A control that is off still says why when it is pressed: a touch screen shows no title.
        if (this.#isOff) return this.#tell(this.#isOff);
        this.#start();
    }

    async #start() {
        const recording = { abort: new AbortController(), parts: [], count: 0 };
        this.#recording = recording;
        this.#show(words.asking);
        try {
            recording.sound = await navigator.mediaDevices.getUserMedia({ audio: true });
            recording.context = new AudioContext();
            await recording.context.audioWorklet.addModule(new URL("./recorder.js", import.meta.url));
            if (this.#recording !== recording) return silence(recording);
            const node = new AudioWorkletNode(recording.context, "recorder", { numberOfOutputs: 0, channelCount: 1, channelCountMode: "explicit" });
            node.port.onmessage = ({ data }) => this.#hear(recording, data);
            recording.context.createMediaStreamSource(recording.sound).connect(node);
            this.#show(words.recording);
            if (recording.ends) this.#finish();
        } catch (error) {
            silence(recording);
            if (this.#recording !== recording) return;
            this.#close();
            this.#tell(error.name === "NotFoundError" ? words.noMicrophone : words.denied);
        }
    }

    #hear(recording, samples) {
        if (this.#recording !== recording || recording.isOver) return;
        recording.parts.push(samples);
        recording.count += samples.length;
        this.#level.value = Math.min(1, 4 * Math.sqrt(samples.reduce((sum, one) => sum + one * one, 0) / samples.length));
        setText(this.#time, duration(Math.floor(seconds(recording))));
        if (seconds(recording) >= longest) this.#finish();
    }

    /** Ends the recording, which is then written down. */
    async #finish() {
        const recording = this.#recording;
        if (!recording || recording.isOver) return;
        // Who lets go before the microphone was allowed has said nothing yet.
        if (!recording.context) return (recording.ends = true);
        recording.isOver = true;
        silence(recording);
        if (seconds(recording) < shortest) {
            this.#close();
            this.#tell(words.tooShort);
            return this.opener.focus();
        }
        return this.#write(recording);
    }

    async #write(recording) {
        this.#recording = recording;
        this.#show(words.transcribing);
        try {
            const { signal } = recording.abort;
            const answer = await read("transcribe", { method: "POST", headers: { "Content-Type": "audio/wav" }, body: await wave(recording), signal });
            if (this.#recording !== recording) return;
            this.#close();
            const said = (answer.text ?? "").trim();
            if (said) return this.#take(said);
            this.#tell(words.silence);
        } catch (error) {
            if (this.#recording !== recording) return;
            this.#close();
            if (error.code === "model_not_found") this.#tell(words.noSpeech);
            // What was said is kept for as long as it can be tried again.
            else report(error, () => this.#recording || this.#write(recording));
        }
        this.opener.focus();
    }

    #show(said) {
        setText(this.#said, said);
        setText(this.#time, "");
        for (const part of [this.#time, this.#level, this.#done]) setShown(part, said === words.recording);
        setShown(this.element, true);
        this.draw();
    }

    #close() {
        silence(this.#recording);
        this.#recording = null;
        setShown(this.element, false);
        this.draw();
    }

    #tell(said) {
        notices.add({ kind: "error", text: said });
    }
}

const seconds = ({ count, context }) => count / context.sampleRate;

/** Gives the microphone back. */
function silence(recording) {
    for (const track of recording.sound?.getTracks() ?? []) track.stop();
    if (!recording.isClosed) recording.isClosed = recording.context?.close();
}

/** What was recorded as a WAV file: 16 bits, one channel, at the rate of recognisers. */
async function wave({ parts, count, context }) {
    const mixer = new OfflineAudioContext(1, Math.ceil((count / context.sampleRate) * rate), rate);
    const source = mixer.createBufferSource();
    source.buffer = mixer.createBuffer(1, count, context.sampleRate);
    let place = 0;
    for (const part of parts) {
        source.buffer.copyToChannel(part, 0, place);
        place += part.length;
    }
    source.connect(mixer.destination);
    source.start();
    const samples = (await mixer.startRendering()).getChannelData(0);
    const file = new DataView(new ArrayBuffer(44 + samples.length * 2));
    const size = samples.length * 2;
    // "RIFF", the size, "WAVE" "fmt ", its size, PCM of one channel, the rate, bytes a second, a sample of 2 bytes and 16 bits, "data"
    [0x46464952, 36 + size, 0x45564157, 0x20746d66, 16, 0x10001, rate, rate * 2, 0x100002, 0x61746164, size].forEach((word, index) => file.setUint32(index * 4, word, true));
    samples.forEach((sample, index) => file.setInt16(44 + index * 2, Math.max(-1, Math.min(1, sample)) * 0x7fff, true));
    return new Blob([file.buffer], { type: "audio/wav" });
}
