// SPDX-License-Identifier: Apache-2.0
// Search in the chat that is shown. Matches are painted by the browser's highlights: not one node is changed for them.

import { button, make, onEnter, setShown, setText } from "../rendering/dom.js";
import { ask } from "../app/actions.js";
import { places } from "../app/finding.js";
import { count } from "../app/format.js";
import { store } from "../app/store.js";
import { text } from "../app/strings.js";

const mostMatches = 2000;
/** Time after the last key before the server is asked about messages that are not in the page, in milliseconds. */
const pause = 150;

/** The strip with the field, the number of matches, and the way from one to the next. */
export class Find {
    element = make("div", { class: "find", role: "search", "aria-label": text.chat.find, hidden: true });
    #field = make("input", { type: "search", class: "field-input", "aria-label": text.chat.findLabel, autocomplete: "off", dir: "auto" });
    #said = make("span", { class: "find-said", role: "status" });
    #log;
    #ranges = [];
    #at = -1;
    /** Messages with matches that are not in the page, in order, all before those that are: `{message, count}`. */
    #elsewhere = [];
    #timer = null;

    constructor(log) {
        this.#log = log;
        const step = (label, name, by) => button(label, { icon: name, kind: "quiet small", press: () => this.#go(by) });
        this.element.append(this.#field, this.#said, step(text.chat.findBack, "back", -1), step(text.chat.findNext, "next", 1),
            button(text.close, { icon: "close", kind: "quiet small", press: () => this.close() }));
        this.#field.addEventListener("input", () => this.#search());
        onEnter(this.#field, (event) => this.#go(event.shiftKey ? -1 : 1));
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
        this.#elsewhere = [];
        this.#collect();
        this.#at = this.#ranges.length - 1;
        if (this.#ranges.length > 0) this.#show();
        else this.#say();
        clearTimeout(this.#timer);
        if (this.#wanted && store.chat.earlier > 0) this.#timer = setTimeout(() => this.#askServer(this.#wanted), pause);
    }

    get #wanted() {
        return this.#field.value.trim();
    }

    /** Finds the matches that are in the page. */
    #collect() {
        const ranges = [];
        if (this.#wanted) {
            for (const place of this.#log.element.querySelectorAll(".body, .thoughts")) this.#searchIn(place, this.#wanted, ranges);
        }
        this.#paint(ranges);
        this.#elsewhere = this.#elsewhere.filter((hit) => !store.message(hit.message));
    }

    /** Finds out about messages that are not in the page. */
    async #askServer(wanted) {
        const chat = store.chat.id;
        const answer = await ask("findInChat", { query: wanted });
        if (!answer || wanted !== this.#wanted || chat !== store.chat.id || !this.isOpen) return;
        this.#elsewhere = answer.hits.filter((hit) => !store.message(hit.message));
        this.#say();
    }

    #say() {
        const before = this.#elsewhere.reduce((sum, hit) => sum + hit.count, 0);
        const all = before + this.#ranges.length;
        const at = this.#at < 0 ? text.chat.foundEarlier(count(before)) : text.chat.found(count(before + this.#at + 1), count(all));
        setText(this.#said, !this.#wanted ? "" : all === 0 ? text.chat.notFound : at);
    }

    #searchIn(place, wanted, ranges) {
        const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
        while (walker.nextNode() && ranges.length < mostMatches) {
            const { currentNode: node } = walker;
            for (const [from, to] of places(node.data, wanted, mostMatches - ranges.length)) {
                const range = document.createRange();
                range.setStart(node, from);
                range.setEnd(node, to);
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
        const next = this.#at + by;
        const isOver = next < 0 || next >= this.#ranges.length;
        if (isOver && this.#elsewhere.length > 0) return this.#goElsewhere(this.#elsewhere.at(next < 0 ? -1 : 0), by);
        if (this.#ranges.length === 0) return null;
        this.#at = (next + this.#ranges.length) % this.#ranges.length;
        return this.#show();
    }

    /** Brings messages into the page up to one with a match, and goes there. */
    async #goElsewhere(hit, by) {
        setText(this.#said, text.loading);
        const isThere = await this.#log.goTo(hit.message);
        this.#field.focus();
        if (!isThere) return this.#say();
        this.#collect();
        const places = this.#ranges.flatMap((range, index) => (range.startContainer.parentElement.closest("parley-message")?.dataset.id === hit.message ? [index] : []));
        // Marks of Markdown are found by the server and are not in the page.
        this.#at = Math.max(0, (by < 0 ? places.at(-1) : places[0]) ?? 0);
        return this.#ranges.length > 0 ? this.#show() : this.#say();
    }

    #show() {
        const range = this.#ranges[this.#at];
        const place = range.startContainer.parentElement;
        if (CSS.highlights) CSS.highlights.set("found-here", new Highlight(range));
        place.closest("details")?.setAttribute("open", "");
        place.closest("parley-code")?.unfold();
        this.#log.center(range);
        this.#say();
    }
}
