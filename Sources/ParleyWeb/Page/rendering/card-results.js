// SPDX-License-Identifier: Apache-2.0
// What an action that only looks something up has found, by kind.

import { make } from "./dom.js";
import { outside } from "./inlines.js";
import { hostOf } from "./message-parts.js";
import { itemList } from "./card-fields.js";
import { rounded } from "../app/format.js";
import { words } from "../app/screen-strings.js";

const shownText = 2000;

/** The nodes for the results of a card; none if it has no results. */
export function cardResults(card) {
    const results = card.results;
    if (!results) return null;
    if (results.kind === "text") {
        return make("p", { class: "card-text", dir: "auto", text: (results.text ?? "").slice(0, shownText) });
    }
    const items = results.items ?? [];
    if (items.length === 0) return make("p", { class: "card-line", text: words.cards.noResults });
    switch (results.kind) {
        case "notes": return make("ul", { class: "card-items" }, items.map(note));
        case "contacts": return make("ul", { class: "card-items" }, items.map(contact));
        case "habits": return make("ul", { class: "card-items" }, items.map(habit));
        case "web": return make("ol", { class: "card-items" }, items.map(found));
        default: return itemList(items);
    }
}

function note(value) {
    const tags = (value.tags ?? []).map((tag) => make("span", { class: "tag", text: tag }));
    return make("li", {}, make("strong", { dir: "auto", text: value.title }), " ", tags,
        value.body ? make("p", { class: "snippet", dir: "auto", text: value.body }) : null);
}

function contact(value) {
    const entry = (scheme) => (one) => {
        const label = one.label ? make("span", { class: "detail", text: `${one.label} ` }) : null;
        // A telephone number stays text: the page makes links for the web and for mail only.
        const shown = scheme ? outside(`${scheme}:${one.value}`, {}, one.value) : one.value;
        return make("li", {}, label, shown);
    };
    return make("li", {}, make("strong", { dir: "auto", text: value.name }),
        value.organisation ? make("span", { class: "detail", text: ` ${value.organisation}` }) : null,
        make("ul", { class: "plain" }, (value.phones ?? []).map(entry(null)), (value.emails ?? []).map(entry("mailto"))));
}

/** A habit with its last days: each day is a square, and the same is said in words. */
function habit(value) {
    const days = value.days ?? [];
    const said = days.map((day) => (day === null ? "–" : rounded(day))).join(", ");
    const squares = make("span", { class: "days", role: "img", "aria-label": `${words.cards.last7}: ${said}` },
        days.map((day) => make("span", { class: day ? "day kept" : "day", text: day === null ? "·" : rounded(day) })));
    return make("li", {}, make("span", { text: `${value.emoji ? `${value.emoji} ` : ""}${value.name} ` }), squares,
        value.streak ? make("span", { class: "detail", text: ` ${words.cards.streak(value.streak)}` }) : null);
}

function found(value) {
    return make("li", {}, outside(value.url, { dir: "auto" }, value.title || value.url), " ",
        make("span", { class: "host", text: hostOf(value.url) }),
        value.snippet ? make("p", { class: "snippet", dir: "auto", text: value.snippet }) : null);
}
