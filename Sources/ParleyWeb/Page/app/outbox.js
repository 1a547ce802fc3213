// SPDX-License-Identifier: Apache-2.0
// Messages on their way. One that cannot be sent because the server is gone is kept, also over a reload, and sent when
// the server is back; its id stays the same, so that it arrives once however often it is sent.

import { newID, wish } from "./api.js";
import { draft, keepDraft } from "./drafts.js";
import { report } from "./actions.js";
import { store } from "./store.js";

/** The entry by which a tab tells the others what it has taken back. */
const cancelled = "parley.cancelled";
/** Time after which a message that was lost is sent again, in milliseconds. */
const pause = 2000;

class Outbox {
    #isSending = new Set();

    /** What waits in a chat: `{id, type, values}`; null for nothing. */
    entry(chat) {
        return this.#isSending.has(chat) ? null : (draft(chat).pending ?? null);
    }

    /** Sends a message, now or once the server is back and the model is loaded. */
    send(chat, type, values) {
        keepDraft(chat, { ...draft(chat), pending: { id: newID(), type, values } });
        if (!waitsForModel(chat)) return this.#deliver(chat);
        store.tell("outbox");
        return null;
    }

    /** Sends what waits; called when the connection is there again, or the model. */
    flush(chat) {
        if (this.entry(chat) && !waitsForModel(chat)) this.#deliver(chat);
    }

    /** Takes back what waits, into the field. */
    cancel(chat) {
        const pending = this.entry(chat);
        if (!pending) return;
        keepDraft(chat, { ...draft(chat), pending: null });
        try {
            localStorage.setItem(cancelled, pending.id);
        } catch {
            // Other tabs do not hear of it.
        }
        giveBack(chat, pending.values.text);
        store.tell("outbox");
    }

    /** Forgets what another tab has taken back, from which this one has taken it over. */
    forget(id) {
        const chat = store.chat?.id;
        if (!chat || draft(chat).pending?.id !== id) return;
        keepDraft(chat, { ...draft(chat), pending: null });
        store.tell("outbox");
    }

    async #deliver(chat, isSecondTry = false) {
        const { pending } = draft(chat);
        if (!pending || this.#isSending.has(chat)) return;
        this.#isSending.add(chat);
        try {
            await wish(pending.type, { chat, ...pending.values }, pending.id);
            keepDraft(chat, { ...draft(chat), pending: null });
        } catch (error) {
            // Words with attachments do not wait for a reply: they go back to their writer.
            const other = pending.values.attachments?.length ? null : { queue: "send", send: "queue" }[pending.type];
            if (error.status === 409 && other && !isSecondTry) {
                // The reply that this waits for has ended, or one has begun, since the page heard of it last.
                this.#isSending.delete(chat);
                const values = { attachments: [], replying_to: null, ...pending.values };
                keepDraft(chat, { ...draft(chat), pending: { id: newID(), type: other, values } });
                return await this.#deliver(chat, true);
            }
            // The model has been unloaded since the page heard of it last; its status says when it is back.
            if (error.code === "model_loading") return;
            // The network may have lost this alone: while events come, nothing else would have it sent again.
            if (error.kind === "offline") setTimeout(() => store.isLive && this.flush(chat), pause);
            else if (error.kind !== "key") {
                // The server will not take it a second time either: the words go back to their writer.
                keepDraft(chat, { ...draft(chat), pending: null });
                giveBack(chat, pending.values.text);
                report(error);
            }
        } finally {
            this.#isSending.delete(chat);
            store.tell("outbox");
        }
    }
}

/** The one outbox of the page. */
export const outbox = new Outbox();

/**
 * Gives words that were not sent back to their writer, before what was typed since: into the field, or the draft of a chat
 * that is not shown.
 */
export function giveBack(chat, words) {
    if (!words) return;
    if (store.chat?.id === chat) store.tell("unsent", { chat, text: words });
    else keepDraft(chat, { ...draft(chat), text: [words, draft(chat).text].filter(Boolean).join("\n") });
}

/** Whether a message would find no model; one for a chat that is not shown is left to the server. */
function waitsForModel(chat) {
    return store.isLive && store.chat?.id === chat && !store.status.is_model_loaded;
}

addEventListener("storage", ({ key, newValue }) => key === cancelled && outbox.forget(newValue));

let wasLoaded = true;

store.on(["connection", "status"], (detail, topic) => {
    const isLoaded = Boolean(store.status?.is_model_loaded);
    const isNews = topic === "connection" || isLoaded !== wasLoaded;
    wasLoaded = isLoaded;
    if (isNews && store.connection.state === "live" && store.chat) outbox.flush(store.chat.id);
});
