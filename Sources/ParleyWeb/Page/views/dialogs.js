// SPDX-License-Identifier: Apache-2.0
// Dialogs that ask for one thing: a title, or a yes.

import { button, composes, make } from "../rendering/dom.js";
import { ask } from "../app/actions.js";
import { openModal } from "../app/modal.js";
import { text } from "../app/strings.js";

/** Opens a dialog and removes it when it closes. */
export function openDialog(label, content, { kind = "" } = {}) {
    const dialog = make("dialog", { class: `dialog ${kind}`.trim(), "aria-label": label }, content);
    document.body.append(dialog);
    dialog.addEventListener("close", () => dialog.remove());
    // A press beside the dialog closes it, as Esc does.
    dialog.addEventListener("pointerdown", (event) => {
        if (event.target !== dialog) return;
        const { left, right, top, bottom } = dialog.getBoundingClientRect();
        const isInside = event.clientX >= left && event.clientX <= right && event.clientY >= top && event.clientY <= bottom;
        if (!isInside) dialog.close();
    });
    openModal(dialog);
    return dialog;
}

/** A line with the title of a dialog and the button that closes it. */
export function dialogHead(title, close) {
    return make("header", { class: "dialog-head" }, make("h2", { text: title }),
        button(text.close, { icon: "close", kind: "quiet", press: close }));
}

/** Asks for a line of text; `use(value)` gets it. */
export function askForText({ title, label, value = "", action, use }) {
    const field = make("input", { type: "text", id: "asked-text", class: "field-input", autocomplete: "off", dir: "auto" });
    field.value = value;
    const submit = () => {
        if (field.value.trim() === "") return;
        dialog.close();
        use(field.value.trim());
    };
    field.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || composes(event)) return;
        event.preventDefault();
        submit();
    });
    const dialog = openDialog(title, [
        dialogHead(title, () => dialog.close()),
        make("label", { for: field.id, text: label }), field,
        make("div", { class: "dialog-foot" },
            button(text.cancel, { words: text.cancel, kind: "soft", press: () => dialog.close() }),
            button(action, { words: action, kind: "main", press: submit })),
    ], { kind: "small" });
    field.focus();
    field.select();
}

/** Asks before something that cannot be taken back. */
export function askForYes({ title, words, action, use }) {
    const dialog = openDialog(title, [
        dialogHead(title, () => dialog.close()),
        make("p", { text: words }),
        make("div", { class: "dialog-foot" },
            button(text.cancel, { words: text.cancel, kind: "soft", press: () => dialog.close() }),
            button(action, {
                words: action,
                kind: "danger",
                press: () => {
                    dialog.close();
                    use();
                },
            })),
    ], { kind: "small" });
    dialog.querySelector(".dialog-foot button").focus();
}

/** Asks for another title of a chat. */
export function renameChat(chat) {
    askForText({
        title: text.chat.rename, label: text.chat.renameLabel, value: chat.title, action: text.save,
        use: (title) => ask("rename", { chat: chat.id, title }),
    });
}
