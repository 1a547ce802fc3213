// SPDX-License-Identifier: Apache-2.0
// Where messages are written. It always takes text; what can be done with the text depends on the model, the reply that
// is being written, and the connection.

import { button, composes, make, setAttribute, setShown, setText } from "../rendering/dom.js";
import { outbox } from "../app/outbox.js";
import { ask, stop } from "../app/actions.js";
import { draft, keepDraft, leaveDrafts, openDraft } from "../app/drafts.js";
import { nextFrame } from "../app/frame.js";
import { can, isGrowing, store } from "../app/store.js";
import { text } from "../app/strings.js";
import { Attachments } from "./attachments.js";
import { Dictation } from "./dictation.js";
import { isBusy } from "./jobs.js";
import { ComposerStrips } from "./composer-strips.js";

/** The field for messages with everything around it. */
export class Composer {
    field = make("textarea", {
        id: "composer", rows: 1, dir: "auto", placeholder: text.composer.placeholder, "aria-label": text.composer.label,
        "aria-describedby": "composer-state", enterkeyhint: "send",
    });
    #send = button(text.composer.send, { icon: "send", kind: "main round", press: () => this.submit(), "aria-disabled": "true" });
    #stop = button(text.composer.stop, { icon: "stop", kind: "main round", press: () => this.#pressStop(), hidden: true });
    #thinking = button(text.composer.thinking, { words: true, icon: "think", kind: "quiet toggle", press: () => this.#toggleThinking(), hidden: true });
    #attachments = new Attachments();
    #dictation = new Dictation((words) => this.insert(words));
    #strips = new ComposerStrips(this);
    #editing = null;
    #chat = null;
    #keeping = null;
    /** While a new chat is on its way: the text of the chat that is still shown; null otherwise. */
    #left = null;

    constructor() {
        const bar = make("div", { class: "composer-bar" }, this.#attachments.opener, this.#dictation.opener, this.#thinking,
            make("span", { class: "space" }), this.#stop, this.#send);
        const box = make("div", { class: "composer-box" }, this.#strips.element, this.#attachments.element,
            this.#dictation.element, this.field, bar);
        this.element = make("section", { class: "composer", "aria-label": text.composer.label }, box);
        this.field.addEventListener("input", () => this.#typed());
        this.field.addEventListener("keydown", (event) => this.#keyPressed(event));
        this.#attachments.receive(box, this.field);
        box.addEventListener("click", (event) => event.target === box && this.field.focus());
        addEventListener("pagehide", () => {
            this.#keep();
            leaveDrafts();
        });
        store.on("chat", () => this.#changeChat());
        store.on("begins", () => this.#leave());
        store.on("stays", () => this.#stay());
        store.on(["status", "connection", "models", "message", "messages", "outbox", "attachments"], () => nextFrame("composer", () => this.draw()));
        store.on("edit", (message) => this.edit(message));
        store.on("reply", (message) => this.#reply(message));
        store.on("prompt", (words) => this.#take(words));
        store.on("unsent", (entry) => this.#takeBack(entry));
    }

    /** The message that is being edited; null for a new one. */
    get editing() {
        return this.#editing;
    }

    get hasText() {
        return this.field.value.trim() !== "" || this.#attachments.ready.length > 0;
    }

    /** Puts words where the reader is writing. */
    insert(words) {
        const { selectionStart, selectionEnd, value } = this.field;
        const gap = selectionStart > 0 && !/\s$/.test(value.slice(0, selectionStart)) ? " " : "";
        this.field.setRangeText(gap + words, selectionStart, selectionEnd, "end");
        this.#typed();
        this.field.focus();
    }

    /** Puts an earlier question into the field, to be replaced. */
    edit(message) {
        this.#editing = { id: message.id, held: this.#editing ? this.#editing.held : this.field.value };
        this.#setText(message.text ?? "");
        this.field.focus();
        this.draw();
    }

    /** Leaves the earlier question as it was. */
    cancelEdit() {
        const held = this.#editing?.held ?? "";
        this.#editing = null;
        this.#setText(held);
        this.field.focus();
        this.draw();
    }

    /** Whether Esc had something to leave here. */
    escape() {
        if (this.#dictation.escape()) return true;
        if (this.#editing) {
            this.cancelEdit();
            return true;
        }
        return false;
    }

    /** Sends what is written, queues it while a reply is written, and keeps it while the server is gone. */
    submit() {
        const words = this.field.value;
        if (!this.hasText || !this.#canSend || this.#attachments.isBusy) return;
        const { status } = store;
        const editing = this.#editing;
        if (status.is_generating && !editing) {
            // A message that waits has no attachments; they are not to be left behind.
            if (status.queued || words.trim() === "" || this.#attachments.ready.length > 0) return;
            this.#dispatch("queue", { text: words });
        } else if (editing) {
            this.#dispatch("edit", { message: editing.id, text: words });
        } else {
            this.#dispatch("send", { text: words, attachments: this.#attachments.ready, replying_to: status.replying_to ?? null });
        }
    }

    #dispatch(type, values) {
        // What was written before an earlier question came into the field is still to be sent.
        const held = this.#editing?.held ?? "";
        this.#editing = null;
        this.#setText(held);
        this.#keep();
        this.field.focus();
        // A message that waits in line is read later, and the reader may be reading something else now.
        if (type !== "queue") store.tell("sent");
        outbox.send(store.chat.id, type, values);
        this.draw();
    }

    // What waits, or is on its way, would be replaced by another message.
    get #canSend() {
        const { status } = store;
        return Boolean(status) && this.#left === null && (status.is_model_loaded || !store.isLive || this.#modelComes) && !draft(store.chat.id).pending;
    }

    /** Whether a model will be there by itself: it is being loaded, or fetched for the first start. */
    get #modelComes() {
        const jobs = store.state.models.jobs ?? [];
        return store.status.is_model_loading || jobs.some(isBusy);
    }

    /** Brings the controls to the state. */
    draw() {
        const { status } = store;
        if (!status) return;
        const isBusy = status.is_generating || status.is_preparing || Boolean(store.growing && isGrowing(store.growing));
        const queues = isBusy && this.hasText && !status.queued && !this.#editing && this.#attachments.ready.length === 0;
        setShown(this.#stop, isBusy);
        setAttribute(this.#stop, "aria-disabled", store.isLost ? "true" : null);
        setShown(this.#send, !isBusy || queues || (this.#editing !== null));
        const label = this.#editing ? text.composer.sendEdit : isBusy ? text.composer.queue : text.composer.send;
        setAttribute(this.#send, "aria-label", label);
        setAttribute(this.#send, "title", label);
        setAttribute(this.#send, "aria-disabled", this.hasText && this.#canSend && !this.#attachments.isBusy ? null : "true");
        setAttribute(this.#thinking, "aria-pressed", String(Boolean(status.thinking_enabled)));
        setShown(this.#thinking, this.#canThink());
        this.#attachments.draw();
        this.#dictation.draw();
        this.#strips.draw();
        // The name is said by the placeholder as long as there is nothing to say about the state.
        setText(this.#strips.state, this.#strips.stateWords());
    }

    #canThink() {
        return Boolean(store.model) && can(store.model, "reasoning");
    }

    #changeChat() {
        if (this.#chat === store.chat.id) return this.draw();
        // What was typed before the page had heard of any chat, or of the new one, belongs to the one that comes.
        const early = this.#chat === null || this.#left !== null ? this.field.value : "";
        this.#keep();
        this.#left = null;
        this.#chat = store.chat.id;
        this.#editing = null;
        const kept = openDraft(this.#chat).text ?? "";
        this.field.value = kept && early ? `${kept}\n${early}` : kept || early;
        this.#fit();
        this.draw();
    }

    /** Puts the text of this chat aside: what is typed from now on is for the chat that comes. */
    #leave() {
        if (!this.#chat || this.#left !== null) return;
        this.#left = this.#editing ? this.#editing.held : this.field.value;
        this.#editing = null;
        this.#setText("");
        this.#keep();
        if (!matchMedia("(pointer: coarse)").matches) this.field.focus({ preventScroll: true });
    }

    /** No other chat has come. */
    #stay() {
        if (this.#left === null) return;
        const words = [this.#left, this.field.value].filter(Boolean).join("\n");
        this.#left = null;
        this.#setText(words);
    }

    #typed() {
        this.#fit();
        this.draw();
        clearTimeout(this.#keeping);
        this.#keeping = setTimeout(() => this.#keep(), 300);
    }

    #setText(words) {
        this.field.value = words;
        this.#typed();
        this.field.setSelectionRange(words.length, words.length);
    }

    #keep() {
        clearTimeout(this.#keeping);
        const words = this.#left ?? (this.#editing ? this.#editing.held : this.field.value);
        if (this.#chat) keepDraft(this.#chat, { ...draft(this.#chat), text: words });
    }

    /** Browsers without `field-sizing` get their height here. */
    #fit() {
        if (CSS.supports("field-sizing", "content")) return;
        this.field.style.height = "auto";
        this.field.style.height = `${this.field.scrollHeight}px`;
    }

    #take(words) {
        const held = this.field.value;
        this.#setText(words);
        this.submit();
        // What was being written is still to be sent.
        if (held) this.#setText([held, this.field.value].filter(Boolean).join("\n"));
        this.field.focus();
    }

    /** A message that could not be sent comes back into the field, before what was written since. */
    #takeBack({ chat, text: words }) {
        if (chat !== this.#chat || !words) return;
        const before = (since) => (since ? `${words}\n${since}` : words);
        // Where the field has something else for now, it waits with what that has put aside.
        if (this.#left !== null) this.#left = before(this.#left);
        else if (this.#editing) this.#editing.held = before(this.#editing.held);
        else return this.#setText(before(this.field.value));
        this.#keep();
    }

    async #reply(message) {
        if (await ask("replyTo", { message: message.id })) this.field.focus();
    }

    #toggleThinking() {
        ask("set", { name: "thinking_enabled", value: !store.status.thinking_enabled });
    }

    #pressStop() {
        stop();
        this.field.focus();
    }

    #keyPressed(event) {
        // While an input method composes a word, Enter belongs to it.
        if (composes(event)) return;
        if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
            event.preventDefault();
            this.submit();
        } else if (event.key === "ArrowUp" && this.field.value === "" && !event.shiftKey) {
            const last = store.messages.findLast((message) => message.author === "user");
            if (!last || store.status.is_generating) return;
            event.preventDefault();
            this.edit(last);
        }
    }
}
