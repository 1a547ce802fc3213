// SPDX-License-Identifier: Apache-2.0
// What was typed and not sent, by chat: a closed tab loses no word of it. It is in this browser alone.

const prefix = "parley.draft.";
/** What the browser did not take, for its storage is full or forbidden: it holds until the page is closed. */
const held = new Map();

/** The draft of a chat: `{text, editing, pending}`. */
export function draft(chat) {
    if (held.has(chat)) return held.get(chat);
    try {
        return JSON.parse(localStorage.getItem(prefix + chat) ?? "null") ?? {};
    } catch {
        return {};
    }
}

/** Keeps the draft of a chat; an empty one is forgotten. */
export function keepDraft(chat, value) {
    held.delete(chat);
    try {
        if (!value.text && !value.pending) localStorage.removeItem(prefix + chat);
        else localStorage.setItem(prefix + chat, JSON.stringify(value));
    } catch {
        held.set(chat, value);
    }
}

/** Forgets the draft of a chat. */
export const forgetDraft = (chat) => keepDraft(chat, {});

/** Forgets all drafts. */
export function forgetDrafts() {
    held.clear();
    try {
        for (const name of Object.keys(localStorage)) if (name.startsWith(prefix)) localStorage.removeItem(name);
    } catch {
        // Nothing was kept then.
    }
}
