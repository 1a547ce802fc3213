// SPDX-License-Identifier: Apache-2.0
// What the screens beside the chat have in common: a header with a heading and the way back, and sections.

import { button, detail, make } from "../rendering/dom.js";
import { chatAddress, go, screenAddress } from "../app/router.js";
import { store } from "../app/store.js";
import { text } from "../app/strings.js";
import { words } from "../app/screen-strings.js";

/** Goes back to the chat that was shown. */
export function backToChat() {
    go(store.chat ? chatAddress(store.chat.id) : screenAddress("chat"));
}

/** A screen with its heading, whose body says that it is loading until it is drawn. */
export class Screen {
    element;
    body = make("div", { class: "column screen-body" }, detail(text.loading, { role: "status" }));
    #heading;

    constructor(title, kind, navigation) {
        this.#heading = make("h1", { class: "title", tabindex: -1, text: title });
        const back = button(words.backToChat, { icon: "close", kind: "quiet", press: backToChat });
        const bar = make("header", { class: "bar" }, navigation, this.#heading, back);
        this.element = make("div", { class: `screen ${kind}`, hidden: true }, make("div", { class: "chat-top" }, bar), this.body);
    }

    /** Gives the focus to the heading. */
    focus() {
        this.#heading.focus({ preventScroll: true });
    }
}

let number = 0;

/** A section with its heading. */
export function section(title, ...children) {
    number += 1;
    const heading = make("h2", { id: `section-${number}`, text: title });
    return make("section", { class: "part", "aria-labelledby": heading.id }, heading, children);
}

/** A line of a form: a label, perhaps with a word of explanation, and its control. */
export function setting(label, control, hint = null) {
    number += 1;
    const id = control.id || `setting-${number}`;
    control.id = id;
    if (hint) control.setAttribute("aria-describedby", `${id}-hint`);
    return make("div", { class: "setting" },
        make("div", { class: "setting-words" }, make("label", { for: id, text: label }),
            hint ? detail(hint, { id: `${id}-hint` }) : null),
        control);
}

/** A choice of a few: `options` are pairs of value and name. */
export function choice(options, value, change, key = null) {
    const select = make("select", { "data-key": key });
    for (const [one, name] of options) select.append(make("option", { value: one, text: name, selected: one === value }));
    select.value = value ?? "";
    select.addEventListener("change", () => change(select.value));
    return select;
}
