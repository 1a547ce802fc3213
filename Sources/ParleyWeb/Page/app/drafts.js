// SPDX-License-Identifier: Apache-2.0
// What was typed and not sent, by chat, in this browser alone. Each tab has its own, which outlives a reload. Each is also kept
// for a tab that comes later, so that a closed one loses no word of it.

import { newID } from "./api.js";
import { same } from "../rendering/dom.js";

const prefix = "parley.draft.";
/** The drafts of this tab; also those that the browser does not take, for its storage is full or forbidden. */
const own = new Map();
/** Tells this tab from others, also after a reload. */
const tab = read("sessionStorage", "parley.tab") ?? newID();
keep("sessionStorage", "parley.tab", tab);

/** The draft of a chat: `{text, pending}`. */
export const draft = (chat) => ofTab(chat) ?? {};

/** The draft of a chat that is shown from now on: a tab that has none takes over the latest that another one has left. */
export function openDraft(chat) {
    if (!ofTab(chat)) {
        const left = names("localStorage", `${prefix}${chat}.`).map((name) => ({ name, value: read("localStorage", name) }));
        const latest = left.filter(({ value }) => value).sort((a, b) => b.value.date - a.value.date)[0];
        if (latest) {
            keep("localStorage", latest.name, null);
            const { text, pending } = latest.value;
            keepDraft(chat, { text, pending });
        }
    }
    return draft(chat);
}

/** Keeps the draft of a chat; an empty one is forgotten. */
export function keepDraft(chat, value) {
    if (same(value, draft(chat))) return;
    const now = value.text || value.pending ? value : null;
    own.set(chat, now);
    keep("sessionStorage", prefix + chat, now);
    keep("localStorage", `${prefix}${chat}.${tab}`, now && { ...now, date: Date.now() });
}

/** Leaves the drafts of this tab, which is closed, to those that come later; another may have taken them over meanwhile. */
export function leaveDrafts() {
    for (const [chat, value] of own) if (value) keep("localStorage", `${prefix}${chat}.${tab}`, { ...value, date: Date.now() });
}

/** Forgets the draft of a chat, whoever has written it. */
export function forgetDraft(chat) {
    own.delete(chat);
    forget(prefix + chat);
}

/** Forgets all drafts. */
export function forgetDrafts() {
    own.clear();
    forget(prefix);
}

function ofTab(chat) {
    if (!own.has(chat)) own.set(chat, read("sessionStorage", prefix + chat));
    return own.get(chat);
}

function forget(start) {
    for (const storage of ["sessionStorage", "localStorage"]) for (const name of names(storage, start)) keep(storage, name, null);
}

function names(storage, start) {
    try {
        return Object.keys(window[storage]).filter((name) => name.startsWith(start));
    } catch {
        return [];
    }
}

function read(storage, name) {
    try {
        return JSON.parse(window[storage].getItem(name));
    } catch {
        return null;
    }
}

function keep(storage, name, value) {
    try {
        if (value === null) window[storage].removeItem(name);
        else window[storage].setItem(name, JSON.stringify(value));
    } catch {
        // It holds until the page is closed.
    }
}
