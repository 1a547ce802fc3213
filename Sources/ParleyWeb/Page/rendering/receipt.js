// SPDX-License-Identifier: Apache-2.0
// The receipt of a reply: what it was made of, and whether the same comes again of the same.

import { button, detail, fill, make } from "./dom.js";
import { facts, progressBar } from "./message-parts.js";
import { openPanel } from "./popover.js";
import { ask } from "../app/actions.js";
import { count, duration, rounded } from "../app/format.js";
import { notices } from "../app/notices.js";
import { modelTitle } from "../app/store.js";
import { text } from "../app/strings.js";

const names = text.receipt;

/** The receipt of a message, opened at a button. */
export class Receipt {
    #message;
    #place = make("div", { class: "replay" });
    #wasRunning = false;

    /** `message()` is the message as it is at present. */
    constructor(message) {
        this.#message = message;
    }

    /** Opens the panel; a second time closes it. */
    open(anchor) {
        const { receipt } = this.#message();
        const list = facts([
            [names.model, modelTitle(receipt.model)],
            [names.ended, text.endings[receipt.ended] ?? receipt.ended],
            [names.prompt, count(receipt.prompt_tokens)],
            [names.cached, receipt.cached_tokens ? count(receipt.cached_tokens) : null],
            [names.completion, count(receipt.completion_tokens)],
            [names.reasoning, receipt.reasoning_tokens ? count(receipt.reasoning_tokens) : null],
            [names.dropped, receipt.dropped_turns ? count(receipt.dropped_turns) : null],
            [names.speed, receipt.tokens_per_second ? names.perSecond(rounded(receipt.tokens_per_second)) : null],
            [names.first, receipt.first_token_seconds ? duration(receipt.first_token_seconds) : null],
            [names.seed, receipt.seed],
        ]);
        this.#draw();
        openPanel(anchor, [make("h3", { text: names.title }), list, this.#place], { label: names.title });
    }

    /** Brings the panel to the message. What ends while it is closed is told as a notice. */
    update() {
        const { replay } = this.#message();
        const isRunning = Boolean(replay?.is_running);
        if (this.#place.isConnected) this.#draw();
        else if (this.#wasRunning && !isRunning && replay) notices.add({ text: outcome(replay) });
        this.#wasRunning = isRunning;
    }

    #draw() {
        const { receipt, replay } = this.#message();
        const wish = (on) => ask("replay", { message: this.#message().id, on });
        if (replay?.is_running) {
            const { written, tokens } = replay;
            fill(this.#place, make("div", { class: "row" }, progressBar(names.replaying, tokens > 0 ? Math.min(1, written / tokens) : null),
                button(text.cancel, { kind: "soft small", press: () => wish(false), "data-key": "replay" })));
            return;
        }
        const start = receipt.can_be_replayed === false ? null
            : button(names.replay, { words: true, icon: "again", kind: "soft", press: () => wish(true), "data-key": "replay" });
        const said = replay ? result(replay) : [detail(start ? names.replayHint : names.noReplay)];
        fill(this.#place, start, make("div", { role: "status" }, said));
    }
}

/** What came of a replay, in a sentence. */
function outcome({ failure, replies }) {
    if (failure) return names.replayFailed(failure);
    const parted = replies.find((reply) => !reply.same);
    const all = replies.reduce((sum, reply) => sum + reply.tokens, 0);
    return parted ? names.parted(count(parted.parts_at + 1), count(parted.tokens)) : names.same(count(all));
}

/** The same with the words around the place where two replies part. */
function result(replay) {
    const shown = [make("p", { text: outcome(replay) })];
    for (const reply of replay.replies) {
        if (!reply.same) shown.push(facts([[names.kept, quoted(reply.kept)], [names.now, quoted(reply.now)]]));
    }
    return shown;
}

const quoted = (words) => make("q", { dir: "auto", text: words });
