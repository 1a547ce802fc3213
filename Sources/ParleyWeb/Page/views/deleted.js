// SPDX-License-Identifier: Apache-2.0
// What was deleted and can be brought back: messages of a chat, and chats.

import { button, detail, fill, make } from "../rendering/dom.js";
import { ask, askServer, failureWords } from "../app/actions.js";
import { wish } from "../app/api.js";
import { count, firstWords, fullDate } from "../app/format.js";
import { store } from "../app/store.js";
import { text } from "../app/strings.js";
import { words } from "../app/screen-strings.js";
import { askForYes, openDialog } from "./dialogs.js";

const names = words.deleted;

/** Opens the list of the messages that were deleted from the chat that is shown. */
export function openDeletedMessages() {
    return openList(names.messages, async () => {
        const { messages = [], more = 0 } = await wish("deletedMessages", { chat: store.chat.id });
        return { more, entries: messages.map((message) => ({
            id: message.id, date: message.date, who: message.author === "user" ? text.message.you : text.message.model,
            words: message.text, restore: () => ask("restore", { message: message.id }),
        })) };
    }, (messages) => ask("forgetMessages", { messages }));
}

/** Opens the list of the chats that were deleted within a day. */
export function openDeletedChats() {
    return openList(names.chats, async () => {
        const { chats = [], more = 0 } = await wish("deletedChats");
        return { more, entries: chats.map((chat) => ({
            id: chat.id, date: chat.deleted, who: null, words: chat.title || text.chat.untitled,
            restore: () => askServer("restoreAll", { chats: [chat.id] }),
        })) };
    }, (chats) => askServer("forgetChats", { chats }), () => askServer("restoreAll"));
}

/**
 * A dialog with a list that is read anew after each change.
 *
 * `forget(ids)` gets what is to be deleted for good; undefined means all, also what the list has no room for.
 */
async function openList(title, read, forget, restoreAll = null) {
    const place = make("div", {}, detail(text.loading, { role: "status" }));
    const dialog = openDialog(title, place, { kind: "deleted" });
    const focusHere = () => dialog.isConnected && !place.contains(document.activeElement) && (place.querySelector("button") ?? dialog.querySelector("button")).focus();
    const failed = (error) => {
        fill(place, make("p", { class: "card-failure", role: "alert", text: failureWords(error) }),
            error.isFinal ? null : make("div", { class: "row" }, button(text.retry, { kind: "soft", press: () => draw() })));
        focusHere();
    };
    const draw = async () => {
        let found;
        try {
            found = await read();
        } catch (error) {
            return failed(error);
        }
        const { entries, more } = found;
        const again = (change) => async () => (await change()) && draw();
        const forgetting = (words, ids) => () => askForYes({ title: words, words: names.forgetAsk, action: words, use: again(() => forget(ids)) });
        const rows = entries.map((entry) => {
            const start = firstWords(entry.words, 60);
            return make("li", { class: "row" },
                make("div", { class: "deleted-words" }, make("p", { dir: "auto", text: firstWords(entry.words, 160) }),
                    detail([entry.who, fullDate(entry.date)].filter(Boolean).join(" · "))),
                button(`${names.restore}: ${start}`, { words: names.restore, kind: "soft", press: again(entry.restore), "data-key": `restore-${entry.id}` }),
                button(`${names.forget}: ${start}`, { icon: "remove", kind: "quiet", press: forgetting(names.forget, [entry.id]), "data-key": `forget-${entry.id}` }));
        });
        const foot = entries.length < 2 ? null : make("div", { class: "dialog-foot" },
            button(names.forgetAll, { kind: "danger", press: forgetting(names.forgetAll), "data-key": "forget-all" }),
            restoreAll ? button(names.restoreAll, { kind: "main", press: again(restoreAll), "data-key": "restore-all" }) : null);
        fill(place, entries.length > 0 ? [
            detail(names.rule), make("ul", { class: "rows" }, rows),
            more > 0 ? detail(names.more(count(more))) : null,
        ] : detail(names.none, { role: "status" }), foot);
        // What was pressed is gone; the next one takes the focus, or the way out.
        focusHere();
    };
    await draw();
}
