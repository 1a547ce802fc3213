// SPDX-License-Identifier: Apache-2.0
// Models that are being fetched: how far, how fast, how long still, and what can be done about it.

import { button } from "../rendering/dom.js";
import { askServer } from "../app/actions.js";
import { bytes, duration, share } from "../app/format.js";
import { words } from "../app/screen-strings.js";
import { text } from "../app/strings.js";

/** The part that has come; null while the size is not known. */
export const jobFraction = (job) => (job.total > 0 && job.status !== "unpacking" && job.status !== "verifying" ? Math.min(1, job.received / job.total) : null);

/** Whether something is being done for a fetch. */
export const isBusy = (job) => job.status === "running" || job.status === "unpacking" || job.status === "verifying";

/** How a fetch stands, in words. */
export function jobWords(job) {
    const parts = [words.models.jobs[job.status] ?? job.status];
    if (job.status === "failed") return [...parts, job.error].filter(Boolean).join(": ");
    // What follows the download has no bytes to count.
    if (job.status === "unpacking" || job.status === "verifying") return [...parts, bytes(job.total)].join(" · ");
    const fraction = jobFraction(job);
    if (fraction !== null) parts.push(share(fraction), words.models.progress(bytes(job.received), bytes(job.total)));
    if (job.status === "running" && job.rate > 0) parts.push(words.models.rate(bytes(job.rate)));
    if (job.status === "running" && typeof job.seconds_left === "number") parts.push(words.models.left(duration(job.seconds_left)));
    return parts.join(" · ");
}

/** The buttons of a fetch; `kind` is how the one that goes on with it looks. */
export function jobButtons(job, kind = "main") {
    const act = (label, type, values, kind = "soft") =>
        button(label, { kind, press: () => askServer(type, values), "data-key": `${type}-${job.id}` });
    switch (job.status) {
        case "running":
            return [act(words.models.pause, "pauseFetch", { job: job.id }), act(text.cancel, "cancelFetch", { job: job.id }, "quiet")];
        case "paused":
            // Fetching again goes on where the file ends.
            return [act(words.models.resume, "fetchModel", { model: job.model }, kind), act(text.cancel, "cancelFetch", { job: job.id }, "quiet")];
        case "failed":
            // A server that knows that the same would fail again says so.
            return [job.can_be_retried === false ? null : act(text.retry, "fetchModel", { model: job.model }, kind), act(text.dismiss, "cancelFetch", { job: job.id }, "quiet")];
        default:
            return [];
    }
}
