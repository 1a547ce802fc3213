// SPDX-License-Identifier: Apache-2.0
// Notices leave by themselves, wait while somebody is at them, and stay in a list.

import { newID, wish } from "./api.js";

/** Seconds that a notice is shown, by kind; one with something to press stays for as long as it can be pressed. */
const shownFor = { toast: 4, error: 9, undo: 10 };

class Notices {
    /** Those that are shown. */
    shown = [];
    /** All of this visit, the newest first. */
    all = [];
    unread = 0;
    #listeners = [];
    #isHeld = false;

    on(listener) {
        this.#listeners.push(listener);
    }

    /**
     * Shows `{kind, text}`, with `action: {label, press}` if there is something to do about it, and `over()` which is called
     * once it cannot be done any more; returns its id.
     */
    add({ kind = "toast", text, action = null, over = null, id = newID(), date = Date.now() / 1000, isOurs = true, chat = null }) {
        const notice = { id, kind, text, action, over, date, isOurs, chat, left: shownFor[action ? "undo" : kind] ?? shownFor.toast };
        // Each chat of the server counts its notices for itself.
        if (!isOurs) Object.assign(notice, { number: id, id: `${chat}/${id}` });
        // The same words again, such as those of a second failed try, are one notice with a new time.
        const isSaidAgain = (other) => other.text === text && (!other.action || kind === "error");
        this.#show(this.shown.filter((other) => !isSaidAgain(other)).concat(notice).slice(-4));
        this.all = [notice, ...this.all.filter((other) => other.id !== notice.id)].slice(0, 100);
        this.unread += 1;
        this.#tell();
        return notice.id;
    }

    /** Takes a notice away; it stays in the list. */
    dismiss(id) {
        const notice = this.shown.find((other) => other.id === id);
        this.#show(this.shown.filter((other) => other.id !== id));
        // The server counts the time of its own notices as well; it is told that this one is gone.
        if (notice && !notice.isOurs) wish("dismiss", { chat: notice.chat, notice: notice.number }).catch(() => {});
        this.#tell();
    }

    /** Takes back what can be done about a notice, and keeps its words. */
    settle(id) {
        for (const notice of this.all) if (notice.id === id) notice.action = null;
        this.dismiss(id);
    }

    /** Holds all notices while the pointer or the focus is at one. */
    hold(isHeld) {
        if (isHeld === this.#isHeld) return;
        this.#isHeld = isHeld;
        const foreign = this.shown.find((notice) => !notice.isOurs);
        if (foreign) wish("holdNotices", { chat: foreign.chat, on: isHeld }).catch(() => {});
    }

    /** All have been looked at. */
    markRead() {
        this.unread = 0;
        this.#tell();
    }

    /** Lets a second pass. */
    tick() {
        if (this.#isHeld || this.shown.length === 0) return;
        for (const notice of this.shown) notice.left -= 1;
        const gone = this.shown.filter((notice) => notice.left <= 0);
        if (gone.length === 0) return;
        this.#show(this.shown.filter((notice) => notice.left > 0));
        this.#tell();
    }

    #show(list) {
        const gone = this.shown.filter((notice) => !list.includes(notice));
        this.shown = list;
        for (const notice of gone) notice.over?.();
    }

    #tell() {
        for (const listener of this.#listeners) listener();
    }
}

/** The notices of the page. */
export const notices = new Notices();

setInterval(() => notices.tick(), 1000);
