// SPDX-License-Identifier: Apache-2.0
// A chat in the list: the way to it, and its menu. It is changed in place, so that a menu that is open keeps its button.

import { make, setAttribute, setShown, setText } from "../rendering/dom.js";
import { menuButton } from "../rendering/popover.js";
import { askServer, deleteChat } from "../app/actions.js";
import { store } from "../app/store.js";
import { chatAddress } from "../app/router.js";
import { text } from "../app/strings.js";
import { words } from "../app/screen-strings.js";
import { renameChat } from "./dialogs.js";
import { exportItems } from "./exchanging.js";

/** The row of a chat. */
export class ChatRow {
    #name = make("span", { class: "chat-name" });
    #writing = make("span", { class: "tag", text: words.chats.writing, hidden: true });
    #link;
    #menu;
    #chat = null;

    constructor(id) {
        this.#link = make("a", { href: chatAddress(id), class: "chat-link", dir: "auto" }, this.#name, this.#writing);
        this.#menu = menuButton(words.chats.menu(""), () => this.#items(), { icon: "more", kind: "quiet small row-menu" });
        this.element = make("li", { class: "chat-row" }, this.#link, this.#menu);
    }

    /** Brings the row to the state of its chat. */
    show(chat, isShown) {
        this.#chat = chat;
        const title = chat.title || text.chat.untitled;
        setText(this.#name, title);
        setShown(this.#writing, Boolean(chat.is_generating) && !store.isLost);
        setAttribute(this.#link, "aria-current", isShown ? "page" : null);
        setAttribute(this.#menu, "aria-label", words.chats.menu(title));
        setAttribute(this.#menu, "title", words.chats.menu(title));
    }

    #items() {
        const chat = this.#chat;
        const pinned = !chat.is_pinned;
        return [
            { label: text.chat.rename, icon: "edit", press: () => renameChat(chat) },
            { label: pinned ? text.chat.pin : text.chat.unpin, icon: "pin", press: () => askServer("pin", { chat: chat.id, is_pinned: pinned }) },
            ...exportItems(chat),
            null,
            { label: text.chat.remove, icon: "remove", press: () => deleteChat(chat) },
        ];
    }
}
