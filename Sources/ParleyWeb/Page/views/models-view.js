// SPDX-License-Identifier: Apache-2.0
// The screen of the models: those on this machine, and those that can be fetched.

import { button, detail, fill, make, setText } from "../rendering/dom.js";
import { facts, progressBar, setProgress } from "../rendering/message-parts.js";
import { ask, askServer } from "../app/actions.js";
import { bytes, count, share } from "../app/format.js";
import { nextFrame } from "../app/frame.js";
import { can, modelTitle, store } from "../app/store.js";
import { text } from "../app/strings.js";
import { words } from "../app/screen-strings.js";
import { askForYes } from "./dialogs.js";
import { isBusy, jobButtons, jobFraction, jobWords } from "./jobs.js";
import { Screen, section } from "./screen.js";

/** The state of a model in words. */
function stateWords(model) {
    return model.status === "loading" && model.fraction ? `${text.loading}, ${share(model.fraction)}` : words.models.status[model.status];
}

/** The screen of the models. */
export class ModelsView extends Screen {
    #key = "";
    #bars = new Map();
    #states = new Map();

    constructor(navigation) {
        super(words.models.title, "models", navigation);
        store.on(["models", "jobs", "status"], () => nextFrame("models", () => this.draw()));
    }

    /** Brings the screen to the state; a fetch that goes on moves its bar only, a model that loads only says how far. */
    draw() {
        const models = store.state?.models;
        if (!models || this.element.hidden) return;
        const jobs = models.jobs ?? [];
        const steady = jobs.map(({ id, model, status, error }) => [id, model, status, error]);
        const installed = models.installed.map((model) => ({ ...model, fraction: null }));
        const key = JSON.stringify([installed, models.catalog, models.default, steady, store.status.model]);
        if (key !== this.#key) {
            this.#key = key;
            this.#bars.clear();
            this.#states.clear();
            const isOpen = ({ status }) => status !== "done" && status !== "cancelled" && status !== "failed";
            fill(this.body, this.#jobs(words.models.jobs.running, jobs.filter(isOpen)), this.#installed(models),
                this.#jobs(words.models.notFetched, jobs.filter(({ status }) => status === "failed")), this.#catalog(models, jobs));
        }
        for (const model of models.installed) setText(this.#states.get(model.id), stateWords(model));
        for (const job of jobs) {
            const shown = this.#bars.get(job.id);
            if (!shown) continue;
            setProgress(shown.bar, jobFraction(job));
            setText(shown.said, jobWords(job));
        }
    }

    #jobs(title, jobs) {
        if (jobs.length === 0) return null;
        const items = jobs.map((job) => {
            const shown = { bar: progressBar(`${words.models.fetch}: ${modelTitle(job.model)}`, jobFraction(job)), said: detail(jobWords(job)) };
            this.#bars.set(job.id, shown);
            return make("li", { class: job.status === "failed" ? "model failed" : "model" }, make("h3", { text: modelTitle(job.model) }),
                job.status === "failed" ? null : shown.bar, shown.said, make("div", { class: "row" }, jobButtons(job, job.status === "failed" ? "soft" : "main")));
        });
        return section(title, make("ul", { class: "model-list" }, items));
    }

    #installed({ installed }) {
        const none = detail(words.models.none);
        return section(words.models.installed, installed.length === 0 ? none
            : make("ul", { class: "model-list" }, installed.map((model) => this.#model(model))));
    }

    #model(model) {
        const isHere = store.status.model === model.id;
        const names = words.models;
        const state = make("span", { class: `tag ${model.status}`, text: stateWords(model) });
        this.#states.set(model.id, state);
        const act = (label, type, kind = "soft") => button(`${label}: ${model.title}`, {
            words: label, kind, press: () => askServer(type, { model: model.id }), "data-key": `${type}-${model.id}`,
        });
        const remove = () => askForYes({
            title: names.remove, words: names.removeAsk(model.title), action: names.remove,
            use: () => askServer("removeModel", { model: model.id }),
        });
        const choose = button(`${names.choose}: ${model.title}`, {
            words: names.choose, kind: "soft", press: () => ask("chooseModel", { model: model.id }), "data-key": `choose-${model.id}`,
        });
        return make("li", { class: model.status === "failed" ? "model failed" : "model" },
            make("div", { class: "model-head" }, make("h3", { text: model.title }), state,
                isHere ? make("span", { class: "tag", text: names.chosen }) : null),
            model.failure ? make("p", { class: "card-failure", text: model.failure }) : null,
            this.#abilities(model.capabilities),
            facts([
                [names.size, bytes(model.size)], [names.quantization, model.quantization],
                [names.engine, model.engine ?? (model.engines ?? []).join(", ")], [names.licence, model.licence],
                [names.context, model.context_length ? names.tokens(count(model.context_length)) : null], ...this.#memory(model),
            ]),
            make("div", { class: "row" },
                !isHere && can(model, "chat") ? choose : null,
                model.status === "unloaded" || model.status === "failed" ? act(names.load, "loadModel") : null,
                model.status === "loaded" ? act(names.unload, "unloadModel") : null,
                // A model that was given by its path is not the server's to remove.
                model.removable === false ? null
                    : button(`${names.remove}: ${model.title}`, { words: names.remove, kind: "quiet", press: remove, "data-key": `remove-${model.id}` })));
    }

    /** What a model needs and how much fits; of one that is not here only so much is known that at least this fits. */
    #memory({ memory, largest_context: largest }, isFetched = true) {
        const tokens = isFetched ? words.models.tokens : words.models.atLeast;
        const fits = largest > 0 ? tokens(count(largest)) : words.models.tooLarge;
        return [
            [isFetched ? words.models.memory : words.models.memoryAbout, memory ? bytes(memory) : null],
            [words.models.largest, largest === null || largest === undefined ? null : fits],
        ];
    }

    #abilities(list) {
        const known = (list ?? []).filter((name) => name !== "chat" || list.length === 1);
        if (known.length === 0) return null;
        return make("p", { class: "tags" }, known.map((name) => make("span", { class: "tag", text: words.models.capabilities[name] ?? name })));
    }

    #catalog({ catalog }, jobs) {
        const open = catalog.filter((entry) => !entry.installed);
        if (open.length === 0) return section(words.models.catalog, detail(words.models.noCatalog));
        const busy = new Set(jobs.filter((job) => isBusy(job)).map((job) => job.model));
        const items = open.map((entry) => make("li", { class: "model" },
            make("div", { class: "model-head" }, make("h3", { text: entry.title }), this.#abilities(entry.capabilities)),
            facts([[words.models.size, bytes(entry.size)], [words.models.licence, entry.licence], ...this.#memory(entry, false)]),
            make("div", { class: "row" }, button(`${words.models.fetch}: ${entry.title}`, {
                words: words.models.fetch, icon: "save", kind: "soft", "aria-disabled": busy.has(entry.name) ? "true" : null,
                press: () => askServer("fetchModel", { model: entry.name }), "data-key": `fetch-${entry.name}`,
            }))));
        return section(words.models.catalog, make("ul", { class: "model-list" }, items));
    }
}
