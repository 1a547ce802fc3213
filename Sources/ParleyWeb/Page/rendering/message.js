// SPDX-License-Identifier: Apache-2.0
// One message: who speaks, thoughts, text, cards, sources, its state in words, and what can be done with it.

import { make, setAttribute, setShown, setText } from "./dom.js";
import { showBlocks } from "./blocks.js";
import { updateCards } from "./card.js";
import { Footer } from "./message-footer.js";
import { attachmentsOf, quoteOf, sourcesOf } from "./message-parts.js";
import { daysAgo, duration, fullDate, machineDate, relativeDay, share, time } from "../app/format.js";
import { isGrowing, store } from "../app/store.js";
import { text } from "../app/strings.js";

let number = 0;

class Message extends HTMLElement {
    /** The message that is shown. */
    message = null;
    /** What the nodes show: the lists that were drawn last. */
    #drawn = { blocks: [], thinking: [], parts: null };
    #parts = {};
    #footer = null;

    /** Builds the frame, which holds for as long as the message is in the page. */
    begin(message) {
        number += 1;
        this.message = message;
        this.dataset.id = message.id;
        this.dataset.author = message.author;
        const isUser = message.author === "user";
        const name = isUser ? text.message.you : text.message.model;
        const parts = this.#parts;
        parts.name = make("h2", { class: isUser ? "spoken" : "speaker", id: `speaker-${number}`, text: name });
        parts.time = make("time", { class: "time" });
        parts.quote = make("div", { class: "quoted", hidden: true });
        parts.attachments = make("div", { class: "attached", hidden: true });
        parts.body = make("div", { class: "body", dir: "auto" });
        parts.state = make("p", { class: "state", hidden: true });
        parts.cards = make("div", { class: "cards", hidden: true });
        parts.sources = make("div", { class: "sources", hidden: true });
        this.#footer = new Footer(this);
        const label = { class: "message", "aria-labelledby": parts.name.id, tabindex: -1, "aria-describedby": "message-hint" };
        parts.article = make("article", label, make("header", { class: "head" }, parts.name, parts.time), parts.quote,
            parts.attachments, parts.body, parts.state, parts.cards, parts.sources, this.#footer.element);
        this.append(parts.article);
        this.draw();
    }

    /** The element that gets the focus. */
    get article() {
        return this.#parts.article;
    }

    /** Brings the nodes to the message. What is the same stays as it is: a delta changes the tail of its text only. */
    draw() {
        const { message } = this;
        setAttribute(this, "data-state", isLost(message) ? "lost" : (message.state ?? "done"));
        if (message.author === "user") this.#drawWords();
        else this.#drawReply();
        this.#drawState();
        // Deltas leave all of this as it is; compare it once for all.
        const { attachments, replying_to, cards, sources, versions, receipt, is_untrusted, date, state, can_be_continued, replay } = message;
        const key = JSON.stringify([attachments, replying_to, cards, sources, versions, receipt, is_untrusted, date, state,
            can_be_continued, replay]);
        if (key !== this.#drawn.parts) {
            this.#drawn.parts = key;
            this.#drawParts();
        }
    }

    /** Draws the day above a message of another day than the one before it; null for none before. */
    drawDay(before) {
        const { date } = this.message;
        const begins = before ? daysAgo(before.date) !== daysAgo(date) : daysAgo(date) > 0;
        if (!begins && !this.#parts.day) return;
        if (!this.#parts.day) {
            this.#parts.day = make("time");
            this.prepend(make("p", { class: "date-line" }, this.#parts.day));
        }
        setText(this.#parts.day, relativeDay(date));
        setAttribute(this.#parts.day, "datetime", machineDate(date).slice(0, 10));
        setShown(this.firstChild, begins);
    }

    /** Draws what depends on all else: the message that is replied to, whether this is the last, and whether a reply comes. */
    drawPlace(isLast) {
        this.classList.toggle("last", isLast);
        quoteOf(this.#parts.quote, this.message);
        this.#footer.offerAnswer(isLast && Boolean(store.status) && !store.status.is_generating);
    }

    /**
     * Opens the message for the Tab key, and goes to what most likely comes next: a card's choice, Continue where the
     * reply was cut short, else its actions.
     */
    enter() {
        this.classList.add("entered");
        for (const control of this.#controls()) control.tabIndex = 0;
        const choice = this.querySelector(".card-choices button:not([aria-disabled=true]), .card-form input, .card-form textarea")
            ?? [...this.querySelectorAll(".next-steps button")].find((step) => step.checkVisibility());
        (choice ?? this.#footer.first)?.focus();
    }

    /** Closes the message for the Tab key again. */
    leave() {
        if (!this.classList.contains("entered")) return;
        this.classList.remove("entered");
        for (const control of this.#controls()) control.tabIndex = -1;
    }

    #controls() {
        return this.querySelectorAll("a[href], button, summary, input:not([disabled]), textarea");
    }

    // A user's message is text as it was written; Markdown in it is not read.
    #drawWords() {
        const shown = this.message.text ?? "";
        if (this.#parts.body.textContent !== shown) this.#parts.body.textContent = shown;
        setShown(this.#parts.body, shown !== "");
    }

    #drawReply() {
        const { message } = this;
        const parts = this.#parts;
        this.#drawThinking();
        if (message.blocks !== this.#drawn.blocks) {
            showBlocks(parts.body, this.#drawn.blocks, message.blocks);
            this.#drawn.blocks = message.blocks;
            this.#showTail();
        }
        setShown(parts.body, message.blocks.length > 0);
    }

    /** A folded block of code shows its end while it is written. */
    #showTail() {
        const tail = this.#parts.body.lastElementChild;
        const isWritten = this.message.state === "writing";
        if (this.#drawn.tail && (this.#drawn.tail !== tail || !isWritten)) this.#drawn.tail.showEnd?.(false);
        if (isWritten) tail?.showEnd?.(true);
        this.#drawn.tail = tail;
    }

    #drawThinking() {
        const { message } = this;
        const thoughts = message.thinking ?? [];
        const isThinking = message.state === "thinking" && !isLost(message);
        if (thoughts.length === 0 && !this.#parts.thinking) return;
        if (!this.#parts.thinking) {
            this.#parts.summary = make("summary", { tabindex: this.classList.contains("entered") ? 0 : -1 });
            this.#parts.thoughts = make("div", { class: "thoughts", dir: "auto" });
            this.#parts.thinking = make("details", { class: "thinking" }, this.#parts.summary, this.#parts.thoughts);
            this.#parts.body.before(this.#parts.thinking);
        }
        const seconds = message.thinking_seconds;
        const known = typeof seconds === "number";
        const present = known ? text.message.thinkingFor(duration(seconds)) : text.message.thinking;
        const past = known ? text.message.thoughtFor(duration(seconds)) : text.message.thought;
        setText(this.#parts.summary, isThinking ? present : past);
        if (thoughts !== this.#drawn.thinking) {
            showBlocks(this.#parts.thoughts, this.#drawn.thinking, thoughts);
            this.#drawn.thinking = thoughts;
        }
        setShown(this.#parts.thinking, thoughts.length > 0);
    }

    #drawState() {
        const said = stateWords(this.message, Boolean(this.#parts.thinking));
        setText(this.#parts.state, said);
        setShown(this.#parts.state, said !== "");
        setAttribute(this.#parts.article, "aria-busy", isGrowing(this.message) && !isLost(this.message) ? "true" : null);
    }

    #drawParts() {
        const { message } = this;
        const parts = this.#parts;
        setText(parts.time, time(message.date));
        setAttribute(parts.time, "datetime", machineDate(message.date));
        setAttribute(parts.time, "title", fullDate(message.date));
        attachmentsOf(parts.attachments, message);
        quoteOf(parts.quote, message);
        updateCards(parts.cards, message);
        sourcesOf(parts.sources, message);
        this.#footer.draw(message);
        if (this.classList.contains("entered")) for (const control of this.#controls()) control.tabIndex = 0;
    }
}

/** Whether a reply was being made when the server went away: nobody knows whether it still is. */
const isLost = (message) => isGrowing(message) && store.isLost;

/** What is happening with a message, in words; empty for one that is simply done. */
export function stateWords(message, showsThinking = false) {
    if (message.author === "user") return "";
    if (isLost(message)) return text.states.lost;
    switch (message.state) {
        case "queued": return text.states.queued(message.place);
        case "preparing": return text.states.preparing;
        case "reading": return text.states.reading(message.fraction ? share(message.fraction) : "");
        // The line above the thoughts says so already.
        case "thinking": return showsThinking ? "" : text.states.thinking;
        case "writing": return message.blocks.length === 0 ? text.states.writing : "";
        case "stopped": return text.states.stopped;
        case "timed_out": return text.states.timed_out;
        case "failed": return message.failure || text.states.failed;
        case "continued": return text.states.continued;
        default: return message.ending && message.ending !== "stop" ? (text.endings[message.ending] ?? "") : "";
    }
}

customElements.define("parley-message", Message);

/** Makes the element of a message. */
export function messageElement(message) {
    const element = document.createElement("parley-message");
    element.begin(message);
    return element;
}
