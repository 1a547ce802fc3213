// SPDX-License-Identifier: Apache-2.0
// Keeps the page at the server's state: a snapshot, then events, and both again after whatever goes wrong.

import { query, read } from "./api.js";
import { key } from "./key.js";
import { readEvents } from "./stream.js";
import { store } from "./store.js";

/** Seconds until the next try, the last for all further ones. */
const pauses = [1, 2, 5, 10];
/** A browser opens six connections to a server; a tab that nobody sees gives its own back after this time. */
const hiddenAfter = 10_000;

let chat = null; // the chat that is wanted; null for the one edited last
let isWanted = true; // whether its state is still to be taken
let current = null; // the attempt or stream that is under way
let tries = 0;
let version = null;
let hiding = null;
let waiting = null;

/** Shows a chat; null is the one edited last. Resolves once its state is there, or the attempt was given up. */
export function open(id) {
    chat = id;
    isWanted = true;
    tries = 0;
    return begin(true);
}

/** The chat that is wanted, although its state may still be to come. */
export const wantedChat = () => chat;

/** Tries again at once. */
export function retry() {
    return begin(false);
}

/** Tries again if a key was missing. */
export function retryWithKey() {
    if (store.connection.state === "key") begin(false);
}

/** Begins to watch whether the page is seen and whether there is a network. */
export function watchPage() {
    document.addEventListener("visibilitychange", () => {
        if (document.hidden) return giveBackLater();
        clearTimeout(hiding);
        hiding = null;
        if (store.connection.state === "hidden") begin(false);
    });
    addEventListener("online", () => {
        if (store.connection.state === "waiting") begin(false);
    });
}

function giveBackLater() {
    hiding ??= setTimeout(giveBack, hiddenAfter);
}

function giveBack() {
    hiding = null;
    if (store.connection.state !== "live") return;
    current?.abort();
    store.connect({ state: "hidden" });
}

async function begin(isFresh) {
    clearInterval(waiting);
    current?.abort();
    const attempt = new AbortController();
    current = attempt;
    if (!store.state || isFresh) store.connect({ state: "connecting", isFirst: !store.state });
    try {
        if (isWanted) await takeState(attempt.signal);
    } catch (error) {
        if (!attempt.signal.aborted) await failed(attempt, error);
        return;
    }
    if (!attempt.signal.aborted) run(attempt);
}

/** Reads events for as long as this attempt is the current one. */
async function run(attempt) {
    try {
        while (await follow(attempt.signal)) await takeState(attempt.signal);
        // The server closed the stream in order, perhaps because it stops; the first new try comes soon.
        if (!attempt.signal.aborted) wait(attempt, null);
    } catch (error) {
        if (!attempt.signal.aborted) failed(attempt, error);
    }
}

async function takeState(signal) {
    const state = await read(`state${query({ chat })}`, { signal });
    if (signal.aborted) return;
    chat = state.chat.id;
    isWanted = false;
    const isOld = version !== null && state.page !== undefined && state.page !== version;
    version ??= state.page;
    store.replace(state);
    store.isOldPage = store.isOldPage || isOld;
}

/** Reads events until the stream ends; returns whether the state has to be taken anew. */
async function follow(signal) {
    let isStale = false;
    const inner = new AbortController();
    const stop = () => inner.abort();
    signal.addEventListener("abort", stop);
    const since = `${store.state.epoch}.${store.state.revision}`;
    try {
        await readEvents(`events${query({ chat, since })}`, inner.signal, {
            opened: () => {
                tries = 0;
                store.connect({ state: "live" });
                // A tab that nobody has looked at, or that came back behind another one, holds no connection either.
                if (document.hidden) giveBackLater();
            },
            take: (type, data) => {
                if (signal.aborted) return;
                if (type === "reset") {
                    isStale = true;
                    inner.abort();
                } else {
                    store.apply(type, data);
                }
            },
        });
    } catch (error) {
        if (!isStale) throw error;
    } finally {
        signal.removeEventListener("abort", stop);
    }
    return isStale;
}

function failed(attempt, error) {
    if (error.kind === "key") {
        store.connect({ state: "key", isWrong: Boolean(key()) });
        return;
    }
    if ((error.status === 404 || error.status === 400) && chat !== null) {
        // The chat was deleted, here or in another tab, or the address names none; the one edited last takes its place.
        return open(null);
    }
    wait(attempt, error.kind === "offline" || !error.kind ? null : error.message);
}

function wait(attempt, reason) {
    let left = pauses[Math.min(tries, pauses.length - 1)];
    tries += 1;
    store.connect({ state: "waiting", seconds: left, reason });
    clearInterval(waiting);
    waiting = setInterval(() => {
        if (attempt.signal.aborted) return clearInterval(waiting);
        left -= 1;
        if (left > 0) return store.connect({ state: "waiting", seconds: left, reason });
        clearInterval(waiting);
        begin(false);
    }, 1000);
}
