// SPDX-License-Identifier: Apache-2.0
// The strips above the field: what is replied to, edited, queued or waiting, and why nothing can be sent at present.

import { arrange, button, make } from "../rendering/dom.js";
import { ask } from "../app/actions.js";
import { firstWords, share } from "../app/format.js";
import { giveBack, outbox } from "../app/outbox.js";
import { go, screenAddress } from "../app/router.js";
import { can, store } from "../app/store.js";
import { text } from "../app/strings.js";

/** The strips of a composer. */
export class ComposerStrips {
    element = make("div", { class: "strips" });
    /** What the composer says of itself to a screen reader. */
    state = make("span", { class: "spoken", id: "composer-state" });
    #composer;
    #place = make("div", { class: "strip-list" });
    #nodes = new Map();

    constructor(composer) {
        this.#composer = composer;
        this.element.append(this.#place, this.state);
    }

    /** Brings the strips to the state; strips that are the same stay, with the focus in them. */
    draw() {
        const nodes = this.#strips().map((strip) => [JSON.stringify([strip.kind, strip.words, strip.label, strip.detail]), strip]);
        this.#nodes = new Map(nodes.map(([key, strip]) => [key, this.#nodes.get(key) ?? this.#node(strip)]));
        arrange(this.#place, [...this.#nodes.values()]);
    }

    /** The state in words, for the description of the field. */
    stateWords() {
        const strips = this.#strips();
        return strips.length > 0 ? strips.map((strip) => [strip.words, strip.detail].filter(Boolean).join(" ")).join(" ") : text.composer.keys;
    }

    #node({ kind, words, detail, label, press }) {
        return make("div", { class: `strip ${kind}` }, make("p", {}, words, detail ? make("span", { class: "strip-detail", text: ` ${detail}` }) : null),
            press ? button(label, { kind: "quiet small", press, "data-key": `strip-${kind}` }) : null);
    }

    #strips() {
        const { status } = store;
        if (!status) return [];
        return [this.#waiting(), this.#unsent(status), this.#model(status), this.#seeing(status), this.#attached(status), this.#queued(status), this.#editing(), this.#replying(status)]
            .filter(Boolean);
    }

    #waiting() {
        const pending = outbox.entry(store.chat.id);
        if (pending) {
            const detail = firstWords(pending.values.text, 80);
            const words = store.isLive && !store.status.is_model_loaded ? text.composer.waitingForModel : text.composer.waiting;
            return { kind: "waiting", words, detail, label: text.composer.recall, press: () => outbox.cancel(store.chat.id) };
        }
        if (store.isLive || store.connection.state === "connecting") return null;
        return { kind: "offline", words: text.composer.offline };
    }

    #model(status) {
        if (status.is_model_loaded || !store.isLive) return null;
        if (status.is_model_loading) {
            const model = store.state.models.installed.find((candidate) => candidate.status === "loading");
            return { kind: "loading", words: text.composer.loadingModel(model?.fraction ? share(model.fraction) : "") };
        }
        // The first run has its own words for this, where there is more room.
        if (store.state.models.installed.length === 0) return null;
        return { kind: "no-model", words: text.composer.noModel, label: text.composer.chooseModel, press: () => go(screenAddress("models")) };
    }

    /** A picture for a model that does not see: one that does is offered. */
    #seeing(status) {
        const hasPicture = (status.attachments ?? []).some((attachment) => attachment.kind === "image");
        if (!hasPicture) return null;
        const present = store.model;
        if (!present || can(present, "images")) return null;
        const other = store.state.models.installed.find((model) => can(model, "images"));
        const words = text.composer.blind(present.title);
        if (!other) {
            const detail = text.composer.noSeeing;
            const isInCatalog = store.state.models.catalog.some((entry) => can(entry, "images") && !entry.installed);
            if (!isInCatalog) return { kind: "blind", words, detail };
            return { kind: "blind", words, detail, label: text.composer.fetchSeeing, press: () => go(screenAddress("models")) };
        }
        return { kind: "blind", words, label: text.composer.useSeeing(other.title), press: () => ask("chooseModel", { model: other.id }) };
    }

    /** Why a message with attachments has to wait for the end of the reply. */
    #attached(status) {
        if (!status.is_generating || (status.attachments ?? []).length === 0 || this.#composer.editing) return null;
        return { kind: "attached-later", words: text.composer.noQueue };
    }

    #queued(status) {
        if (!status.queued) return null;
        const detail = firstWords(status.queued.text, 80);
        return { kind: "queued", words: text.composer.queued, detail, label: text.composer.recall, press: () => this.#recall() };
    }

    /** A message for which there was no model came back to the server's field. */
    #unsent(status) {
        if (!status.unsent || status.is_generating) return null;
        const detail = firstWords(status.unsent.text, 80);
        return { kind: "unsent", words: text.composer.unsent, detail, label: text.composer.recall, press: () => this.#recall() };
    }

    async #recall() {
        const chat = store.chat.id;
        const answer = await ask("recall");
        if (!answer?.text) return;
        // Trying again may take a while: the words are those of the chat from which they were taken.
        giveBack(chat, answer.text);
        if (store.chat?.id === chat) this.#composer.field.focus();
    }

    #editing() {
        if (!this.#composer.editing) return null;
        return { kind: "editing", words: text.composer.editing, label: text.composer.cancelEdit, press: () => this.#composer.cancelEdit() };
    }

    #replying(status) {
        if (!status.replying_to) return null;
        const original = store.message(status.replying_to);
        const detail = original ? `“${firstWords(original.text, 80)}”` : "";
        const press = async () => {
            if (await ask("replyTo", { message: null })) this.#composer.field.focus();
        };
        return { kind: "replying", words: text.composer.replying, detail, label: text.composer.cancelReply, press };
    }
}
