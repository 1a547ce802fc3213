// SPDX-License-Identifier: Apache-2.0
// Dialogs that ask for one thing: a title, or a yes.

import { button, make, onEnter } from "../rendering/dom.js";
import { ask } from "../app/actions.js";
import { openModal } from "../app/modal.js";
import { text } from "../app/strings.js";

/** Opens a dialog and removes it when it closes; `head` is the title above its content, beside the button that closes it. */
export function openDialog(label, content, { kind = "", head = label } = {}) {
    const dialog = make("dialog", { class: `dialog ${kind}`.trim(), "aria-label": label },
        head && make("header", { class: "dialog-head" }, make("h2", { text: head }),
            button(text.close, { icon: "close", kind: "quiet", press: () => dialog.close() })), content);
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

/** The last line of a dialog that asks: the way out, and what is to be done. */
export const dialogFoot = (label, press, kind = "main") => make("div", { class: "dialog-foot" },
    button(text.cancel, { kind: "soft", press: ({ target }) => target.closest("dialog").close() }), button(label, { kind, press }));

/** Asks before something that cannot be taken back. */
export function askForYes({ title, words, action, use }) {
    const press = () => {
        dialog.close();
        use();
    };
    const dialog = openDialog(title, [make("p", { text: words }), dialogFoot(action, press, "danger")], { kind: "small" });
    dialog.querySelector(".dialog-foot button").focus();
}

/** Asks for another title of a chat. */
export function renameChat(chat) {
    const field = make("input", { type: "text", id: "chat-title", class: "field-input", autocomplete: "off", dir: "auto" });
    field.value = chat.title;
    const submit = () => {
        const title = field.value.trim();
        if (title === "") return;
        dialog.close();
        ask("rename", { chat: chat.id, title });
    };
    onEnter(field, submit);
    const dialog = openDialog(text.chat.rename, [
        make("label", { for: field.id, text: text.chat.renameLabel }), field, dialogFoot(text.save, submit),
    ], { kind: "small" });
    field.focus();
    field.select();
}
