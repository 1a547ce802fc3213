// SPDX-License-Identifier: Apache-2.0
// The keys of the server: who may do what. A new one is shown once, and the one in use does not go without a word.

import { button, detail, make, onEnter } from "../rendering/dom.js";
import { askServer } from "../app/actions.js";
import { copy } from "../app/clipboard.js";
import { fullDate } from "../app/format.js";
import { store } from "../app/store.js";
import { words } from "../app/screen-strings.js";
import { text } from "../app/strings.js";
import { askForYes, dialogFoot, openDialog } from "./dialogs.js";
import { section } from "./screen.js";

const names = words.keys;

/** The part of the settings about keys. */
export function keysSection(keys) {
    // A server that manages no keys for pages sends none.
    if (!keys) return section(names.title, detail(names.elsewhere));
    const own = store.state.key ?? null;
    const mayManage = !own || own.scopes.includes("admin");
    const list = keys.length > 0 ? make("ul", { class: "rows" }, keys.map((key) => row(key, own, mayManage)))
        : detail(names.none);
    const create = button(names.create, { words: true, icon: "plus", kind: "soft", press: () => askForKey(own), "data-key": "new-key" });
    return section(names.title, detail(names.hint), list,
        own ? detail(names.inUse(own.name)) : null,
        mayManage ? make("div", { class: "row" }, create) : detail(names.notHere));
}

function row(key, own, mayManage) {
    const isOwn = key.name === own?.name;
    const used = typeof key.last_used === "number" ? names.used(fullDate(key.last_used)) : names.unused;
    const remove = () => askForYes({
        title: names.remove(key.name), words: isOwn ? names.removeOwn : names.removeAsk, action: names.removeIt,
        use: () => askServer("deleteKey", { name: key.name, even_if_used: isOwn }),
    });
    return make("li", { class: "key" }, make("div", { class: "row" }, make("span", { dir: "auto", text: key.name }),
        (key.scopes ?? []).map((scope) => make("span", { class: "tag", text: names.scopes[scope] ?? scope })),
        isOwn ? make("span", { class: "tag loaded", text: names.here }) : null, make("span", { class: "detail", text: used })),
        mayManage ? button(names.remove(key.name), { icon: "remove", kind: "quiet", press: remove, "data-key": `key-${key.name}` }) : null);
}

/** Asks for the name of a new key and what it may do: never more than the key of this page. */
function askForKey(own) {
    const field = make("input", { type: "text", id: "key-name", class: "field-input", autocomplete: "off", dir: "auto", maxlength: 64 });
    const offered = Object.keys(names.scopes).filter((scope) => !own || own.scopes.includes(scope));
    const checks = offered.map((scope) => {
        const input = make("input", { type: "checkbox", value: scope, checked: scope === "data" });
        return make("label", { class: "check" }, input, names.scopes[scope]);
    });
    const said = make("p", { class: "field-problem", role: "alert" });
    const submit = async () => {
        const name = field.value.trim();
        const scopes = checks.map((check) => check.firstChild).filter((input) => input.checked).map((input) => input.value);
        said.textContent = name === "" ? names.needsName : scopes.length === 0 ? names.needsScope : "";
        if (said.textContent !== "") return;
        dialog.close();
        const answer = await askServer("newKey", { name, scopes });
        if (answer?.key) showKey(name, answer.key, scopes);
    };
    onEnter(field, submit);
    const dialog = openDialog(names.create, [
        make("label", { for: field.id, text: names.name }), field,
        make("fieldset", {}, make("legend", { text: names.may }), checks), detail(names.apiHint), said,
        dialogFoot(names.createIt, submit),
    ], { kind: "small" });
    field.focus();
}

/** Shows a key this once, and for the chat the address that brings it along. */
function showKey(name, key, scopes) {
    const value = (label, shown) => {
        const field = make("input", { class: "field-input", type: "text", readonly: true, "aria-label": label });
        field.value = shown;
        return make("div", { class: "row" }, field, button(`${text.copy}: ${label}`, { icon: "copy", kind: "quiet", press: () => copy(shown) }));
    };
    const address = scopes.includes("data") ? [make("p", { text: names.address }), value(names.addressLabel, `${location.origin}/#key=${key}`)] : [];
    const dialog = openDialog(name, [make("p", { text: names.once }), value(names.key, key), address], { kind: "small" });
    dialog.querySelector("input").select();
}
