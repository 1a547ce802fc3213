// SPDX-License-Identifier: Apache-2.0
// What a card says about its items: fields, what changes, words for times, and what happens at that time.

import { make } from "./dom.js";
import { facts } from "./message-parts.js";
import { words } from "../app/screen-strings.js";

const shownItems = 10;
const exactTime = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?(Z|[+-]\d\d:?\d\d)?$/;

/** The nodes for the fields of a card. */
export function cardFields(card) {
    return [called(card), item(card), spokenTimes(card), conflicts(card), freeTimes(card), scope(card)];
}

/** What a tool is called with, or all the words of a search: what is to be seen before others get it. */
function called(card) {
    return facts((card.arguments ?? []).map(({ name, value }) => [name, value]));
}

/** The fields of an item, with their names. */
function fields(value) {
    return [
        ["title", words.cards.name, value.title],
        ["time", words.cards.when, value.time?.text],
        ["recurrence", words.cards.repeats, value.recurrence],
        ["location", words.cards.where, value.location],
        ["text", words.cards.body, value.text],
    ];
}

function item(card) {
    const items = card.items ?? [];
    const before = items[0];
    if (card.outcome && before && items.length === 1) return changes(before, card.outcome);
    if (card.outcome) return facts(fields(card.outcome).map(([, name, value]) => [name, value]));
    if (items.length === 1) return facts(fields(before).map(([, name, value]) => [name, value]));
    return items.length > 1 ? itemList(items) : null;
}

/** An update shows what was and what will be; what stays is said once. */
function changes(before, after) {
    const old = new Map(fields(before).map(([key, , value]) => [key, value ?? ""]));
    const changed = fields(after).filter(([key, , value]) => (value ?? "") !== old.get(key));
    const stays = fields(after).filter(([key, , value]) => value && value === old.get(key));
    const head = make("tr", {}, make("th", { scope: "col" }, make("span", { class: "spoken", text: words.cards.field })),
        make("th", { scope: "col", text: words.cards.before }), make("th", { scope: "col", text: words.cards.after }));
    const rows = changed.map(([key, name, value]) =>
        make("tr", {}, make("th", { scope: "row", text: name }),
            make("td", { class: "was", dir: "auto", text: old.get(key) || "–" }),
            make("td", { dir: "auto", text: value || "–" })));
    return [
        facts(stays.map(([, name, value]) => [name, value])),
        rows.length > 0 ? make("table", { class: "changes" }, make("thead", {}, head), make("tbody", {}, rows)) : null,
    ];
}

/** A list of items, each with its title and time. */
export function itemList(items) {
    const shown = items.slice(0, shownItems).map((value) =>
        make("li", { dir: "auto" }, make("span", { text: value.title ?? value.text }),
            value.time?.text ? make("span", { class: "detail", text: ` ${value.time.text}` }) : null));
    if (items.length > shownItems) shown.push(make("li", { class: "detail", text: words.cards.more(items.length - shownItems) }));
    return make("ul", { class: "card-items" }, shown);
}

/** The words for a time, which are the model's, and what they were found to mean; what was plain has nothing to say. */
function spokenTimes(card) {
    const lines = (card.said ?? []).flatMap((said) => {
        // A time in digits says nothing new.
        if (exactTime.test(said.words ?? "")) return [];
        const parts = [];
        if (said.meaning && said.meaning !== card.outcome?.time?.text) parts.push(words.cards.means(said.meaning));
        if (said.assumptions?.length) parts.push(words.cards.assumed(said.assumptions.join(", ")));
        for (const other of (said.alternatives ?? []).slice(0, 2)) parts.push(words.cards.or(other));
        return parts.length > 0 ? [make("p", { class: "card-line" }, `“${said.words}”: ${parts.join("; ")}`)] : [];
    });
    return lines;
}

function conflicts(card) {
    const list = card.conflicts ?? [];
    if (list.length === 0 || card.stage === "declined") return null;
    return make("div", { class: "card-conflicts" }, make("h4", { text: words.cards.conflicts }), itemList(list));
}

/** Free times that have no button of their own are listed. */
function freeTimes(card) {
    const hasButtons = (card.choices ?? []).some((choice) => choice.event === "reschedule");
    const slots = card.free_slots ?? [];
    if (hasButtons || slots.length === 0 || card.stage === "done") return null;
    return make("div", {}, make("h4", { text: words.cards.free }), itemList(slots));
}

function scope(card) {
    if (card.scope !== "occurrence" || card.stage !== "proposed") return null;
    return make("p", { class: "card-line", text: words.cards.thisDate });
}
