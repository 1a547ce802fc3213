// SPDX-License-Identifier: Apache-2.0
// What the server said last. The page holds no truth of its own: views read it here and send wishes.

import { reduce, withEarlier } from "./reduce.js";

/**
 * The state of the server as this page knows it, and who wants to hear of changes.
 *
 * Topics: `chat` (another chat, or all of it anew), `messages` (added or removed), `message` (with its id), `earlier`
 * (messages were put before), `status`, `chats`, `models`, `settings`, `notice`, `performance`, `connection`; and of what
 * the reader wants: `begins` (a new chat, which comes with `chat`), `stays` (it does not come), `sent` (something to be answered).
 */
class Store {
    /** The snapshot with all events since; null before the first. */
    state = null;
    /** `connecting`, `live`, `waiting` (for the next try), `hidden`, `key`, `old`. */
    connection = { state: "connecting" };
    #listeners = new Map();
    #byID = new Map();

    /** Calls a function whenever one of the topics changes. */
    on(topics, listener) {
        for (const topic of [].concat(topics)) {
            if (!this.#listeners.has(topic)) this.#listeners.set(topic, []);
            this.#listeners.get(topic).push(listener);
        }
    }

    /** Tells those who listen. */
    tell(topic, detail = null) {
        for (const listener of this.#listeners.get(topic) ?? []) listener(detail, topic);
    }

    /** Takes a snapshot. */
    replace(state) {
        this.state = { ...state, chat: withEarlier(this.chat, state.chat) };
        this.#index();
        for (const topic of ["chat", "status", "chats", "models", "settings", "performance", "notices"]) this.tell(topic);
    }

    /** Takes an event; events that were seen already, and those of other chats, change nothing. */
    apply(type, data) {
        if (!this.state) return;
        if (typeof data.revision === "number") {
            if (data.revision <= this.state.revision) return;
            this.state.revision = data.revision;
        }
        for (const [topic, detail] of reduce(this.state, type, data, (id) => this.#byID.get(id))) {
            if (topic === "messages" || topic === "chat") this.#index();
            this.tell(topic, detail);
        }
    }

    /** Puts messages before those that are there. */
    prepend(chat, messages, earlier) {
        if (this.state?.chat.id !== chat) return;
        const added = messages.filter((message) => !this.#byID.has(message.id));
        this.state.chat.messages.unshift(...added);
        this.state.chat.earlier = earlier;
        this.#index();
        this.tell("earlier");
    }

    /** A message of the chat that is shown. */
    message(id) {
        return this.#byID.get(id) ?? null;
    }

    get chat() {
        return this.state?.chat ?? null;
    }

    get status() {
        return this.state?.chat.status ?? null;
    }

    /** The model of the chat that is shown; undefined if it is not here. */
    get model() {
        return this.state?.models.installed.find((model) => model.id === this.status.model);
    }

    get messages() {
        return this.state?.chat.messages ?? [];
    }

    /** The reply that is being made; null if there is none. */
    get growing() {
        const last = this.messages.at(-1);
        return last && isGrowing(last) ? last : null;
    }

    /** Says how the connection is. */
    connect(connection) {
        this.connection = connection;
        this.tell("connection");
    }

    get isLive() {
        return this.connection.state === "live" || this.connection.state === "hidden";
    }

    /** Whether the server is gone, so that what it does is not known and nothing can be asked of it. */
    get isLost() {
        return this.connection.state === "waiting" || this.connection.state === "key";
    }

    #index() {
        this.#byID = new Map(this.state.chat.messages.map((message) => [message.id, message]));
    }
}

const growingStates = new Set(["queued", "preparing", "reading", "thinking", "writing"]);

/** Whether a reply is still being made. */
export function isGrowing(message) {
    return message.author === "assistant" && growingStates.has(message.state);
}

/** Whether a model can do something; one of which nothing is known can chat. */
export function can(model, ability) {
    return model.capabilities ? model.capabilities.includes(ability) : ability === "chat";
}

/** The title of a model, as the catalog spells it; of one that is neither here nor there its name. */
export function modelTitle(id) {
    const { installed, catalog } = store.state.models;
    return installed.find((model) => model.id === id)?.title ?? catalog.find((entry) => entry.name === id)?.title ?? id;
}

/** The one store of the page. */
export const store = new Store();

/** The names of the engines that can run models here. */
export const usableEngines = () => (store.state.engines ?? []).filter((engine) => !engine.problem).map((engine) => engine.name);
