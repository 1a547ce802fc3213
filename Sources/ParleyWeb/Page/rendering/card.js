// SPDX-License-Identifier: Apache-2.0
// The card of an action: what is to be done or was done, and what there is to choose. Cards come from typed events
// alone; text that looks like one is text.

import { button, fill, icon, make, same, setAttribute } from "./dom.js";
import { cardFields } from "./card-fields.js";
import { cardForm } from "./card-form.js";
import { cardResults } from "./card-results.js";
import { hostOf } from "./message-parts.js";
import { ask } from "../app/actions.js";
import { words } from "../app/screen-strings.js";

const icons = {
    CALENDAR_ACTION: "calendar",
    NOTE_ACTION: "note",
    CONTACTS_SEARCH: "person",
    HABIT_ACTION: "habit",
    REMINDER_ACTION: "bell",
    WEB_SEARCH: "web",
};

/** What a state means for the looks; the words of the state are always there as well. */
const tones = {
    pendingCreation: "asks", pendingDeletion: "asks", pendingUpdate: "asks", created: "done", updated: "done",
    rescheduled: "done", deleted: "done", restored: "done", incomplete: "failed",
};

let number = 0;

class Card extends HTMLElement {
    #card = null;
    #sources = [];
    #isSent = false;

    /** Brings the card to what the server says; what somebody is writing into its form stays. */
    update(card, sources) {
        if (same(card, this.#card) && same(sources, this.#sources)) return;
        const written = card.payload === this.#card?.payload ? [...this.querySelectorAll("input, textarea")] : [];
        this.#card = card;
        this.#sources = sources;
        this.#isSent = false;
        const section = this.#section();
        for (const field of section.querySelectorAll("input, textarea")) {
            field.value = written.find((other) => other.dataset.key === field.dataset.key)?.value ?? field.value;
        }
        fill(this, section);
    }

    #section() {
        const card = this.#card;
        number += 1;
        const isWrong = card.stage === "malformed";
        const tone = card.is_busy ? "quiet" : isWrong || card.stage === "failed" || card.stage === "refused" ? "failed"
            : (tones[card.state] ?? (card.stage === "proposed" ? "asks" : "quiet"));
        const title = make("h3", { class: "card-title", id: `card-${number}`, dir: "auto", text: card.headline });
        const kind = make("span", { class: "card-kind", text: words.cards[card.tag] ?? card.tool ?? words.cards.TOOL });
        const status = card.is_busy ? words.cards.busy : card.status;
        const section = make("div", { class: "card", role: "group", "aria-labelledby": title.id, tabindex: -1 },
            make("header", { class: "card-head" }, icon(icons[card.tag] ?? "tool"), make("div", { class: "card-names" }, kind, title),
                status ? make("span", { class: `card-status ${tone}`, text: status }) : null),
            card.reads_untrusted && card.stage === "proposed" ? this.#warning() : null,
            this.#problems(), cardFields(card), cardResults(card),
            isWrong ? cardForm(card, (text) => this.#send("correct", text)) : this.#choices());
        setAttribute(section, "aria-busy", card.is_busy ? "true" : null);
        this.dataset.tone = tone;
        return section;
    }

    #warning() {
        const from = [...new Set(this.#sources.map((source) => hostOf(source.url) || source.title))].slice(0, 3).join(", ");
        return make("p", { class: "card-warning" }, icon("warning"), words.cards.untrusted(from || words.cards.elsewhere));
    }

    #problems() {
        const { problems, failure, failures, notices } = this.#card;
        const lines = [
            ...(failure ? [failure] : []),
            ...(failures ?? []).map((entry) => `${entry.item ? `${entry.item}: ` : ""}${entry.reason}`),
        ];
        const list = (problems ?? []).map((problem) =>
            make("li", {}, problem.field ? make("code", { text: problem.field }) : null, problem.field ? ": " : null,
                problem.description));
        return [
            list.length > 0 ? make("p", { class: "card-line", text: words.cards.problems }) : null,
            list.length > 0 ? make("ul", { class: "card-problems" }, list) : null,
            ...lines.map((line) => make("p", { class: "card-failure" }, icon("warning"), line)),
            ...(notices ?? []).map((notice) => make("p", { class: "card-line", text: notice })),
        ];
    }

    #choices() {
        const { choices, payload, is_busy: isBusy } = this.#card;
        if (!choices || choices.length === 0) return null;
        const list = choices.map((choice, index) => button(choice.label, {
            kind: index === 0 && choice.event === "confirm" ? "main" : "soft",
            isInner: true,
            "data-key": `${choice.event}-${choice.value ?? ""}`,
            "aria-disabled": isBusy ? "true" : null,
            // A press that began before the card changed is not meant for what it says now.
            press: () => payload === this.#card.payload && this.#send(choice.event, choice.value),
        }));
        return make("div", { class: "card-choices", role: "group", "aria-label": this.#card.headline }, list);
    }

    /** A card acts once: from the press to the answer nothing on it can be pressed. */
    async #send(event, value) {
        if (this.#isSent) return;
        this.#isSent = true;
        for (const control of this.querySelectorAll("button")) control.setAttribute("aria-disabled", "true");
        const card = this.#card;
        const answer = await ask("card", { card: card.id, event, value: value ?? null });
        // The event with the new card comes about when the answer does; the buttons of the old one are not to live again
        // in between.
        if (answer) await new Promise((resolve) => setTimeout(resolve, 1500));
        if (this.#card === card) this.#enable();
    }

    #enable() {
        this.#isSent = false;
        for (const control of this.querySelectorAll("button")) control.removeAttribute("aria-disabled");
    }
}

customElements.define("parley-card", Card);

/** Brings the cards of a message to what the server says, each to its own element. */
export function updateCards(place, message) {
    const cards = message.cards ?? [];
    if (place.hidden !== (cards.length === 0)) place.hidden = cards.length === 0;
    const known = new Map([...place.children].map((element) => [element.dataset.id, element]));
    cards.forEach((card, index) => {
        let element = known.get(card.id);
        if (!element) {
            element = document.createElement("parley-card");
            element.dataset.id = card.id;
        }
        known.delete(card.id);
        if (place.children[index] !== element) place.insertBefore(element, place.children[index] ?? null);
        element.update(card, message.sources ?? []);
    });
    for (const element of known.values()) element.remove();
}
