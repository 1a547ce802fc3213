// SPDX-License-Identifier: Apache-2.0
// The screen of the settings. Looks belong to this browser; everything else is the server's, and comes back from it.

import { button, detail, fill, make, unbroken } from "../rendering/dom.js";
import { facts } from "../rendering/message-parts.js";
import { askServer, exportAll } from "../app/actions.js";
import { open } from "../app/connection.js";
import { forgetDrafts } from "../app/drafts.js";
import { nextFrame } from "../app/frame.js";
import { notices } from "../app/notices.js";
import { prefer, preferences } from "../app/preferences.js";
import { store, usableEngines } from "../app/store.js";
import { text } from "../app/strings.js";
import { words } from "../app/screen-strings.js";
import { openDeletedChats } from "./deleted.js";
import { askForYes } from "./dialogs.js";
import { importButton } from "./exchanging.js";
import { keysSection } from "./keys.js";
import { choice, Screen, section, setting } from "./screen.js";

const names = words.settings;
const set = (name, value) => askServer("set", { name, value });

/** The screen of the settings. */
export class SettingsView extends Screen {
    #key = "";
    #wantsAddress = false;

    constructor(navigation) {
        super(names.title, "settings", navigation);
        store.on("settings", () => this.#drawSoon());
    }

    /** In the next frame the focus that leaves a field has arrived elsewhere. */
    #drawSoon() {
        nextFrame("settings", () => this.draw());
    }

    /** Brings the screen to the state. */
    draw() {
        const settings = store.state?.settings;
        if (!settings || this.element.hidden) return;
        const key = JSON.stringify([settings, store.state.key]);
        if (key === this.#key) return;
        // What somebody is writing is not taken away; it is kept or given up when the field is left.
        const field = this.element.querySelector("input:not([type=checkbox]):focus");
        if (field && field.value !== field.defaultValue) return field.addEventListener("blur", () => this.#drawSoon(), { once: true });
        this.#key = key;
        fill(this.body, this.#looks(), this.#replies(settings), this.#policies(settings), this.#search(settings),
            section(names.speech, make("p", { class: "detail" }, unbroken(this.#speech()))),
            keysSection(settings.keys), this.#data(settings), this.#about(settings));
    }

    #looks() {
        const pick = (options, key) => choice(Object.entries(options), preferences[key], (value) => prefer(key, value), `prefer-${key}`);
        const wraps = make("input", { type: "checkbox", checked: preferences.wrapsCode, "data-key": "prefer-wrapsCode" });
        wraps.addEventListener("change", () => prefer("wrapsCode", wraps.checked));
        return section(names.looks, setting(names.theme, pick(names.themes, "theme")), setting(names.textSize, pick(names.textSizes, "textSize")),
            setting(names.wrapsCode, wraps), setting(names.speaks, pick(names.speakings, "speaks")));
    }

    #replies(settings) {
        const number = (name, label, { step = 1, hint = null, mayBeEmpty = false } = {}) => {
            const [least, most] = settings.ranges?.[name] ?? [];
            const input = make("input", { type: "number", min: least, max: most, step, inputmode: "decimal", "data-key": `set-${name}` });
            input.defaultValue = settings[name] ?? "";
            input.addEventListener("change", () => {
                const isEmpty = input.value.trim() === "";
                // What cannot be is not sent; the field shows again what is.
                if (!input.checkValidity() || (isEmpty && !mayBeEmpty)) input.value = settings[name] ?? "";
                else {
                    // It is no longer being written, so that the answer may draw the screen anew.
                    input.defaultValue = input.value;
                    set(name, isEmpty ? null : Number(input.value));
                }
            });
            return setting(label, input, hint);
        };
        return section(names.replies,
            number("temperature", names.temperature, { step: 0.05, hint: names.temperatureHint, mayBeEmpty: true }),
            number("history_window", names.history), number("answer_tokens", names.answerTokens),
            number("thinking_tokens", names.thinkingTokens), number("deadline_seconds", names.deadline));
    }

    #policies({ policies }) {
        if (!policies || policies.length === 0) return null;
        const effects = [...new Set(policies.flatMap((policy) => Object.keys(policy.effects)))];
        const head = make("tr", {}, make("th", { scope: "col" }, make("span", { class: "spoken", text: names.actions })),
            effects.map((effect) => make("th", { scope: "col", text: names.effects[effect] ?? effect })));
        const rows = policies.map((policy) => make("tr", {}, make("th", { scope: "row", text: policy.title }),
            effects.map((effect) => make("td", { "data-column": effect in policy.effects ? names.effects[effect] : null },
                effect in policy.effects ? this.#policy(policy, effect) : null))));
        const table = make("table", { class: "policies" }, make("thead", {}, head), make("tbody", {}, rows));
        return section(names.actions, detail(names.actionsHint), make("div", { class: "wide" }, table));
    }

    #policy(policy, effect) {
        // One change is sent and not the whole policy: what else was changed meanwhile stays.
        const change = (value) => set("policies", [{ tag: policy.tag, effects: { [effect]: value } }]);
        const select = choice(Object.entries(names.policies), policy.effects[effect], change, `policy-${policy.tag}-${effect}`);
        select.setAttribute("aria-label", `${policy.title}: ${names.effects[effect] ?? effect}`);
        return select;
    }

    #search({ search }) {
        const present = search ?? { engine: null, address: null, has_key: false };
        if (present.engine === "searxng") this.#wantsAddress = false;
        const engineShown = this.#wantsAddress ? "searxng" : (present.engine ?? "");
        const options = [["", names.engines.none], ["brave", names.engines.brave], ["searxng", names.engines.searxng]];
        const engine = choice(options, engineShown, (value) => this.#chooseEngine(value, present), "search-engine");
        const address = make("input", { type: "url", inputmode: "url", placeholder: "https://", "data-key": "search-address" });
        address.defaultValue = present.address ?? "";
        address.addEventListener("change", () => {
            if (!address.value.trim()) return;
            address.defaultValue = address.value;
            set("search", { engine: "searxng", address: address.value.trim() });
        });
        return section(names.search, setting(names.engine, engine),
            engineShown === "searxng" ? setting(names.address, address) : null,
            engineShown === "brave" ? detail(present.has_key ? names.hasKey : names.needsKey) : null);
    }

    /** SearXNG is chosen once its address is known. */
    #chooseEngine(value, present) {
        this.#wantsAddress = value === "searxng" && !present.address;
        if (!this.#wantsAddress) return set("search", { engine: value || null, ...(value === "searxng" ? { address: present.address } : {}) });
        this.#key = "";
        this.draw();
        return null;
    }

    #data({ folders }) {
        const removeAll = () => askForYes({
            title: names.deleteAll, words: names.deleteAllAsk, action: names.deleteAll,
            use: async () => {
                const answer = await askServer("deleteAll");
                if (!answer) return;
                forgetDrafts();
                const notice = notices.add({ text: names.deletedAll, action: { label: text.undo, press: () => restoreAll(answer.chats, notice) } });
                await open(null);
            },
        });
        const restoreAll = async (chats, notice) => {
            if (!(await askServer("restoreAll", { chats }))) return;
            notices.settle(notice);
            await open(null);
        };
        return section(names.data,
            facts(Object.entries(names.folders).map(([name, label]) => [label, [].concat(folders?.[name] ?? []).join(", ")])),
            make("div", { class: "row" },
                button(names.exportAll, { words: true, icon: "save", kind: "soft", press: exportAll, "data-key": "export-all" }), importButton("soft"),
                button(words.deleted.chats, { words: true, icon: "again", kind: "soft", press: openDeletedChats, "data-key": "deleted-chats" }),
                button(names.deleteAll, { words: true, icon: "remove", kind: "danger", press: removeAll, "data-key": "delete-all" })));
    }

    /** What writes down speech, or how it comes here. */
    #speech() {
        const { speech } = store.state;
        return `${speech ? names.speechBy(speech) : text.composer.noSpeech} ${names.speechHint}`;
    }

    #about({ version, machine }) {
        return section(names.about, facts([[names.version, version], [names.machine, machine], [names.enginesOf, usableEngines().join(", ")]]));
    }
}
