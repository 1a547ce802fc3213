// SPDX-License-Identifier: Apache-2.0
// Reads server-sent events from a `fetch`: an `EventSource` cannot send the header with the key.

import { request } from "./api.js";

/**
 * Splits text into events, however it was cut on its way.
 *
 * `push` takes a piece and calls `take(type, data)` for every event that is complete.
 */
class EventParser {
    #rest = "";
    #type = "";
    #data = [];
    #take;

    constructor(take) {
        this.#take = take;
    }

    push(piece) {
        const text = this.#rest + piece;
        let start = 0;
        for (;;) {
            const end = text.indexOf("\n", start);
            if (end < 0) break;
            const line = text.slice(start, text[end - 1] === "\r" && end > start ? end - 1 : end);
            this.#line(line);
            start = end + 1;
        }
        this.#rest = text.slice(start);
    }

    #line(line) {
        if (line === "") {
            if (this.#data.length > 0) this.#take(this.#type || "message", this.#data.join("\n"));
            this.#type = "";
            this.#data = [];
            return;
        }
        if (line.startsWith(":")) return;
        const colon = line.indexOf(":");
        const name = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
        if (name === "event") this.#type = value;
        else if (name === "data") this.#data.push(value);
    }
}

/**
 * Reads events until the server ends the stream or the signal aborts it.
 *
 * `take(type, value)` gets each event; `opened()` is called once the server has answered. Throws a `RequestError` if the
 * server does not answer, says no, or is silent for longer than `silence` seconds: it sends a comment every five.
 */
export async function readEvents(path, signal, { take, opened, silence = 16 }) {
    const watch = new AbortController();
    const stop = () => watch.abort();
    signal.addEventListener("abort", stop);
    let timer = setTimeout(stop, silence * 1000);
    const heard = () => {
        clearTimeout(timer);
        timer = setTimeout(stop, silence * 1000);
    };
    const parser = new EventParser((type, data) => take(type, JSON.parse(data)));
    try {
        const response = await request(path, { signal: watch.signal, headers: { Accept: "text/event-stream" } });
        opened();
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        for (;;) {
            heard();
            const { done, value } = await reader.read();
            if (done) return;
            parser.push(value);
        }
    } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
        watch.abort();
    }
}
