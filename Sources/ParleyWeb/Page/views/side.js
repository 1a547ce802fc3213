// SPDX-License-Identifier: Apache-2.0
// The list of chats, by day, and the ways to the other screens.

import { arrange, button, detail, icon, make } from "../rendering/dom.js";
import { newChat } from "../app/actions.js";
import { relativeDay } from "../app/format.js";
import { nextFrame } from "../app/frame.js";
import { screenAddress } from "../app/router.js";
import { keyShortcuts } from "../app/shortcuts.js";
import { store } from "../app/store.js";
import { text } from "../app/strings.js";
import { words } from "../app/screen-strings.js";
import { ChatRow } from "./chat-row.js";
import { importButton } from "./exchanging.js";

/** The side with the chats. */
export class Side {
    element = make("nav", { class: "side", "aria-label": words.navigation });
    #list = make("div", { class: "chat-list" });
    #links = new Map();
    #rows = new Map();
    #groups = new Map();
    #key = "";

    /** `search()` opens the search; `help()` the shortcuts. */
    constructor({ search, help, close }) {
        const shortcut = (name) => ({ "aria-keyshortcuts": keyShortcuts(name) });
        const head = make("div", { class: "side-head" },
            make("span", { class: "brand", text: text.app }), make("span", { class: "space" }),
            button(words.closeChats, { icon: "menu", kind: "quiet", press: close, ...shortcut("chats") }));
        const tools = make("div", { class: "side-tools" },
            button(words.chats.create, { words: true, icon: "plus", kind: "side-item", press: newChat, ...shortcut("newChat") }),
            button(words.chats.search, { words: true, icon: "search", kind: "side-item", press: search, ...shortcut("search") }));
        const foot = make("div", { class: "side-foot" },
            this.#link("models", words.models.title, "model"), this.#link("performance", words.performance.title, "chart"),
            this.#link("settings", words.settings.title, "settings"),
            importButton("side-item"),
            button(words.help.title, { words: true, icon: "keyboard", kind: "side-item", press: help, ...shortcut("help") }));
        this.element.append(head, tools, this.#list, foot);
        store.on(["chats", "chat", "status", "route", "connection"], () => nextFrame("side", () => this.draw()));
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
            if (!this.#list.hasChildNodes()) this.#list.append(detail(text.loading, { role: "status" }));
            return;
        }
        const isElsewhere = [...this.#links.values()].some((link) => link.hasAttribute("aria-current"));
        const key = JSON.stringify([rows, store.chat.id, store.isLost, isElsewhere, new Date().toDateString()]);
        if (key === this.#key) return;
        this.#key = key;
        const focused = this.#rowWithFocus();
        for (const row of rows) {
            if (!this.#rows.has(row.id)) this.#rows.set(row.id, new ChatRow(row.id));
            this.#rows.get(row.id).show(row, row.id === store.chat.id && !isElsewhere);
        }
        const present = new Set(rows.map((row) => row.id));
        for (const id of [...this.#rows.keys()]) if (!present.has(id)) this.#rows.delete(id);
        this.#arrange(rows);
        // A row that is gone leaves the focus to the one that took its place.
        if (focused && !focused.row.element.isConnected) {
            const links = this.#list.querySelectorAll(".chat-link");
            links[Math.min(focused.index, links.length - 1)]?.focus();
        } else if (focused && !this.#list.contains(document.activeElement)) focused.control.focus();
    }

    #rowWithFocus() {
        const control = document.activeElement;
        const shown = [...this.#list.querySelectorAll(".chat-row")];
        const index = shown.findIndex((element) => element.contains(control));
        return index < 0 ? null : { control, index, row: [...this.#rows.values()].find((row) => row.element === shown[index]) };
    }

    /** The rows by day; the pinned ones first. */
    #arrange(rows) {
        if (rows.length === 0) {
            this.#groups.clear();
            arrange(this.#list, [detail(words.chats.none)]);
            return;
        }
        const groups = new Map();
        const sorted = [...rows].sort((a, b) => Number(b.is_pinned) - Number(a.is_pinned) || b.changed - a.changed);
        for (const row of sorted) {
            const name = row.is_pinned ? words.chats.pinned : relativeDay(row.changed);
            if (!groups.has(name)) groups.set(name, []);
            groups.get(name).push(this.#rows.get(row.id).element);
        }
        for (const name of [...this.#groups.keys()]) if (!groups.has(name)) this.#groups.delete(name);
        for (const name of groups.keys()) if (!this.#groups.has(name)) this.#groups.set(name, group(name));
        arrange(this.#list, [...groups.keys()].map((name) => this.#groups.get(name).element));
        for (const [name, elements] of groups) arrange(this.#groups.get(name).list, elements);
    }
}

function group(name) {
    const list = make("ul");
    return { element: make("section", { "aria-label": name }, make("h2", { class: "group-name", text: name }), list), list };
}
