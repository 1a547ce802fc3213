// SPDX-License-Identifier: Apache-2.0
// Speaking instead of writing: press, speak, press again; or hold, speak, let go. What was understood goes into the field
// and is not sent.

import { button, make, setAttribute, setShown, setText } from "../rendering/dom.js";
import { report } from "../app/actions.js";
import { read } from "../app/api.js";
import { duration } from "../app/format.js";
import { notices } from "../app/notices.js";
import { text } from "../app/strings.js";

/** What a recogniser of speech hears, in samples a second. */
const rate = 16_000;
/** Who lets go after so many milliseconds held the button; who lets go earlier pressed it. */
const held = 500;
/** A recording ends by itself after so many seconds. */
const longest = 30;

/** The button and the strip of a recording. */
export class Dictation {
    opener = button(text.composer.record, { icon: "microphone", kind: "quiet", press: () => this.#toggle() });
    element = make("div", { class: "strip dictation", role: "group", "aria-label": text.composer.record, hidden: true });
    #said = make("p", { role: "status" });
    #level = make("meter", { min: 0, max: 1, "aria-label": text.composer.level });
    #take;
    #recording = null;
    #isOff = null;
    #passes = false;

    constructor(take) {
        this.#take = take;
        const done = button(text.composer.recordStop, { words: text.composer.recordStop, kind: "soft small", press: () => this.#finish(true) });
        const cancel = button(text.cancel, { words: text.cancel, kind: "quiet small", press: () => this.#finish(false) });
        this.element.append(this.#said, this.#level, done, cancel);
        this.opener.addEventListener("pointerdown", () => this.#pointerDown());
        if (!isSecureContext || !navigator.mediaDevices) this.#isOff = text.composer.insecure;
    }

    /** Brings the button to the state; a button that is off says why. */
    draw() {
        setAttribute(this.opener, "aria-disabled", null);
        setAttribute(this.opener, "aria-pressed", String(this.#recording !== null));
        setAttribute(this.opener, "title", this.#isOff ?? text.composer.record);
        setAttribute(this.opener, "aria-label", this.#isOff ? `${text.composer.record}. ${this.#isOff}` : text.composer.record);
        this.opener.classList.toggle("off", this.#isOff !== null);
    }

    /** Whether Esc had a recording to cancel. */
    escape() {
        if (!this.#recording) return false;
        this.#finish(false);
        return true;
    }

    /** Begins with the press and not with the letting go, so that no word is lost; the press that follows is passed over. */
    async #pointerDown() {
        if (this.#recording || this.#isOff) return;
        const began = performance.now();
        let isUp = false;
        addEventListener("pointerup", () => {
            isUp = true;
            if (performance.now() - began > held) this.#finish(true);
            // The press comes right after this, unless the pointer was let go elsewhere.
            setTimeout(() => (this.#passes = false));
        }, { once: true });
        this.#passes = true;
        await this.#start();
        if (isUp && performance.now() - began > held) this.#finish(true);
    }

    async #toggle() {
        if (this.#passes) return;
        if (this.#recording) return this.#finish(true);
        // A control that is off still says why when it is pressed: a touch screen shows no title.
        if (this.#isOff) return notices.add({ kind: "error", text: this.#isOff });
        await this.#start();
    }

    async #start() {
        try {
            const sound = await navigator.mediaDevices.getUserMedia({ audio: true });
            this.#begin(sound);
        } catch {
            this.#isOff = text.composer.denied;
            notices.add({ kind: "error", text: this.#isOff });
            this.draw();
        }
    }

    #begin(sound) {
        const recorder = new MediaRecorder(sound);
        const context = new AudioContext();
        const analyser = context.createAnalyser();
        context.createMediaStreamSource(sound).connect(analyser);
        const parts = [];
        recorder.addEventListener("dataavailable", (event) => parts.push(event.data));
        const began = performance.now();
        const samples = new Float32Array(analyser.fftSize);
        const timer = setInterval(() => {
            analyser.getFloatTimeDomainData(samples);
            this.#level.value = Math.min(1, 4 * Math.sqrt(samples.reduce((sum, one) => sum + one * one, 0) / samples.length));
            const seconds = Math.floor((performance.now() - began) / 1000);
            setText(this.#said, text.composer.recording(duration(seconds)));
            if (seconds >= longest) this.#finish(true);
        }, 100);
        this.#recording = { recorder, sound, context, parts, timer };
        recorder.start();
        setShown(this.element, true);
        this.draw();
    }

    async #finish(isWanted) {
        const recording = this.#recording;
        if (!recording) return;
        this.#recording = null;
        clearInterval(recording.timer);
        const ended = new Promise((resolve) => recording.recorder.addEventListener("stop", resolve, { once: true }));
        recording.recorder.stop();
        await ended;
        for (const track of recording.sound.getTracks()) track.stop();
        await recording.context.close();
        if (isWanted) await this.#transcribe(new Blob(recording.parts, { type: recording.recorder.mimeType }));
        setShown(this.element, false);
        this.draw();
    }

    async #transcribe(blob) {
        setText(this.#said, text.composer.transcribing);
        try {
            const answer = await read("transcribe", { method: "POST", headers: { "Content-Type": "audio/wav" }, body: await asWave(blob) });
            const words = (answer.text ?? "").trim();
            if (words) this.#take(words);
            else notices.add({ kind: "error", text: text.composer.silence });
        } catch (error) {
            if (error.code === "model_not_capable") {
                this.#isOff = text.composer.noSpeech;
                notices.add({ kind: "error", text: this.#isOff });
            } else {
                report(error);
            }
        }
    }
}

/** Browsers record in formats of their own; the server gets plain samples of one channel. */
async function asWave(blob) {
    const decoder = new OfflineAudioContext(1, 1, rate);
    const decoded = await decoder.decodeAudioData(await blob.arrayBuffer());
    const mixer = new OfflineAudioContext(1, Math.max(1, Math.ceil(decoded.duration * rate)), rate);
    const source = mixer.createBufferSource();
    source.buffer = decoded;
    source.connect(mixer.destination);
    source.start();
    const samples = (await mixer.startRendering()).getChannelData(0);
    const file = new DataView(new ArrayBuffer(44 + samples.length * 2));
    const words = (at, letters) => [...letters].forEach((letter, index) => file.setUint8(at + index, letter.charCodeAt(0)));
    words(0, "RIFF");
    file.setUint32(4, 36 + samples.length * 2, true);
    words(8, "WAVEfmt ");
    file.setUint32(16, 16, true);
    file.setUint16(20, 1, true); // PCM
    file.setUint16(22, 1, true); // one channel
    file.setUint32(24, rate, true);
    file.setUint32(28, rate * 2, true);
    file.setUint16(32, 2, true);
    file.setUint16(34, 16, true);
    words(36, "data");
    file.setUint32(40, samples.length * 2, true);
    samples.forEach((sample, index) => file.setInt16(44 + index * 2, Math.max(-1, Math.min(1, sample)) * 0x7fff, true));
    return new Blob([file.buffer], { type: "audio/wav" });
}
