// SPDX-License-Identifier: Apache-2.0
// What concerns this browser alone: looks, and how much is spoken. All else is the server's.

const name = "parley.preferences";

const standard = {
    theme: "system", // light, dark, system
    textSize: "medium", // small, medium, large, largest
    speaks: "sentences", // sentences, end, nothing
    wrapsCode: true,
    showsChats: true,
};

function read() {
    try {
        return { ...standard, ...JSON.parse(localStorage.getItem(name) ?? "{}") };
    } catch {
        // Storage may be forbidden, or hold something else. The page works with what is usual.
        return { ...standard };
    }
}

/** The preferences; change them by `prefer`. */
export const preferences = read();

/** Changes one preference, keeps it and shows it. */
export function prefer(key, value) {
    preferences[key] = value;
    try {
        localStorage.setItem(name, JSON.stringify(preferences));
    } catch {
        // It holds until the page is closed.
    }
    applyPreferences();
}

/** Brings the looks of the page to the preferences. */
export function applyPreferences() {
    const root = document.documentElement;
    root.dataset.theme = preferences.theme;
    root.dataset.textSize = preferences.textSize;
}

// Another tab changed them.
addEventListener("storage", (event) => {
    if (event.key !== name) return;
    Object.assign(preferences, read());
    applyPreferences();
});
