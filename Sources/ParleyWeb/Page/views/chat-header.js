// SPDX-License-Identifier: Apache-2.0
// The line above a chat: its title, the model, how full the context is, and the menu of the chat.

import { button, detail, icon, make, setAttribute, setShown, setText } from "../rendering/dom.js";
import { facts } from "../rendering/message-parts.js";
import { menuButton, openMenu, openPanel } from "../rendering/popover.js";
import { ask, deleteChat, deleted, restoreMessage } from "../app/actions.js";
import { brief, count, share } from "../app/format.js";
import { go, screenAddress } from "../app/router.js";
import { keyShortcuts } from "../app/shortcuts.js";
import { can, store } from "../app/store.js";
import { text } from "../app/strings.js";
import { words } from "../app/screen-strings.js";
import { openDeletedMessages } from "./deleted.js";
import { renameChat } from "./dialogs.js";
import { exportItems } from "./exchanging.js";

/** The header of the chat screen. */
export class ChatHeader {
    #title = make("h1", { class: "title", dir: "auto", tabindex: -1 });
    #modelName = make("span", { class: "model-name" });
    #model = button(words.models.picker, {
        words: null, kind: "quiet model-button", press: () => this.openModels(),
        "aria-haspopup": "menu", "aria-expanded": "false", "aria-keyshortcuts": keyShortcuts("model"),
    });
    #meterBar = make("span", { class: "meter-bar" });
    #meterFill = make("span", { class: "meter-fill" });
    #meter = button(text.context.title, { words: null, kind: "quiet meter-button", press: () => this.#openContext(), "aria-haspopup": "dialog" });
    #menu;
    #find;

    constructor(navigation, find, tools) {
        this.#find = find;
        this.#model.append(this.#modelName, icon("down"));
        this.#model.removeAttribute("title");
        this.#meterBar.append(this.#meterFill);
        this.#meter.append(this.#meterBar);
        this.#menu = menuButton(text.chat.menu, () => this.#items(), { icon: "more", kind: "quiet", panel: { alignsEnd: true } });
        this.element = make("header", { class: "bar" }, navigation,
            make("div", { class: "headline" }, this.#title, this.#model), this.#meter, tools, this.#menu);
        // Before the first snapshot there is no model and no context to speak of.
        for (const control of [this.#model, this.#meter, this.#menu]) setShown(control, false);
        setText(this.#title, words.connection.connecting);
        store.on(["chat", "status", "models", "chats"], () => this.draw());
    }

    get title() {
        return this.#title;
    }

    /** Brings the line to the state. */
    draw() {
        const { chat, status } = store;
        if (!chat) return;
        const title = chat.title || text.chat.untitled;
        setText(this.#title, title);
        setShown(this.#model, true);
        setShown(this.#menu, true);
        const name = store.model?.title ?? status.model ?? words.models.noModel;
        setText(this.#modelName, name);
        setAttribute(this.#model, "aria-label", `${words.models.picker}: ${name}`);
        this.#drawMeter(chat.context);
    }

    #drawMeter(context) {
        setShown(this.#meter, Boolean(context));
        if (!context) return;
        const used = context.size > 0 ? Math.min(1, (context.size - context.room) / context.size) : 0;
        this.#meterFill.style.inlineSize = `${(used * 100).toFixed(1)}%`;
        this.#meter.classList.toggle("nearly-full", used > 0.9);
        const label = text.context.label(share(used));
        setAttribute(this.#meter, "aria-label", label);
        setAttribute(this.#meter, "title", label);
    }

    /** Opens the list of models that this chat can use. */
    openModels() {
        const { installed } = store.state.models;
        const items = installed.filter((model) => can(model, "chat")).map((model) => ({
            label: model.title,
            detail: words.models.status[model.status],
            isChosen: model.id === store.status.model,
            press: () => ask("chooseModel", { model: model.id }),
        }));
        if (items.length > 0) items.push(null);
        items.push({ label: words.models.all, icon: "model", press: () => go(screenAddress("models")) });
        // At 400 % zoom the header scrolls away, and the menu stands at its button.
        this.#model.scrollIntoView({ block: "nearest" });
        openMenu(this.#model, items, { label: words.models.picker });
    }

    #openContext() {
        const { context } = store.chat;
        const used = context.size - context.room;
        const list = facts([
            [text.context.prompt, count(context.prompt)],
            [text.context.history, count(context.history)],
            [text.context.documents, count(context.documents)],
            [text.context.room, count(context.room)],
        ]);
        const drops = context.next_dropped ? text.context.drops(context.next_dropped) : text.context.keeps;
        openPanel(this.#meter, [
            make("h2", { text: text.context.title }),
            make("p", { text: text.context.of(brief(used), brief(context.size)) }),
            list,
            detail(drops),
        ], { label: text.context.title, alignsEnd: true });
    }

    #items() {
        const { chat } = store;
        const pinLabel = chat.is_pinned ? text.chat.unpin : text.chat.pin;
        const restorable = (deleted.get(chat.id) ?? []).slice(-5).reverse();
        return [
            { label: text.chat.find, icon: "search", press: () => this.#find() },
            { label: text.chat.rename, icon: "edit", press: () => renameChat(chat) },
            { label: pinLabel, icon: "pin", press: () => ask("pin", { is_pinned: !chat.is_pinned }) },
            ...exportItems(chat),
            ...(restorable.length > 0 ? [null] : []),
            ...restorable.map((entry) => ({
                label: text.chat.restoreMessage(entry.words), icon: "again", press: () => restoreMessage(chat.id, entry),
            })),
            { label: words.deleted.messages, icon: "again", press: openDeletedMessages },
            null,
            { label: text.chat.remove, icon: "remove", press: () => deleteChat(chat) },
        ];
    }
}
