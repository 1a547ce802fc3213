// SPDX-License-Identifier: Apache-2.0
// What was deleted and can be brought back: messages of a chat, and chats.

import { button, fill, make } from "../rendering/dom.js";
import { ask, askServer } from "../app/actions.js";
import { firstWords, fullDate } from "../app/format.js";
import { text } from "../app/strings.js";
import { words } from "../app/screen-strings.js";
import { dialogHead, openDialog } from "./dialogs.js";

const names = words.deleted;

/** Opens the list of the messages that were deleted from the chat that is shown. */
export function openDeletedMessages() {
    return openList(names.messages, async () => {
        const answer = await ask("deletedMessages");
        return (answer?.messages ?? []).map((message) => ({
            id: message.id, date: message.date, who: message.author === "user" ? text.message.you : text.message.model,
            words: message.text, restore: () => ask("restore", { message: message.id }),
        }));
    });
}

/** Opens the list of the chats that were deleted within a day. */
export function openDeletedChats() {
    return openList(names.chats, async () => {
        const answer = await askServer("deletedChats");
        return (answer?.chats ?? []).map((chat) => ({
            id: chat.id, date: chat.deleted, who: null, words: chat.title || text.chat.untitled,
            restore: () => askServer("restoreAll", { chats: [chat.id] }),
        }));
    }, (entries) => askServer("restoreAll", { chats: entries.map((entry) => entry.id) }));
}

/** A dialog with a list that is read anew after each restoring. */
async function openList(title, read, restoreAll = null) {
    const place = make("div", {}, make("p", { class: "detail", role: "status", text: text.loading }));
    const dialog = openDialog(title, [dialogHead(title, () => dialog.close()), place], { kind: "deleted" });
    const draw = async () => {
        const entries = await read();
        const again = (restore) => async () => (await restore()) && draw();
        const rows = entries.map((entry) => make("li", { class: "row" },
            make("div", { class: "deleted-words" }, make("p", { dir: "auto", text: firstWords(entry.words, 160) }),
                make("p", { class: "detail", text: [entry.who, fullDate(entry.date)].filter(Boolean).join(" · ") })),
            make("span", { class: "space" }),
            button(`${names.restore}: ${firstWords(entry.words, 60)}`, { words: names.restore, kind: "soft", press: again(entry.restore), "data-key": `restore-${entry.id}` })));
        const all = restoreAll && entries.length > 1
            ? make("div", { class: "dialog-foot" }, button(names.restoreAll, { words: names.restoreAll, kind: "main", press: again(() => restoreAll(entries)), "data-key": "restore-all" })) : null;
        fill(place, entries.length > 0 ? make("ul", { class: "rows" }, rows) : make("p", { class: "detail", role: "status", text: names.none }), all);
        // What was pressed is gone; the next one takes the focus, or the way out.
        if (dialog.isConnected && !place.contains(document.activeElement)) (place.querySelector("button") ?? dialog.querySelector("button")).focus();
    };
    await draw();
}
