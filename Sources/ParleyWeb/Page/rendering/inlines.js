// SPDX-License-Identifier: Apache-2.0
// Text within a block. Each inline is exactly one node, so that what is shown can be brought to what is new by index.

import { button, make, patchSequence } from "./dom.js";
import { copy } from "../app/clipboard.js";
import { text } from "../app/strings.js";

const tags = { emphasis: "em", strong: "strong", strikethrough: "del" };
const schemes = new Set(["http:", "https:", "mailto:"]);

/** Makes the node of one inline. */
export function inline(value) {
    switch (value.kind) {
        case "code":
            return make("code", { text: value.text });
        case "formula":
            return formula(value);
        case "emphasis":
        case "strong":
        case "strikethrough":
            return make(tags[value.kind], {}, value.inlines.map(inline));
        case "link":
        case "image":
            return link(value);
        case "softbreak":
            return document.createTextNode("\n");
        case "break":
            return make("br");
        default:
            // Text; raw HTML and kinds that this page does not know are shown as they were written.
            return document.createTextNode(value.text ?? "");
    }
}

/** Brings the inlines of a node to others. */
export function patchInlines(parent, old, now) {
    patchSequence(parent, old, now, inline, patchInline);
}

/** Changes the node of an inline, if it can stay; a text that grew only gets what is new. */
export function patchInline(node, old, now) {
    if (old.kind !== now.kind) return false;
    if (now.kind === "text" || now.kind === "html") return patchText(node, now.text);
    if (now.kind === "code") return patchText(node.firstChild, now.text);
    if (now.kind in tags) {
        patchInlines(node, old.inlines, now.inlines);
        return true;
    }
    return false;
}

/** Brings a text node to a text; returns whether there was one. */
export function patchText(node, now) {
    if (node?.nodeType !== Node.TEXT_NODE) return false;
    if (now.startsWith(node.data)) node.appendData(now.slice(node.data.length));
    else node.data = now;
    return true;
}

/** An address that may be a link here; null for all others. The server has decided already; this is the second lock. */
export function safeAddress(address) {
    try {
        const url = new URL(address);
        return schemes.has(url.protocol) ? url.href : null;
    } catch {
        return null;
    }
}

/**
 * A link to another place.
 *
 * The place opened must not learn where the reader came from, and must not reach back into this page.
 */
export function outside(address, options = {}, ...children) {
    const href = safeAddress(address);
    if (!href) return make("span", {}, ...children);
    const rel = "noreferrer noopener nofollow";
    return make("a", { href, rel, target: "_blank", tabindex: -1, ...options }, ...children);
}

function link(value) {
    const children = (value.inlines ?? []).map(inline);
    // An image in Markdown is never loaded, for its address would tell others what this chat says.
    if (value.kind === "image" && children.length === 0) children.push(document.createTextNode(value.url));
    const host = value.host ? make("span", { class: "host", text: ` (${value.host})` }) : null;
    return outside(value.url, { title: value.title, class: value.kind === "image" ? "image-link" : null }, children, host);
}

/** A formula as it was written; one that is more than a name has a button that copies it. */
function formula({ text: words, displayed }) {
    const copies = displayed || words.length > 12;
    return make("span", { class: displayed ? "formula displayed" : "formula" }, make("code", { text: words }), copies
        && button(text.code.copyFormula, { icon: "copy", kind: "quiet small", isInner: true, press: () => copy(words) }));
}
