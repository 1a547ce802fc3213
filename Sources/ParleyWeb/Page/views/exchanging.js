// SPDX-License-Identifier: Apache-2.0
// How chats are handed out and taken in, for every place that offers it.

import { button, make } from "../rendering/dom.js";
import { exportChat, importChats } from "../app/actions.js";
import { text } from "../app/strings.js";
import { words } from "../app/screen-strings.js";

/** The items of a menu that hand a chat out. */
export const exportItems = (chat) => [["md", "Markdown"], ["json", "JSON"], ["txt", "text"]].map(([format, name]) => ({
    label: text.chat.exportAs(name), icon: "save", press: () => exportChat(chat, format),
}));

/** A button that takes chats in, and the field for their files. */
export function importButton(kind) {
    const picker = make("input", { type: "file", accept: ".json,application/json", multiple: true, hidden: true, tabindex: -1, "aria-hidden": "true" });
    picker.addEventListener("change", () => {
        importChats([...picker.files]);
        // The same file can be chosen again.
        picker.value = "";
    });
    return [button(words.chats.import, { words: true, icon: "file", kind, press: () => picker.click(), "data-key": "import" }), picker];
}
