// SPDX-License-Identifier: Apache-2.0
// The first start: no model is on this machine yet. One choice, with its progress; the rest of the page works meanwhile.

import { button, detail, fill, make, setText } from "../rendering/dom.js";
import { progressBar, setProgress } from "../rendering/message-parts.js";
import { askServer } from "../app/actions.js";
import { bytes } from "../app/format.js";
import { go, screenAddress } from "../app/router.js";
import { store } from "../app/store.js";
import { words } from "../app/screen-strings.js";
import { jobButtons, jobFraction, jobWords } from "./jobs.js";

/** What an empty chat shows as long as there is no model. */
export class FirstRun {
    element = make("section", { class: "first-run", "aria-label": words.firstRun.title });
    #bar = progressBar(words.models.jobs.running, null);
    #said = make("p", { class: "detail" });
    #key = null;

    /** Brings the panel to the state; while a fetch goes on only its bar and its words change. */
    draw() {
        const { models } = store.state;
        const choice = models.catalog.find((entry) => entry.name === models.default) ?? models.catalog[0];
        const job = (models.jobs ?? []).findLast((one) => one.status !== "cancelled" && one.status !== "done");
        const key = JSON.stringify([choice?.name, job?.id, job?.status, job?.error]);
        if (key !== this.#key) {
            this.#key = key;
            fill(this.element, make("h2", { text: words.firstRun.title }), make("p", { text: words.firstRun.text }),
                job ? this.#progress(job) : this.#choice(choice));
        }
        if (!job) return;
        setProgress(this.#bar, jobFraction(job));
        setText(this.#said, jobWords(job));
        this.#said.className = job.status === "failed" ? "card-failure" : "detail";
    }

    #choice(choice) {
        const others = button(words.firstRun.others, { kind: "soft", press: () => go(screenAddress("models")), "data-key": "others" });
        if (!choice) return make("div", { class: "row" }, make("p", { text: words.models.noCatalog }), others);
        const label = words.firstRun.fetch(choice.title, bytes(choice.size));
        const press = () => askServer("fetchModel", { model: choice.name });
        return make("div", { class: "row" }, button(label, { words: true, kind: "main", icon: "save", press, "data-key": "fetch" }), others);
    }

    #progress(job) {
        return [
            this.#bar, this.#said,
            make("div", { class: "row" }, jobButtons(job)),
            detail(words.firstRun.meanwhile),
        ];
    }
}
