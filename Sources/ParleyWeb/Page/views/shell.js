// SPDX-License-Identifier: Apache-2.0
// The frame of the page: the side with the chats, which on narrow screens is a drawer, and the place of the screens.

import { button, make, setShown } from "../rendering/dom.js";
import { openModal } from "../app/modal.js";
import { prefer, preferences } from "../app/preferences.js";
import { keyShortcuts } from "../app/shortcuts.js";
import { words } from "../app/screen-strings.js";
import { Side } from "./side.js";

const narrow = matchMedia("(max-width: 699px)");

/** The frame of the page. */
export class Shell {
    element = make("div", { class: "app" });
    /** What scrolls: header and composer stick to its edges. */
    main = make("main", { class: "stage", tabindex: -1 });
    #side;
    #drawer = make("dialog", { class: "drawer", "aria-label": words.navigation });
    #openers = [];
    #stage = make("div", { class: "stage-frame" });

    constructor({ search, help }) {
        const after = (act) => () => {
            this.closeDrawer();
            act();
        };
        this.#side = new Side({ search: after(search), help: after(help), close: () => this.toggle() });
        this.#stage.append(this.main);
        this.element.append(this.#side.element, this.#stage, this.#drawer);
        this.#drawer.addEventListener("click", (event) => {
            if (event.target === this.#drawer || event.target.closest(".chat-link")) this.closeDrawer();
        });
        this.#drawer.addEventListener("close", () => this.#place());
        narrow.addEventListener("change", () => this.closeDrawer() || this.#place());
        this.#place();
    }

    /** A button that shows the chats; each screen has its own, for only one screen is there at a time. */
    navigationButton() {
        const opener = button(words.openChats, { icon: "menu", kind: "quiet opener", press: () => this.toggle(), "aria-keyshortcuts": keyShortcuts("chats") });
        this.#openers.push(opener);
        this.#place();
        return opener;
    }

    /** The first stop of the Tab key. */
    skipLink(target) {
        const press = () => target.focus();
        return make("div", { role: "region", "aria-label": words.toComposer, class: "skip" }, button(words.toComposer, { kind: "main", press }));
    }

    /** Puts something above the screens that does not scroll with them. */
    above(element) {
        this.#stage.prepend(element);
    }

    /** Marks the screen that is shown. */
    mark(screen) {
        this.#side.mark(screen);
    }

    /** Shows or hides the chats. */
    toggle() {
        if (!narrow.matches) {
            prefer("showsChats", !preferences.showsChats);
            this.#place();
            const shown = preferences.showsChats ? this.#side.element.querySelector(".side-head button") : this.#opener;
            shown?.focus();
        } else if (this.#drawer.open) {
            this.#drawer.close();
        } else {
            this.#drawer.append(this.#side.element);
            setShown(this.#side.element, true);
            openModal(this.#drawer);
        }
    }

    /** Closes the drawer; returns whether it was open. */
    closeDrawer() {
        if (!this.#drawer.open) return false;
        this.#drawer.close();
        return true;
    }

    get #opener() {
        return this.#openers.find((opener) => opener.checkVisibility());
    }

    /** Puts the side where it belongs: beside the screens, or away until the drawer opens. */
    #place() {
        if (!this.#drawer.open && this.#side.element.parentElement !== this.element) this.element.prepend(this.#side.element);
        const isShown = !narrow.matches && preferences.showsChats;
        setShown(this.#side.element, isShown || this.#drawer.open);
        this.element.classList.toggle("with-side", isShown);
        for (const opener of this.#openers) setShown(opener, !isShown);
    }
}
