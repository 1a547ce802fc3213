// SPDX-License-Identifier: Apache-2.0
// The list of chats, by day, and the ways to the other screens.

import { button, icon, make } from "../rendering/dom.js";
import { menuButton } from "../rendering/popover.js";
import { deleteChat, exportChat, importChats, newChat, report } from "../app/actions.js";
import { wish } from "../app/api.js";
import { dayName, daysAgo } from "../app/format.js";
import { nextFrame } from "../app/frame.js";
import { chatAddress, screenAddress } from "../app/router.js";
import { keyShortcuts } from "../app/shortcuts.js";
import { store } from "../app/store.js";
import { text } from "../app/strings.js";
import { words } from "../app/screen-strings.js";
import { renameChat } from "./dialogs.js";

/** The side with the chats. */
export class Side {
    element = make("nav", { class: "side", "aria-label": words.navigation });
    #list = make("div", { class: "chat-list" });
    #links = new Map();
    #key = "";

    /** `search()` opens the search; `help()` the shortcuts. */
    constructor({ search, help, close }) {
        const shortcut = (name) => ({ "aria-keyshortcuts": keyShortcuts(name) });
        const head = make("div", { class: "side-head" },
            make("span", { class: "brand", text: text.app }), make("span", { class: "space" }),
            button(words.closeChats, { icon: "menu", kind: "quiet", press: close, ...shortcut("chats") }));
        const picker = make("input", { type: "file", accept: ".json,application/json", multiple: true, hidden: true, tabindex: -1, "aria-hidden": "true" });
        picker.addEventListener("change", () => {
            importChats([...picker.files]);
            picker.value = "";
        });
        const tools = make("div", { class: "side-tools" },
            button(words.chats.create, { words: words.chats.create, icon: "plus", kind: "side-item", press: newChat, ...shortcut("newChat") }),
            button(words.chats.search, { words: words.chats.search, icon: "search", kind: "side-item", press: search, ...shortcut("search") }));
        const foot = make("div", { class: "side-foot" },
            this.#link("models", words.models.title, "model"), this.#link("performance", words.performance.title, "chart"),
            this.#link("settings", words.settings.title, "settings"),
            button(words.chats.import, { words: words.chats.import, icon: "file", kind: "side-item", press: () => picker.click() }),
            button(words.help.title, { words: words.help.title, icon: "keyboard", kind: "side-item", press: help, ...shortcut("help") }), picker);
        this.element.append(head, tools, this.#list, foot);
        store.on(["chats", "chat", "status", "route"], () => nextFrame("side", () => this.draw()));
    }

    #link(name, label, image) {
        const link = make("a", { href: screenAddress(name), class: "button side-item" }, icon(image), make("span", { text: label }));
        this.#links.set(name, link);
        return link;
    }

    /** Marks the screen that is shown. */
    mark(screen) {
        for (const [name, link] of this.#links) {
            if (name === screen) link.setAttribute("aria-current", "page");
            else link.removeAttribute("aria-current");
        }
        this.#key = "";
        this.draw();
    }

    /** Brings the list to the state. */
    draw() {
        const rows = store.state?.chats;
        if (!rows) {
            this.#list.replaceChildren(make("p", { class: "detail", role: "status", text: text.loading }));
            return;
        }
        const key = JSON.stringify([rows, store.chat.id, [...this.#links.values()].map((link) => link.hasAttribute("aria-current"))]);
        if (key === this.#key) return;
        this.#key = key;
        const focused = this.#list.contains(document.activeElement) ? document.activeElement.dataset.key : null;
        this.#list.replaceChildren(...this.#groups(rows));
        // A row that is gone leaves the focus to the one that took its place, or to the list's first.
        if (focused) ([...this.#list.querySelectorAll("[data-key]")].find((one) => one.dataset.key === focused) ?? this.#list.querySelector("a"))?.focus();
    }

    #groups(rows) {
        if (rows.length === 0) return [make("p", { class: "detail", text: words.chats.none })];
        const groups = new Map();
        const sorted = [...rows].sort((a, b) => Number(b.is_pinned) - Number(a.is_pinned) || b.changed - a.changed);
        for (const row of sorted) {
            const days = daysAgo(row.changed);
            const name = row.is_pinned ? words.chats.pinned
                : days <= 0 ? words.chats.today : days === 1 ? words.chats.yesterday : dayName(row.changed);
            if (!groups.has(name)) groups.set(name, []);
            groups.get(name).push(row);
        }
        return [...groups].map(([name, group]) =>
            make("section", { "aria-label": name }, make("h2", { class: "group-name", text: name }), make("ul", {}, group.map((row) => this.#row(row)))));
    }

    #row(row) {
        const title = row.title || text.chat.untitled;
        const isShown = row.id === store.chat.id && ![...this.#links.values()].some((link) => link.hasAttribute("aria-current"));
        const link = make("a", { href: chatAddress(row.id), class: "chat-link", dir: "auto", "data-key": `chat-${row.id}`, "aria-current": isShown ? "page" : null },
            make("span", { class: "chat-name", text: title }), row.is_generating ? make("span", { class: "tag", text: words.chats.writing }) : null);
        const menu = menuButton(words.chats.menu(title), () => this.#items(row), { icon: "more", kind: "quiet small row-menu", "data-key": `menu-${row.id}` });
        return make("li", { class: "chat-row" }, link, menu);
    }

    #items(row) {
        const pinned = !row.is_pinned;
        return [
            { label: text.chat.rename, icon: "edit", press: () => renameChat(row) },
            { label: pinned ? text.chat.pin : text.chat.unpin, icon: "pin", press: () => wish("pin", { chat: row.id, is_pinned: pinned }).catch(report) },
            { label: text.chat.exportAs("Markdown"), icon: "save", press: () => exportChat(row, "md") },
            { label: text.chat.exportAs("JSON"), icon: "save", press: () => exportChat(row, "json") },
            null,
            { label: text.chat.remove, icon: "remove", press: () => deleteChat(row) },
        ];
    }
}
