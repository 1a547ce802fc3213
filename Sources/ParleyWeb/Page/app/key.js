// SPDX-License-Identifier: Apache-2.0
// The key that the server asks for. It comes once in the address, after `#`, which browsers send to nobody.

const name = "parley.key";
let held = null;

/** Takes the key out of the address, so that it does not stay in the history, in bookmarks and in pictures; whether it was there. */
export function takeKeyFromAddress() {
    const parts = location.hash.replace(/^#/, "").split("&");
    const part = parts.find((candidate) => candidate.startsWith("key="));
    if (!part) return false;
    const rest = parts.filter((candidate) => candidate !== part).join("&");
    history.replaceState(null, "", location.pathname + location.search + (rest ? `#${rest}` : ""));
    keep(decode(part.slice(4)));
    return true;
}

/** Keeps a key that was pasted; an address with a key in it is fine as well. */
export function keep(value) {
    const trimmed = value.trim();
    const at = trimmed.indexOf("#key=");
    held = at >= 0 ? decode(trimmed.slice(at + 5).split("&")[0]) : trimmed;
    try {
        localStorage.setItem(name, held);
    } catch {
        // Without storage the key holds until the page is closed.
    }
}

/** The key, or null. */
export function key() {
    if (held !== null) return held;
    try {
        held = localStorage.getItem(name);
    } catch {
        held = null;
    }
    return held;
}

// A key given to one tab is for all.
addEventListener("storage", (event) => {
    if (event.key === name) held = event.newValue;
});

function decode(value) {
    try {
        return decodeURIComponent(value);
    } catch {
        return value;
    }
}
