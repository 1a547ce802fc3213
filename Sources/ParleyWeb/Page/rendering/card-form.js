// SPDX-License-Identifier: Apache-2.0
// The form of a card whose values cannot be used: one field for each value, or the text as it is where it is no object.

import { button, make, onEnter } from "./dom.js";
import { words } from "../app/screen-strings.js";

let number = 0;

/** Makes the form; `send(text)` gets the corrected payload. */
export function cardForm(card, send) {
    const object = readObject(card.payload);
    const form = make("div", { class: "card-form", role: "group", "aria-label": card.headline });
    const collect = object ? fieldsOf(form, object, card.problems ?? []) : rawOf(form, card.payload);
    const submit = () => send(collect());
    form.append(button(words.cards.correct, { kind: "main", isInner: true, press: submit, "data-key": "correct" }));
    for (const input of form.querySelectorAll("input")) onEnter(input, submit);
    return form;
}

/** The object a payload is, if all its values are simple; null otherwise. */
function readObject(payload) {
    try {
        const value = JSON.parse(payload);
        const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
        return isObject && Object.values(value).every((one) => typeof one !== "object" || one === null) ? value : null;
    } catch {
        return null;
    }
}

function fieldsOf(form, object, problems) {
    const said = new Map(problems.filter((problem) => problem.field).map((problem) => [problem.field, problem.description]));
    // A value that is missing altogether gets an empty field.
    const names = [...Object.keys(object), ...[...said.keys()].filter((name) => /^\w+$/.test(name) && !(name in object))];
    const inputs = names.map((name) => {
        number += 1;
        const id = `field-${number}`;
        const problem = said.get(name);
        const shown = object[name] === null || object[name] === undefined ? "" : String(object[name]);
        const input = make("input", {
            type: "text", id, tabindex: -1, dir: "auto", "data-key": `field-${name}`, autocomplete: "off",
            "aria-invalid": problem ? "true" : null, "aria-describedby": problem ? `${id}-problem` : null,
        });
        input.value = shown;
        form.append(make("div", { class: "field" }, make("label", { for: id, text: name }), input,
            problem ? make("p", { class: "field-problem", id: `${id}-problem`, text: problem }) : null));
        return [name, input];
    });
    return () => {
        const values = {};
        for (const [name, input] of inputs) {
            // An empty field means that there is no such value.
            if (input.value.trim() !== "") values[name] = typed(input.value.trim(), object[name]);
        }
        return JSON.stringify(values);
    };
}

/** A number and a truth value stay what they were, if the text still is one. */
function typed(value, before) {
    if (typeof before === "number" && Number.isFinite(Number(value))) return Number(value);
    if (typeof before === "boolean" && (value === "true" || value === "false")) return value === "true";
    return value;
}

function rawOf(form, payload) {
    number += 1;
    const id = `field-${number}`;
    const area = make("textarea", { id, rows: 5, tabindex: -1, spellcheck: "false", dir: "auto", "data-key": "field-raw" });
    area.value = payload;
    form.append(make("label", { for: id, text: words.cards.payload }), area);
    return () => area.value;
}
