// SPDX-License-Identifier: Apache-2.0
// What can be done with a message: a toolbar with versions, and for replies that were cut short what to do next.

import { button, detail, make, setShown, setText } from "./dom.js";
import { menuButton } from "./popover.js";
import { Receipt } from "./receipt.js";
import { ask, branch, continueReply, deleteMessage, position, regenerate, turnVersion } from "../app/actions.js";
import { copy } from "../app/clipboard.js";
import { count } from "../app/format.js";
import { can, isGrowing, store } from "../app/store.js";
import { text } from "../app/strings.js";

const unfinished = new Set(["stopped", "timed_out", "failed"]);

/** The last line of a message. */
export class Footer {
    element = make("footer", { class: "foot" });
    #owner;
    #bar = make("div", { class: "toolbar", role: "toolbar", "aria-label": text.message.actions });
    #next = make("div", { class: "next-steps", hidden: true });
    #versions = make("div", { class: "versions", role: "group", "aria-label": text.message.versions, hidden: true });
    #at = make("span", { class: "at" });
    #more = null;
    #receipt = new Receipt(() => this.#message);

    constructor(owner) {
        this.#owner = owner;
        const step = (label, name, by) => button(label, {
            icon: name, kind: "quiet small", isInner: true, press: () => turnVersion(this.#message, by),
        });
        this.#versions.append(step(text.message.versionBack, "back", -1), this.#at, step(text.message.versionNext, "next", 1));
        this.#fillBar();
        this.#fillNext();
        this.element.append(this.#next, make("div", { class: "foot-line" }, this.#versions, this.#bar));
        this.#bar.addEventListener("keydown", (event) => this.#move(event));
    }

    /** The first control, for the focus. */
    get first() {
        return this.#bar.querySelector("button");
    }

    /** Brings the line to the message. */
    draw(message) {
        const isBusy = isGrowing(message);
        setShown(this.#bar, !isBusy);
        if (message.author === "assistant") {
            // A reply that reached its limit of tokens is done, and can be continued all the same.
            const isCut = unfinished.has(message.state) || message.can_be_continued === true;
            setShown(this.#next, isCut && !isBusy);
            // A server that knows that nothing can be continued says so.
            setShown(this.#next.firstChild, message.can_be_continued !== false);
        }
        const { index, count: versions } = position(message);
        setShown(this.#versions, versions > 1 && !isBusy);
        setText(this.#at, text.message.version(count(index + 1), count(versions)));
        this.#versions.firstChild.setAttribute("aria-disabled", String(index <= 0));
        this.#versions.lastChild.setAttribute("aria-disabled", String(index >= versions - 1));
        if (this.#more) setShown(this.#more, Boolean(message.receipt));
        this.#receipt.update();
    }

    get #message() {
        return this.#owner.message;
    }

    #fillBar() {
        const inner = { kind: "quiet small", isInner: true };
        const isUser = this.#message.author === "user";
        const copyButton = button(text.message.copy, { ...inner, icon: "copy", press: () => copy(this.#message.text ?? "") });
        const replyButton = button(text.message.reply, { ...inner, icon: "reply", press: () => store.tell("reply", this.#message) });
        this.#bar.append(copyButton);
        if (isUser) {
            this.#bar.append(button(text.message.edit, { ...inner, icon: "edit", press: () => store.tell("edit", this.#message) }));
        } else {
            const again = button(text.message.regenerate, { ...inner, icon: "again", press: () => regenerate(this.#message) });
            this.#more = button(text.message.details, { ...inner, icon: "info", press: () => this.#receipt.open(this.#more), "aria-haspopup": "dialog" });
            this.#bar.append(again, this.#more);
        }
        this.#bar.append(replyButton, menuButton(text.message.moreActions, () => this.#moreItems(), {
            ...inner, icon: "more",
        }));
    }

    #moreItems() {
        const message = this.#message;
        const items = [{ label: text.message.branch, icon: "branch", press: () => branch(message) }];
        if (message.author === "user") {
            const isPinned = store.status.pinned_prompts?.includes(message.text);
            const label = isPinned ? text.message.unpinPrompt : text.message.pinPrompt;
            items.push({ label, icon: "pin", press: () => ask("pinPrompt", { text: message.text }) });
        } else {
            const others = store.state.models.installed.filter((model) => {
                return can(model, "chat") && model.id !== store.status.model;
            });
            for (const model of others.slice(0, 8)) {
                const label = text.message.regenerateBy(model.title);
                items.push({ label, icon: "again", press: () => regenerate(message, model.id) });
            }
        }
        items.push(null, { label: text.message.remove, icon: "remove", press: () => this.#remove() });
        return items;
    }

    async #remove() {
        // The focus goes to the message that takes this one's place, not to the top of the page.
        const neighbour = this.#owner.nextElementSibling ?? this.#owner.previousElementSibling;
        const wasInside = this.#owner.contains(document.activeElement);
        if ((await deleteMessage(this.#message)) && wasInside) store.tell("focus", neighbour?.message?.id ?? null);
    }

    /** Offers to answer a question of which the answer is gone. */
    offerAnswer(isOffered) {
        if (this.#message.author === "user") setShown(this.#next, isOffered);
    }

    #fillNext() {
        const step = (label, name, press, kind = "soft") => button(label, { words: true, icon: name, kind, isInner: true, press });
        if (this.#message.author === "user") {
            this.#next.append(detail(text.message.unanswered),
                step(text.message.answer, "again", () => regenerate(this.#message)));
            return;
        }
        this.#next.append(
            step(text.message.continue, "next", () => continueReply(this.#message), "soft continue"),
            step(text.message.regenerate, "again", () => regenerate(this.#message)));
    }

    /** Arrows go through the toolbar, as toolbars do. */
    #move(event) {
        const controls = [...this.#bar.querySelectorAll("button:not([hidden])")];
        const at = controls.indexOf(document.activeElement);
        const target = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: controls.length - 1 }[event.key];
        if (at < 0 || target === undefined || !controls[target]) return;
        event.preventDefault();
        event.stopPropagation();
        controls[target].focus();
    }
}
