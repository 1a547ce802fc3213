// SPDX-License-Identifier: Apache-2.0
// The screen of the figures: how fast models read and write here, what fills the memory, and a benchmark.

import { button, detail, draw as shape, fill, make } from "../rendering/dom.js";
import { facts, progressBar } from "../rendering/message-parts.js";
import { askServer } from "../app/actions.js";
import { wish } from "../app/api.js";
import { bytes, count, oneOf, rounded, share } from "../app/format.js";
import { nextFrame } from "../app/frame.js";
import { can, modelTitle, store, usableEngines } from "../app/store.js";
import { text } from "../app/strings.js";
import { words } from "../app/screen-strings.js";
import { Screen, section } from "./screen.js";

const names = words.performance;
const lengths = [128, 512, 2048, 8192];
/** The time a chart shows, in seconds. */
const shownTime = 600;
/** The server tells the figures for a minute; who goes on looking says so again, after so many milliseconds. */
const lookAgain = 25_000;

/** The screen of the figures. */
export class PerformanceView extends Screen {
    #figures = make("div");
    #benchmark = make("div");
    #models = new Set();
    #lengths = new Set([512]);
    #engines = null;
    #looking = null;
    #key = "";

    constructor(navigation) {
        super(names.title, "performance", navigation);
        this.#figures.append(this.body.firstChild);
        this.body.append(this.#figures, this.#benchmark);
        store.on(["performance", "models"], () => nextFrame("performance", () => this.draw()));
    }

    /** Asks the server to tell the figures as long as somebody looks. */
    watch(isOn) {
        clearInterval(this.#looking);
        if (!isOn) return;
        // Nobody asked for this: whether it works is seen at the figures.
        const look = () => wish("watchMetrics").catch(() => {});
        look();
        this.#looking = setInterval(() => document.hidden || !store.isLive || look(), lookAgain);
    }

    /** Brings the screen to the state. */
    draw() {
        const figures = store.state?.performance;
        if (!figures || this.element.hidden) return;
        fill(this.#figures, this.#charts(figures), this.#memory(figures.memory ?? []));
        this.#drawBenchmark(figures.benchmark);
    }

    #charts({ samples = [], cached_share: cached, drafts }) {
        if (samples.length === 0) return section(names.last, detail(names.none));
        const chart = (name, label) => lineChart(label, samples.map((sample) => [sample.date, sample[name]]));
        const last = samples.at(-1);
        return section(names.last, make("div", { class: "charts" },
            chart("tokens_written_per_second", names.written), chart("tokens_read_per_second", names.read), chart("first_token_seconds", names.first)),
            facts([[names.running, count(last.running)], [names.waiting, count(last.waiting)],
                [names.cached, typeof cached === "number" ? share(cached) : null],
                [names.drafts, drafts?.made > 0 ? share(drafts.right / drafts.made) : null]]));
    }

    #memory(parts) {
        if (parts.length === 0) return null;
        const most = Math.max(...parts.map((part) => part.bytes));
        const row = (part) => {
            const bar = make("span", { class: "share-fill" });
            bar.style.inlineSize = `${most > 0 ? (100 * part.bytes) / most : 0}%`;
            return make("tr", {}, make("th", { scope: "row", text: names.memoryOf[part.kind] ?? part.kind }),
                make("td", { class: "number", text: bytes(part.bytes) }), make("td", { class: "share-bar", "aria-hidden": "true" }, bar));
        };
        const groups = [...Map.groupBy(parts, (part) => part.model ?? null)].map(([model, own]) => make("tbody", {},
            model ? make("tr", {}, make("th", { class: "share-model", scope: "rowgroup", colspan: 3, text: model })) : null, own.map(row)));
        return section(names.memory, make("table", { class: "shares" }, groups));
    }

    #drawBenchmark(benchmark) {
        const models = store.state.models.installed.filter((model) => can(model, "chat"));
        const engines = usableEngines();
        const key = JSON.stringify([benchmark, models.map((model) => [model.id, model.title]), store.state.engines]);
        if (key === this.#key) return;
        this.#key = key;
        for (const model of models) if (this.#models.size === 0) this.#models.add(model.id);
        this.#engines ??= new Set(engines);
        const isRunning = Boolean(benchmark?.is_running);
        const group = (label, entries) => make("fieldset", {}, make("legend", { text: label }), entries);
        const check = (label, set, value) => {
            const input = make("input", { type: "checkbox", checked: set.has(value), disabled: isRunning, "data-key": `bench-${value}` });
            input.addEventListener("change", () => (input.checked ? set.add(value) : set.delete(value)));
            return make("label", { class: "check" }, input, label);
        };
        const press = () => this.#measure(!isRunning);
        const label = isRunning ? text.cancel : names.start;
        fill(this.#benchmark, section(names.benchmark, detail(names.benchmarkHint), this.#about(engines),
            group(names.models, models.map((model) => check(model.title, this.#models, model.id))),
            engines.length > 1 ? group(names.engineChoice, engines.map((engine) => check(engine, this.#engines, engine))) : null,
            group(names.lengths, lengths.map((length) => check(count(length), this.#lengths, length))),
            make("div", { class: "row" }, button(label, { kind: isRunning ? "soft" : "main", press, "data-key": "bench" }),
                isRunning ? this.#progress(benchmark) : null),
            benchmark?.is_cancelled ? detail(names.cancelled, { role: "status" }) : null,
            benchmark?.failure ? make("p", { class: "card-failure", role: "status", text: names.benchmarkFailed(benchmark.failure) }) : null,
            this.#results(benchmark?.rows ?? [])));
    }

    /** Which engines are compared, and which are not here. */
    #about(engines) {
        const reasons = Map.groupBy((store.state.engines ?? []).filter((engine) => engine.problem), (engine) => engine.problem);
        const missing = [...reasons].map(([why, without]) => names.noEngine(oneOf(without.map((engine) => engine.name)), why));
        const said = engines.length > 1 ? names.engines : engines.length === 1 ? names.engine(engines[0]) : null;
        return said ? detail([said, ...missing].join(" ")) : null;
    }

    #measure(isOn) {
        // With one engine each model runs where it runs anyway, and is not loaded a second time.
        const engines = this.#engines.size > 0 && usableEngines().length > 1 ? { engines: [...this.#engines] } : {};
        return askServer("benchmark", { models: [...this.#models], ...engines, prompt_tokens: [...this.#lengths].sort((a, b) => a - b), on: isOn });
    }

    #progress({ done, all }) {
        const said = all > 0 ? names.isRunning(count(done), count(all)) : text.loading;
        return [progressBar(names.benchmark, all > 0 ? done / all : null), make("span", { class: "detail", text: said })];
    }

    #results(rows) {
        if (rows.length === 0) return null;
        const { columns } = names;
        const titles = Object.values(columns).map((name) => make("th", { scope: "col", text: name }));
        const speed = (column, value) => make("td", { class: "number", "data-column": column }, value ? [rounded(value.median), " ",
            make("span", { class: "detail", text: names.range(rounded(value.least), rounded(value.most)) })] : "–");
        const lines = rows.map((row) => make("tr", {}, make("td", { text: row.engine ?? "–" }), make("td", { text: modelTitle(row.model) }),
            make("td", { class: "number", "data-column": columns.prompt, text: count(row.prompt_tokens) }),
            row.note ? make("td", { colspan: 2, text: row.note }) : [speed(columns.read, row.read), speed(columns.written, row.written)]));
        const table = make("table", { class: "results" }, make("thead", {}, make("tr", {}, titles)), make("tbody", {}, lines));
        return [make("div", { class: "wide", tabindex: 0, role: "group", "aria-label": names.benchmark }, table), detail(names.rangeHint)];
    }
}

/** The points that follow each other without one of which nothing is known. */
function runs(points) {
    const list = [[]];
    for (const point of points) {
        if (typeof point[1] === "number") list.at(-1).push(point);
        else if (list.at(-1).length > 0) list.push([]);
    }
    return list.filter((run) => run.length > 0);
}

/** A line over the last ten minutes, with gaps where nothing was measured; what it shows is said in words as well. */
function lineChart(label, points) {
    const known = points.filter(([, value]) => typeof value === "number");
    const most = Math.max(0, ...known.map(([, value]) => value));
    const end = points.at(-1)[0];
    const place = ([date, value]) => `${(300 - ((end - date) / shownTime) * 300).toFixed(1)},${(58 - (most > 0 ? (value / most) * 54 : 0)).toFixed(1)}`;
    const image = shape("svg", { viewBox: "0 0 300 60", preserveAspectRatio: "none", "aria-hidden": "true", class: "chart" },
        shape("path", { d: "M0 58H300", class: "axis" }), ...runs(points).map((run) => (run.length > 1
            ? shape("polyline", { points: run.map(place).join(" "), class: "line" })
            : shape("path", { d: `M${place(run[0])}h0.01`, class: "dots" }))));
    const latest = known.at(-1);
    const told = latest === points.at(-1) ? names.now : names.latest;
    const said = latest ? told(rounded(latest[1]), rounded(most)) : "–";
    return make("figure", { class: "figure" }, make("figcaption", {}, make("span", { text: label }), make("span", { class: "detail", text: said })), image);
}
