// SPDX-License-Identifier: Apache-2.0
// The messages of a chat: one element for each, kept as long as the message is there. It follows the end only while the
// reader is there.

import { button, composes, make, setShown, setText } from "../rendering/dom.js";
import { messageElement } from "../rendering/message.js";
import { loadEarlier, turnVersion } from "../app/actions.js";
import { count } from "../app/format.js";
import { nextFrame } from "../app/frame.js";
import { store } from "../app/store.js";
import { text } from "../app/strings.js";

/** Within this many pixels of the end the reader is at the end. */
const nearEnd = 48;

/** The list of messages in a scrolling element. */
export class Log {
    element = make("section", { class: "log", role: "log", "aria-live": "off", "aria-label": text.chat.messages });
    /** “New text below”, for a reader who is elsewhere. */
    below = button(text.chat.newBelow, { words: true, icon: "down", kind: "soft below", press: () => this.toEnd(true), hidden: true });
    #earlier = button(" ", { kind: "quiet earlier", press: () => this.#showEarlier(), hidden: true });
    #list = make("div", { class: "messages" });
    #elements = new Map();
    #dirty = new Set();
    #scroller;
    #follows = true;
    #growth;
    #lastTop = 0;
    #current = null;
    #last = null;
    #expected = null; // the message that gets the focus once it is there

    constructor(scroller) {
        this.#scroller = scroller;
        this.element.append(this.#earlier, this.#list);
        scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
        // Whatever grows, also by a picture or a block that is unfolded: at the end the reader stays at the end.
        const growth = new ResizeObserver(() => this.#follows && this.#jump());
        growth.observe(this.#list);
        growth.observe(scroller);
        this.#growth = growth;
        this.#list.addEventListener("keydown", (event) => this.#keyPressed(event));
        this.#list.addEventListener("focusin", (event) => this.#focused(event));
        this.#list.addEventListener("focusout", (event) => this.#unfocused(event));
        store.on("chat", () => this.#rebuild());
        store.on("messages", () => this.#changed());
        store.on("message", (id) => this.#mark(id));
        store.on("status", () => nextFrame("last", () => this.#last?.drawPlace(true)));
        store.on("connection", () => nextFrame("lost", () => this.#elements.get(store.growing?.id)?.draw()));
        store.on("earlier", () => this.#prepended());
        store.on("goTo", (id) => this.goTo(id));
        store.on("focus", (id) => this.focus(id));
        // Who sends something wants to see what comes of it; what another tab sends moves nobody.
        store.on("sent", () => this.toEnd());
        store.on("expect", (id) => (this.#expected = this.#list.contains(document.activeElement) ? id : null));
    }

    /** Follows the end also when something else in the scrolling element grows, such as the composer. */
    watch(element) {
        this.#growth.observe(element);
    }

    /** Goes to the end and follows it. */
    toEnd(focuses = false) {
        this.#follows = true;
        setShown(this.below, false);
        this.#jump();
        if (focuses) this.focus(this.#last?.dataset.id);
    }

    /** Shows a message, which gets the focus; earlier ones are fetched until it is there. */
    async goTo(id) {
        for (let tries = 0; tries < 50 && !this.#elements.has(id); tries += 1) {
            if (!(await loadEarlier())) break;
        }
        const element = this.#elements.get(id);
        if (!element) return false;
        this.#follows = false;
        element.article.focus({ preventScroll: true });
        element.scrollIntoView({ block: "center" });
        // Messages outside the view have an estimated height; the first scroll makes the heights real.
        requestAnimationFrame(() => element.scrollIntoView({ block: "center" }));
        element.classList.add("shown");
        setTimeout(() => element.classList.remove("shown"), 1600);
        return true;
    }

    /** Brings a piece of text into the middle, however long the text is in which it stands. */
    center(range) {
        const place = range.startContainer.parentElement;
        this.#follows = false;
        place.scrollIntoView({ block: "center" });
        const show = () => {
            const [here, all] = [range, this.#scroller].map((one) => one.getBoundingClientRect());
            this.#scroller.scrollBy(0, (here.top + here.bottom - all.top - all.bottom) / 2);
            place.closest("pre")?.scrollBy(here.left - all.left - all.width / 2, 0);
        };
        show();
        // The heights are real then, as above.
        requestAnimationFrame(show);
    }

    /** Gives the focus to a message, or to the one the Tab key reaches. */
    focus(id = null) {
        (this.#elements.get(id) ?? this.#current ?? this.#last)?.article.focus();
    }

    /** The element of the last message. */
    get last() {
        return this.#last;
    }

    #mark(id) {
        this.#dirty.add(id);
        nextFrame("log", () => this.#flush());
    }

    #flush() {
        for (const id of this.#dirty) this.#elements.get(id)?.draw();
        if (this.#follows) this.#jump();
        // What changes elsewhere, such as a card further up, is no news below.
        else if (this.#dirty.has(this.#last?.dataset.id)) setShown(this.below, true);
        this.#dirty.clear();
    }

    #rebuild() {
        const isSame = this.#list.dataset.chat === store.chat.id;
        if (!isSame) {
            this.#list.dataset.chat = store.chat.id;
            for (const element of this.#elements.values()) element.remove();
            this.#elements.clear();
            this.#follows = true;
            this.#current = null;
        }
        this.#align(true);
        if (this.#follows) this.toEnd();
    }

    #changed() {
        nextFrame("list", () => {
            const before = this.#last;
            this.#align(false);
            if (this.#follows) this.toEnd();
            else if (this.#last !== before) setShown(this.below, true);
        });
    }

    /** Brings the elements in line with the messages; those that stay are not touched, unless all may differ. */
    #align(drawsAll) {
        const messages = store.messages;
        const wanted = new Set(messages.map((message) => message.id));
        const focused = this.#list.contains(document.activeElement) ? document.activeElement.closest("parley-message") : null;
        const place = focused ? [...this.#list.children].indexOf(focused) : -1;
        for (const [id, element] of this.#elements) {
            if (wanted.has(id)) continue;
            element.remove();
            this.#elements.delete(id);
        }
        let next = this.#list.firstChild;
        let before = null;
        for (const message of messages) {
            let element = this.#elements.get(message.id);
            if (!element) {
                element = messageElement(message);
                this.#elements.set(message.id, element);
            } else if (drawsAll || element.message !== message) {
                element.message = message;
                element.draw();
            }
            element.drawDay(before);
            before = message;
            if (element === next) next = next.nextSibling;
            else this.#list.insertBefore(element, next);
        }
        this.#placeLast();
        // Where a message is gone, the focus goes to what is there now; and to another version as soon as that comes.
        const expected = this.#elements.get(this.#expected);
        if (focused && !focused.isConnected) (this.#list.children[place] ?? this.#last)?.article.focus({ preventScroll: true });
        if (expected) {
            this.#expected = null;
            if (focused) expected.article.focus({ preventScroll: true });
        }
        setShown(this.#earlier, store.chat.earlier > 0);
        setText(this.#earlier.firstChild, text.chat.earlier(count(store.chat.earlier)));
    }

    #placeLast() {
        const last = this.#list.lastElementChild;
        if (last !== this.#last) this.#last?.drawPlace(false);
        last?.drawPlace(true);
        this.#last = last;
        if (!this.#current?.isConnected) this.#setCurrent(last);
        else if (!this.#list.contains(document.activeElement)) this.#setCurrent(last);
    }

    async #showEarlier() {
        const first = this.#list.firstElementChild;
        if (await loadEarlier()) first?.previousElementSibling?.article.focus({ preventScroll: true });
    }

    /** Earlier messages came; what the reader looks at stays where it is. */
    #prepended() {
        const height = this.#scroller.scrollHeight;
        const top = this.#scroller.scrollTop;
        this.#follows = false;
        this.#align(false);
        const grown = this.#scroller.scrollHeight - height;
        if (this.#scroller.scrollTop === top) this.#scroller.scrollTop = top + grown;
        this.#lastTop = this.#scroller.scrollTop;
    }

    // MARK: Scrolling

    /** Whether another screen is shown in the same scrolling element. */
    get #isAway() {
        return this.element.closest("[hidden]") !== null;
    }

    #jump() {
        if (this.#isAway) return;
        this.#scroller.scrollTop = this.#scroller.scrollHeight;
        this.#lastTop = this.#scroller.scrollTop;
    }

    #scrolled() {
        if (this.#isAway) return;
        const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
        const isAtEnd = scrollHeight - scrollTop - clientHeight < nearEnd;
        // Growing text moves the end away from the reader, not the reader from the end: only a scroll upwards leaves it.
        if (isAtEnd) {
            this.#follows = true;
            setShown(this.below, false);
        } else if (scrollTop < this.#lastTop - 2) {
            this.#follows = false;
        }
        this.#lastTop = scrollTop;
    }

    // MARK: The keyboard

    #setCurrent(element) {
        if (this.#current === element) return;
        if (this.#current) this.#current.article.tabIndex = -1;
        this.#current = element;
        if (element) element.article.tabIndex = 0;
    }

    #focused(event) {
        this.#setCurrent(event.target.closest("parley-message"));
    }

    #unfocused(event) {
        const left = event.target.closest("parley-message");
        if (left && !left.contains(event.relatedTarget) && document.hasFocus()) left.leave();
    }

    #keyPressed(event) {
        const element = event.target.closest("parley-message");
        if (!element || event.defaultPrevented || composes(event) || event.ctrlKey || event.metaKey || event.altKey) return;
        const isInside = event.target !== element.article;
        if (isInside) {
            if (event.key !== "Escape") return;
            event.preventDefault();
            event.stopPropagation();
            element.leave();
            element.article.focus();
            return;
        }
        const target = {
            ArrowUp: () => element.previousElementSibling,
            ArrowDown: () => element.nextElementSibling,
            Home: () => this.#list.firstElementChild,
            End: () => this.#list.lastElementChild,
        }[event.key];
        if (target) {
            event.preventDefault();
            // Above the first message the earlier ones can be asked for.
            if (event.key === "ArrowUp" && !target() && !this.#earlier.hidden) this.#earlier.focus();
            else this.#goBy(target());
        } else if (event.key === "Enter") {
            event.preventDefault();
            element.enter();
        } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
            event.preventDefault();
            turnVersion(element.message, event.key === "ArrowLeft" ? -1 : 1);
        }
    }

    #goBy(element) {
        if (!element) return;
        element.article.focus({ preventScroll: true });
        element.scrollIntoView({ block: "nearest" });
    }
}
