// SPDX-License-Identifier: Apache-2.0
// The wishes that a reader can have, and what is said when one could not be fulfilled.

import { checkFile, download, newID, query, read, request, wish } from "./api.js";
import { open } from "./connection.js";
import { draft, forgetDraft, keepDraft } from "./drafts.js";
import { firstWords } from "./format.js";
import { notices } from "./notices.js";
import { chatAddress, go } from "./router.js";
import { store } from "./store.js";
import { text } from "./strings.js";
import { words } from "./screen-strings.js";

/** Why something did not work, in words. */
export function failureWords(error) {
    const told = error.kind === "offline" ? words.notices.notSent : error.kind === "input" ? error.message : words.notices.failed(error.message);
    return error.about ? `${error.about}: ${told}` : told;
}

/**
 * Says why something did not work; returns null, as the answer that did not come.
 *
 * `again()` is offered where the same may go better another time; `over()` is called once it no longer is.
 */
export function report(error, again = null, over = null) {
    if (error.name === "AbortError") return over?.() ?? null;
    const action = again && !error.isFinal ? { label: text.retry, press: () => { again(); notices.settle(id); } } : null;
    const id = notices.add({ kind: "error", text: failureWords(error), action, over });
    if (!action) over?.();
    return null;
}

/** Does something, again for as long as the reader asks for it; null once it has failed and nothing can be done about it. */
export async function attempt(act) {
    for (;;) {
        try {
            return await act();
        } catch (error) {
            if (!(await new Promise((done) => report(error, () => done(true), () => done(false))))) return null;
        }
    }
}

/** Sends a wish about the chat that is shown; null if it was not fulfilled, which the reader is told. */
export const ask = (type, values = {}) => askServer(type, { chat: store.chat?.id ?? null, ...values });

/** Asks for something that is not about the chat. */
export function askServer(type, values = {}) {
    const id = newID();
    return attempt(() => wish(type, values, id));
}

// MARK: Messages

/** What was deleted in this visit and may be wanted back, by chat; the newest last. */
export const deleted = new Map();

/** Deletes a message; nothing is asked, for it can be taken back. */
export async function deleteMessage(message) {
    const chat = store.chat.id;
    if (!(await ask("delete", { message: message.id }))) return false;
    const entry = { id: message.id, words: firstWords(message.text, 30) };
    deleted.set(chat, [...(deleted.get(chat) ?? []), entry].slice(-20));
    entry.notice = notices.add({
        text: text.message.removed,
        action: { label: text.undo, press: () => restoreMessage(chat, entry) },
    });
    return true;
}

/** Brings a deleted message back. */
export async function restoreMessage(chat, entry) {
    if (!(await askServer("restore", { chat, message: entry.id }))) return;
    deleted.set(chat, (deleted.get(chat) ?? []).filter((other) => other !== entry));
    notices.settle(entry.notice);
}

/** Begins a new chat with all that was said up to a message. */
export async function branch(message) {
    const answer = await ask("branch", { message: message.id });
    if (answer?.chat) go(chatAddress(answer.chat));
}

/** Makes a reply anew, with another model if one is given. */
export function regenerate(message, model = null) {
    store.tell("sent");
    return ask("regenerate", { message: message.id, model });
}

/** Continues a reply that was cut short. */
export const continueReply = (message) => ask("continue", { message: message.id });

/** Shows the version of a message that is so many further on. */
export function turnVersion(message, step) {
    const { ids, index } = position(message);
    const version = ids[index + step];
    if (version === undefined) return null;
    store.tell("expect", version);
    return ask("selectVersion", { message: message.id, version });
}

/** Where the version of a message that is shown stands among all, counted from zero. */
export function position(message) {
    const versions = message.versions ?? { ids: [], count: 1, index: 1 };
    const ids = versions.ids ?? [];
    const at = ids.indexOf(message.id);
    return { ids, index: at >= 0 ? at : Math.max(0, (versions.index ?? 1) - 1), count: versions.count ?? ids.length };
}

/** Stops the reply that is being made. */
export const stop = () => ask("stop");

// MARK: Chats

/** Begins a new chat and shows it; what is typed from now on is for that one. */
export const newChat = () => beginChat(newID());

async function beginChat(id) {
    store.tell("begins");
    const answer = await wish("newChat", {}, id).catch((error) => report(error, () => beginChat(id)));
    if (answer?.chat) go(chatAddress(answer.chat));
    // Where no other chat comes, what was typed belongs to this one.
    if (!answer?.chat || answer.chat === store.chat?.id) store.tell("stays");
}

/** Deletes a chat; nothing is asked, for it can be taken back. */
export async function deleteChat(row) {
    if (!(await ask("deleteChat", { chat: row.id }))) return;
    const isShown = store.chat?.id === row.id;
    const unsent = draft(row.id);
    const entry = {};
    entry.notice = notices.add({
        text: text.chat.removed,
        action: {
            label: text.undo,
            press: async () => {
                if (!(await askServer("restoreChat", { chat: row.id }))) return;
                notices.settle(entry.notice);
                // What was typed there comes back with the chat.
                keepDraft(row.id, { ...unsent, ...draft(row.id) });
                if (isShown) go(chatAddress(row.id));
            },
        },
    });
    forgetDraft(row.id);
    if (!isShown) return;
    // The next one in the list takes its place; without one the server makes a new one.
    const next = store.state.chats.find((other) => other.id !== row.id);
    if (next) go(chatAddress(next.id));
    else await open(null);
}

/** Hands a chat out as a file. */
export function exportChat(row, format) {
    const name = firstWords(row.title, 40).replace(/[^\p{L}\p{M}\p{N} _-]+/gu, "").trim() || text.chat.untitled;
    return attempt(() => download(`export${query({ chat: row.id, format })}`, `${name}.${format}`));
}

/** Hands all chats out as one file. */
export const exportAll = () => attempt(() => download("export?all=1&format=json", "parley-chats.json"));

/** Takes chats in from files that the reader chose. */
export async function importChats(files) {
    for (const file of files) {
        const answer = await attempt(async () => {
            await checkFile(file, words.chats.unreadable(file.name));
            return read("import", { method: "POST", body: file });
        });
        if (answer) notices.add({ text: words.chats.imported(answer.chats, answer.known) });
    }
}

/** Puts the messages before the first one into the page; returns whether there were any. */
export async function loadEarlier() {
    const { chat } = store;
    const first = chat.messages[0];
    if (!first || !chat.earlier) return false;
    const answer = await attempt(() => read(`messages${query({ chat: chat.id, before: first.id })}`));
    if (!answer) return false;
    store.prepend(chat.id, answer.messages, answer.earlier);
    return answer.messages.length > 0;
}

const attachmentPath = (address) => new URL(address, location.origin).pathname.replace(/^\/app\/v1\//, "");

/** The bytes of an attachment, for an image that is shown. */
export const attachmentBlob = async (address) => (await request(attachmentPath(address))).blob();

/** Hands an attachment out as the file that it was. */
export const saveAttachment = (address, name) =>
    attempt(() => download(attachmentPath(address), /\.\w+$/.test(name) ? name : `${name}.png`));
