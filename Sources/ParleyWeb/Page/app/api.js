// SPDX-License-Identifier: Apache-2.0
// Requests to the server. The key travels in a header only, and no address but the page's own is ever asked.

import { key } from "./key.js";

/** Why a request got no answer that can be used. */
export class RequestError extends Error {
    /**
     * `kind`: `offline` (no answer), `key` (not let in), `refused` (the server says why), `server` (its fault), `input` (a
     * file of the reader's cannot be read). Of what is final the same again would fail again.
     */
    constructor(kind, message, { status = 0, code = null, isFinal = kind !== "offline" && kind !== "server" } = {}) {
        super(message);
        this.kind = kind;
        this.status = status;
        this.code = code;
        this.isFinal = isFinal;
    }
}

/** Asks the server; throws a `RequestError` unless the answer is a good one. */
export async function request(path, options = {}) {
    const headers = new Headers(options.headers);
    const present = key();
    if (present) headers.set("Authorization", `Bearer ${present}`);
    let response;
    try {
        response = await fetch(`/app/v1/${path}`, { ...options, headers, cache: "no-store", credentials: "omit" });
    } catch (error) {
        if (error.name === "AbortError") throw error;
        throw new RequestError("offline", error.message);
    }
    if (response.ok) return response;
    const told = await response.json().catch(() => null);
    const message = told?.error?.message ?? `${response.status} ${response.statusText}`;
    let kind = response.status >= 500 ? "server" : "refused";
    const code = told?.error?.code ?? null;
    // Something else that is refused would not be allowed to another key either.
    if (response.status === 401 || code === "insufficient_scope") kind = "key";
    // Memory that a request needs more of than there is stays as it is, although its status is that of a server's fault.
    const mayGoBetter = response.status === 429 || (kind === "server" && code !== "insufficient_memory");
    throw new RequestError(kind, message, { status: response.status, code, isFinal: !mayGoBetter });
}

/** Asks the server for a value. */
export async function read(path, options) {
    const response = await request(path, options);
    try {
        return await response.json();
    } catch (error) {
        // The connection may end in the middle of a body.
        if (error.name === "AbortError") throw error;
        throw new RequestError("offline", error.message);
    }
}

/** Throws unless a file can be read: one that is gone, and a folder, would look like a network that is gone. */
export async function checkFile(file, words) {
    try {
        await file.slice(0, 1).arrayBuffer();
    } catch {
        throw new RequestError("input", words);
    }
}

/** Sends a wish. The same `id` again is the same wish, so that sending it twice does nothing twice. */
export function wish(type, values = {}, id = newID()) {
    return read("intents", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ id, type, ...values }),
    });
}

/** A new identifier. `randomUUID` is missing where the page came over plain http from another machine. */
export function newID() {
    if (crypto.randomUUID) return crypto.randomUUID();
    const octets = crypto.getRandomValues(new Uint8Array(16));
    octets[6] = (octets[6] & 0x0f) | 0x40;
    octets[8] = (octets[8] & 0x3f) | 0x80;
    const hex = [...octets].map((octet) => octet.toString(16).padStart(2, "0")).join("");
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** Makes the query of an address; what is null stays out. */
export function query(values) {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(values)) {
        if (value !== null && value !== undefined) parameters.set(name, value);
    }
    const joined = parameters.toString();
    return joined ? `?${joined}` : "";
}

/** Offers an answer of the server as a file to keep. */
export async function download(path, name) {
    const response = await request(path);
    const address = URL.createObjectURL(await response.blob());
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
    // The browser has taken hold of it by the next turn of its loop at the latest.
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
