// SPDX-License-Identifier: Apache-2.0
// Which screen is shown stands in the address after `#`, so that Back, reload and bookmarks work.

const screens = new Set(["models", "settings", "performance"]);
const listeners = [];

/** The screen and the chat that the address names. */
export function route() {
    const [first, second] = location.hash.replace(/^#\/?/, "").split("/");
    if (screens.has(first)) return { screen: first, chat: null };
    return { screen: "chat", chat: first === "chat" && second ? second : null };
}

/** The address of a chat. */
export const chatAddress = (id) => `#/chat/${id}`;

/** The address of a screen; `chat` is the one edited last. */
export const screenAddress = (name) => (name === "chat" ? "#/" : `#/${name}`);

/** Goes to an address of the page. */
export function go(address, { replaces = false } = {}) {
    if (location.hash === address) return;
    if (replaces) {
        history.replaceState(null, "", address);
        return;
    }
    history.pushState(null, "", address);
    tell();
}

/** Calls a function whenever the address changes. */
export function onRoute(listener) {
    listeners.push(listener);
}

function tell() {
    const present = route();
    for (const listener of listeners) listener(present);
}

addEventListener("popstate", tell);
