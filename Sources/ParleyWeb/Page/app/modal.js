// SPDX-License-Identifier: Apache-2.0
// Dialogs that cover the page: under one of them nothing else is reached, by hand, by keyboard or by ear.

const followers = [];

/** The dialog on top; null for none. */
const topDialog = () => [...document.querySelectorAll("dialog:modal")].at(-1) ?? null;

/** Opens a dialog over the page. The browser gives the focus back to where it was; if that is gone, to what is there now. */
export function openModal(dialog) {
    const opener = document.activeElement;
    dialog.showModal();
    place();
    dialog.addEventListener("close", () => {
        place();
        if (opener.isConnected || document.activeElement !== document.body) return;
        const next = [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === opener.dataset.key && one.checkVisibility());
        if (next) next.focus();
        else goOn();
    }, { once: true });
}

/** Keeps an element within reach: in the dialog on top, else in the page. `moved()` is called when it was put elsewhere. */
export function keepInReach(element, moved) {
    followers.push({ element, moved });
    return element;
}

function place() {
    const home = topDialog() ?? document.body;
    for (const { element, moved } of followers) {
        if (element.parentElement === home) continue;
        home.append(element);
        moved();
    }
}

/** Gives the focus to what is done next: in the dialog on top, in the field for messages, or at the heading of the screen. */
export function goOn() {
    const places = topDialog()?.querySelectorAll("input, textarea, button")
        ?? [document.querySelector("#composer"), ...document.querySelectorAll("main h1")];
    [...places].find((one) => one.checkVisibility())?.focus();
}
