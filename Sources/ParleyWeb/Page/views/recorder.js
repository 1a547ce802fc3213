// SPDX-License-Identifier: Apache-2.0
// Runs beside the page, where sound is processed: passes on what the microphone hears, some 50 ms at a time.

registerProcessor("recorder", class extends AudioWorkletProcessor {
    #piece = new Float32Array(2048);
    #count = 0;

    process([[samples]]) {
        if (!samples) return true;
        this.#piece.set(samples, this.#count);
        this.#count += samples.length;
        if (this.#count + samples.length > this.#piece.length) {
            this.port.postMessage(this.#piece.slice(0, this.#count));
            this.#count = 0;
        }
        return true;
    }
});
