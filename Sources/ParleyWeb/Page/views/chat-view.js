// SPDX-License-Identifier: Apache-2.0
// The screen of a chat: header, messages, what an empty chat shows, and the composer.

import { button, fill, make, same, setShown } from "../rendering/dom.js";
import { firstWords } from "../app/format.js";
import { nextFrame } from "../app/frame.js";
import { store } from "../app/store.js";
import { text } from "../app/strings.js";
import { ChatHeader } from "./chat-header.js";
import { Composer } from "./composer.js";
import { Find } from "./find.js";
import { FirstRun } from "./first-run.js";
import { Log } from "./log.js";

/** The chat screen. */
export class ChatView {
    element = make("div", { class: "screen chat" });
    log = null;
    composer = new Composer();
    find;
    header;
    #firstRun = new FirstRun();
    #empty = make("div", { class: "empty-chat", hidden: true });
    #shown = null;

    constructor(scroller, navigation, tools) {
        this.log = new Log(scroller);
        this.find = new Find(this.log);
        this.header = new ChatHeader(navigation, () => this.find.open(), tools);
        const top = make("div", { class: "chat-top" }, this.header.element, this.find.element);
        const hint = make("span", { id: "message-hint", hidden: true, text: text.message.hint });
        const end = make("div", { class: "chat-end" }, this.log.below, this.composer.element);
        this.element.append(top, make("div", { class: "column" }, this.#empty, this.log.element), hint, end);
        this.log.watch(end);
        new ResizeObserver(() => document.documentElement.style.setProperty("--end", `${end.offsetHeight}px`)).observe(end);
        store.on(["chat", "messages", "status", "models", "jobs", "settings"], () => nextFrame("empty", () => this.#draw()));
    }

    /** Gives the focus to what the reader does next here. */
    focus() {
        // On a touch screen the focus would open the keyboard over half of the chat.
        if (matchMedia("(pointer: coarse)").matches) this.header.title.focus({ preventScroll: true });
        else this.composer.field.focus({ preventScroll: true });
    }

    #draw() {
        const { status } = store;
        if (!status) return;
        const isEmpty = store.messages.length === 0;
        setShown(this.#empty, isEmpty);
        setShown(this.log.element, !isEmpty);
        if (!isEmpty) return;
        const needsModel = store.state.models.installed.length === 0;
        const shown = [needsModel, status.suggested_prompts, status.pinned_prompts, store.chat.id];
        if (!same(shown, this.#shown)) {
            this.#shown = shown;
            fill(this.#empty, needsModel ? this.#firstRun.element : this.#welcome(status));
        }
        if (needsModel) this.#firstRun.draw();
    }

    #welcome({ suggested_prompts: suggested, pinned_prompts: pinned }) {
        return [
            make("p", { class: "hello", text: text.chat.hello }),
            this.#prompts(text.chat.pinned, pinned ?? [], "pinned"),
            this.#prompts(text.chat.suggestions, (suggested ?? []).slice(0, 4), "suggested"),
        ];
    }

    #prompts(label, prompts, kind) {
        if (prompts.length === 0) return null;
        const items = prompts.map((prompt, index) => {
            const words = firstWords(prompt, 90);
            const press = () => store.tell("prompt", prompt);
            return make("li", {}, button(words, { kind: "prompt", press, dir: "auto", "data-key": `${kind}-${index}` }));
        });
        return make("section", { class: "prompts", "aria-label": label }, make("h2", { class: "prompts-title", text: label }), make("ul", {}, items));
    }
}
