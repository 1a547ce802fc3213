// SPDX-License-Identifier: Apache-2.0
// What a screen reader hears of a reply: that it is being read, whole sentences as they are done, and its end.
// The log of messages itself is silent, for a text that changes thirty times a second cannot be listened to.

import { make } from "../rendering/dom.js";
import { wordCount } from "./format.js";
import { keepInReach } from "./modal.js";
import { preferences } from "./preferences.js";
import { isGrowing, store } from "./store.js";
import { words } from "./screen-strings.js";

/** At most one update in this time, in milliseconds. */
const pause = 2000;

const region = make("div", { class: "spoken", role: "status", "aria-live": "polite", id: "announcer" });
const sentences = new Intl.Segmenter(undefined, { granularity: "sentence" });

let followed = null; // the reply that is spoken: {id, said: number of characters}
let waiting = [];
let last = 0;
let timer = null;

/** The region; it has to be in the page before it speaks. */
export function announcerRegion() {
    store.on("message", (id) => follow(id));
    store.on("messages", (change) => change.added && follow(change.added.id));
    store.on("chat", () => {
        // Of a reply that goes on, and of which the state was but taken anew, nothing is said twice.
        if (followed && store.message(followed.id)) return follow(followed.id);
        followed = null;
        waiting = [];
    });
    // What was said before it was put elsewhere is not said again.
    return keepInReach(region, () => (region.textContent = ""));
}

/** Says something once the last update is two seconds old. */
export function announce(words) {
    waiting.push(words);
    if (timer) return;
    timer = setTimeout(speak, Math.max(0, last + pause - Date.now()));
}

function speak() {
    timer = null;
    if (waiting.length === 0) return;
    region.textContent = waiting.join(" ");
    waiting = [];
    last = Date.now();
}

function follow(id) {
    const message = store.message(id);
    if (!message || message.author !== "assistant") return;
    if (followed?.id !== id) {
        // A reply that was finished before this page saw it has been read already.
        if (!isGrowing(message)) return;
        followed = { id, said: 0, isReading: false };
    }
    if (preferences.speaks === "nothing") return;
    if (isGrowing(message)) {
        if (message.state === "reading" && !followed.isReading) {
            followed.isReading = true;
            announce(words.spoken.reading);
        }
        if (preferences.speaks === "sentences") sayWhole(message.text ?? "", false);
        return;
    }
    if (preferences.speaks === "sentences") sayWhole(message.text ?? "", true);
    announce(ending(message));
    followed = null;
}

/** Says the sentences that are complete: those that another one follows, and at the end all. */
function sayWhole(text, isEnd) {
    const rest = text.slice(followed.said);
    if (!rest) return;
    const parts = [...sentences.segment(rest)].map((part) => part.segment);
    if (!isEnd) parts.pop();
    const whole = parts.join("");
    followed.said += whole.length;
    // Marks of Markdown would be read out as “asterisk asterisk”; a heading would run into what follows it.
    const clean = whole.replace(/[*_`#>|~]+|\$\$|\\[()[\]]/g, "").trim().replace(/(?<![.:;!?…])\s*\n\s*\n\s*/g, ". ").replace(/\s+/g, " ");
    if (clean) announce(clean);
}

function ending(message) {
    if (message.state === "failed") return message.failure ? `${words.spoken.failed}. ${message.failure}` : words.spoken.failed;
    if (message.state === "stopped") return words.spoken.stopped;
    const asking = (message.cards ?? []).filter((card) => card.choices.length > 0 && card.stage === "proposed").length;
    if (asking > 0) return words.spoken.asks(asking);
    const written = wordCount(message.text ?? "");
    const done = (message.cards ?? []).map((card) => [card.headline, card.status].filter(Boolean).join(": "));
    return written === 0 && done.length > 0 ? words.spoken.finishedWith(done.join(". ")) : words.spoken.finished(written);
}
