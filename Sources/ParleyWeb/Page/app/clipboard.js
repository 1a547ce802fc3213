// SPDX-License-Identifier: Apache-2.0
// Copying. Browsers have `navigator.clipboard` only over https or on the machine itself; elsewhere the old way works.

import { make } from "../rendering/dom.js";
import { notices } from "./notices.js";
import { text } from "./strings.js";

/** Copies a text, and says whether it worked. */
export async function copy(value) {
    let isCopied = false;
    try {
        await navigator.clipboard.writeText(value);
        isCopied = true;
    } catch {
        isCopied = copyBySelection(value);
    }
    notices.add(isCopied ? { kind: "toast", text: text.copied } : { kind: "error", text: text.notCopied });
    return isCopied;
}

function copyBySelection(value) {
    const focused = document.activeElement;
    const field = make("textarea", { class: "spoken", "aria-hidden": "true", readonly: true });
    field.value = value;
    // Inside an open dialog only its own contents can be focused.
    (focused?.closest("dialog") ?? document.body).append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    focused?.focus();
    return isCopied;
}
