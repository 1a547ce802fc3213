// SPDX-License-Identifier: Apache-2.0
// What an event changes. Its cost does not depend on the length of the chat: a message is found by its id.

/**
 * Brings a state up to date with one event.
 *
 * Lists of blocks are replaced, never changed, so that a view can compare what it shows with what is there now. Returns
 * the topics that changed, each with its detail.
 */
export function reduce(state, type, data, find) {
    const isHere = data.chat === undefined || data.chat === state.chat.id;
    switch (type) {
        case "message.added":
            return isHere ? added(state, data.message, find) : [];
        case "message.delta":
            return isHere ? delta(find(data.id), data) : [];
        case "message.updated":
            return isHere ? updated(find(data.message.id), data.message) : [];
        case "message.removed":
            return isHere ? removed(state, data.id) : [];
        case "replay.updated":
            return isHere ? updated(find(data.message), { replay: data.replay }) : [];
        case "card.updated":
            return isHere ? cardUpdated(find(data.message), data.card) : [];
        case "chat.updated":
            return isHere ? chatUpdated(state, data) : [];
        case "chat.replaced":
            if (data.chat.id !== state.chat.id) return [];
            state.chat = withEarlier(state.chat, data.chat);
            return [["chat"], ["status"]];
        case "chat.removed":
            return isHere ? [["gone", data.chat]] : [];
        case "chats.changed":
            state.chats = data.chats;
            return [["chats"]];
        case "model.updated":
            state.models = data.models;
            return [["models"], ["status"]];
        case "fetch.progress":
            return progressed(state, data.job);
        case "benchmark.updated":
            state.performance = { ...state.performance, benchmark: data.benchmark };
            return [["performance"]];
        case "settings.updated":
            state.settings = data.settings;
            return [["settings"]];
        case "notice":
            return [["notice", { ...data.notice, chat: data.chat ?? null }]];
        case "metrics":
            state.performance = data.performance;
            return [["performance"]];
        default:
            // An event of a newer server; it concerns something that this page does not show.
            return [];
    }
}

/** A chat that is told anew, with the earlier messages that were asked for: whoever reads them stays there. */
export function withEarlier(old, chat) {
    const at = old?.id === chat.id ? old.messages.findIndex((message) => message.id === chat.messages[0]?.id) : -1;
    // Where their number is another one, they are not those that are there now.
    if (at < 1 || chat.earlier !== old.earlier + at) return chat;
    return { ...chat, earlier: old.earlier, messages: [...old.messages.slice(0, at), ...chat.messages] };
}

function added(state, message, find) {
    const known = find(message.id);
    if (known) return updated(known, message);
    state.chat.messages.push(message);
    return [["messages", { added: message }]];
}

function delta(message, data) {
    if (!message) return [];
    const part = data.part === "thinking" ? "thinking" : "blocks";
    message[part] = grow(message[part], "blocks", data);
    if (data.state) message.state = data.state;
    if (data.text_append && part === "blocks") message.text = (message.text ?? "") + data.text_append;
    if (typeof data.thinking_seconds === "number") message.thinking_seconds = data.thinking_seconds;
    return [["message", message.id]];
}

/** A list of which the end is told: how many stay, how the next one goes on, and what follows. */
function grow(list, name, { from, grown, [name]: more }) {
    return list.slice(0, from).concat(grown ? [goOn(list[from], grown)] : [], more);
}

/** What goes on at the end of its own list, or with letters that take the place of the line end at its end. */
function goOn(value, grown) {
    if (grown.text !== undefined) return { ...value, text: value.text.replace(/\n$/, "") + grown.text };
    const name = ["inlines", "blocks", "items", "rows"].find((one) => grown[one]);
    return { ...value, [name]: grow(value[name], name, grown) };
}

function updated(message, values) {
    if (!message) return [];
    Object.assign(message, values);
    return [["message", message.id]];
}

function removed(state, id) {
    const at = state.chat.messages.findIndex((message) => message.id === id);
    if (at < 0) return [];
    state.chat.messages.splice(at, 1);
    return [["messages", { removed: id }]];
}

function cardUpdated(message, card) {
    if (!message) return [];
    const isKnown = message.cards.some((other) => other.id === card.id);
    message.cards = isKnown
        ? message.cards.map((other) => (other.id === card.id ? card : other))
        : [...message.cards, card];
    return [["message", message.id]];
}

function chatUpdated(state, data) {
    for (const name of ["title", "is_pinned", "status", "context"]) {
        if (data[name] !== undefined) state.chat[name] = data[name];
    }
    return [["status"]];
}

function progressed(state, job) {
    const jobs = state.models.jobs ?? [];
    const isKnown = jobs.some((other) => other.id === job.id);
    state.models.jobs = isKnown ? jobs.map((other) => (other.id === job.id ? job : other)) : [...jobs, job];
    return [["jobs"]];
}
