// SPDX-License-Identifier: Apache-2.0
// One change of the document for each frame, however many events came in between.

const planned = new Map();
let isAsked = false;

/** Runs a function in the next frame; of several with the same key only the last. */
export function nextFrame(key, change) {
    planned.set(key, change);
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(flush);
}

function flush() {
    isAsked = false;
    const changes = [...planned.values()];
    planned.clear();
    for (const change of changes) change();
}
