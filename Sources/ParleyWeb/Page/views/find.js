// SPDX-License-Identifier: Apache-2.0
// Search in the chat that is shown. Matches are painted by the browser's highlights: not one node is changed for them.

import { button, make, setShown, setText } from "../rendering/dom.js";
import { count } from "../app/format.js";
import { store } from "../app/store.js";
import { text } from "../app/strings.js";

const mostMatches = 2000;

/** The strip with the field, the number of matches, and the way from one to the next. */
export class Find {
    element = make("div", { class: "find", role: "search", "aria-label": text.chat.find, hidden: true });
    #field = make("input", { type: "search", class: "field-input", "aria-label": text.chat.findLabel, autocomplete: "off", dir: "auto" });
    #said = make("span", { class: "find-said", role: "status" });
    #log;
    #ranges = [];
    #at = -1;

    constructor(log) {
        this.#log = log;
        const step = (label, name, by) => button(label, { icon: name, kind: "quiet small", press: () => this.#go(by) });
        this.element.append(this.#field, this.#said, step(text.chat.findBack, "back", -1), step(text.chat.findNext, "next", 1),
            button(text.close, { icon: "close", kind: "quiet small", press: () => this.close() }));
        this.#field.addEventListener("input", () => this.#search());
        this.#field.addEventListener("keydown", (event) => {
            if (event.key !== "Enter" || event.isComposing) return;
            event.preventDefault();
            this.#go(event.shiftKey ? -1 : 1);
        });
        store.on("chat", () => this.isOpen && this.#search());
    }

    get isOpen() {
        return !this.element.hidden;
    }

    open() {
        setShown(this.element, true);
        this.#field.focus();
        this.#field.select();
        this.#search();
    }

    close() {
        if (!this.isOpen) return false;
        setShown(this.element, false);
        this.#paint([]);
        this.#log.focus();
        return true;
    }

    #search() {
        const wanted = this.#field.value.trim().toLowerCase();
        const ranges = [];
        if (wanted) {
            for (const place of this.#log.element.querySelectorAll(".body, .thoughts")) this.#searchIn(place, wanted, ranges);
        }
        this.#at = ranges.length - 1;
        this.#paint(ranges);
        if (ranges.length > 0) this.#show();
        else setText(this.#said, wanted ? text.chat.notFound : "");
        this.#said.title = store.chat.earlier > 0 ? text.chat.findEarlier : "";
    }

    #searchIn(place, wanted, ranges) {
        const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
        while (walker.nextNode() && ranges.length < mostMatches) {
            const { currentNode: node } = walker;
            const words = node.data.toLowerCase();
            for (let at = words.indexOf(wanted); at >= 0; at = words.indexOf(wanted, at + wanted.length)) {
                // Lower case may be longer than what it comes from; such a match is left out rather than painted wrongly.
                if (at + wanted.length > node.data.length) break;
                const range = document.createRange();
                range.setStart(node, at);
                range.setEnd(node, at + wanted.length);
                ranges.push(range);
            }
        }
    }

    #paint(ranges) {
        this.#ranges = ranges;
        if (!CSS.highlights) return;
        if (ranges.length === 0) {
            CSS.highlights.delete("found");
            CSS.highlights.delete("found-here");
        } else {
            CSS.highlights.set("found", new Highlight(...ranges));
        }
    }

    #go(by) {
        if (this.#ranges.length === 0) return;
        this.#at = (this.#at + by + this.#ranges.length) % this.#ranges.length;
        this.#show();
    }

    #show() {
        const range = this.#ranges[this.#at];
        if (CSS.highlights) CSS.highlights.set("found-here", new Highlight(range));
        range.startContainer.parentElement.closest("details")?.setAttribute("open", "");
        range.startContainer.parentElement.scrollIntoView({ block: "center" });
        setText(this.#said, text.chat.found(count(this.#at + 1), count(this.#ranges.length)));
    }
}
