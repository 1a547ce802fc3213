// SPDX-License-Identifier: Apache-2.0
// What stands beside the text of a message: what it replies to, what was attached, and where it has its facts from.

import { button, detail, icon, make, setShown } from "./dom.js";
import { outside, safeAddress } from "./inlines.js";
import { attachmentBlob, saveAttachment } from "../app/actions.js";
import { bytes, count, firstWords } from "../app/format.js";
import { store } from "../app/store.js";
import { text } from "../app/strings.js";
import { openDialog } from "../views/dialogs.js";

/** The strip that says what a message replies to; a press goes there. */
export function quoteOf(place, message) {
    setShown(place, Boolean(message.replying_to));
    if (!message.replying_to) return;
    const original = store.message(message.replying_to);
    const words = original ? firstWords(original.text, 80) : text.message.gone;
    const label = text.message.repliesTo(words);
    if (place.textContent === label) return;
    const press = () => store.tell("goTo", message.replying_to);
    place.replaceChildren(button(label, { kind: "quote-link", isInner: true, press }));
}

/** Pictures and documents that were sent. */
export function attachmentsOf(place, message) {
    const list = message.attachments ?? [];
    setShown(place, list.length > 0);
    const key = JSON.stringify(list);
    if (place.dataset.key === key) return;
    place.dataset.key = key;
    place.replaceChildren(...list.map(attachmentNode));
}

function attachmentNode(attachment) {
    if (attachment.kind === "image" && attachment.url) return picture(attachment);
    const size = typeof attachment.size === "number" ? make("span", { class: "detail", text: bytes(attachment.size) }) : null;
    const words = [icon("file"), make("span", { text: attachment.name }), size];
    if (!attachment.url) return make("span", { class: "chip" }, words);
    const label = text.message.save(attachment.name);
    const press = () => saveAttachment(attachment.url, attachment.name);
    return make("button", { type: "button", class: "chip button", "aria-label": label, title: label, tabindex: -1, onclick: press }, words);
}

/** A picture is fetched with the key and shown from memory: an `img` cannot send a header. A press shows it whole. */
function picture(attachment) {
    const label = text.message.image(attachment.name);
    const image = make("img", { alt: "" });
    let bytes = null;
    const open = () => bytes && openPicture(attachment, image, bytes);
    const opener = make("button", { type: "button", class: "picture button", "aria-label": label, title: label, tabindex: -1, "aria-haspopup": "dialog", onclick: open }, image);
    const gone = (error) => opener.replaceWith(missing(attachment, error));
    image.addEventListener("error", () => gone(null));
    attachmentBlob(attachment.url).then((blob) => showBlob(image, (bytes = blob))).catch(gone);
    return opener;
}

/** What stands in the place of a picture that did not come; one that may come later can be asked for again. */
function missing(attachment, error) {
    const again = () => {
        const opener = picture(attachment);
        chip.replaceWith(opener);
        opener.focus();
    };
    const chip = make("span", { class: "chip" }, make("span", { text: `${attachment.name}: ${text.message.imageGone}` }),
        error && !error.isFinal ? button(`${text.retry}: ${attachment.name}`, { words: text.retry, kind: "quiet small", isInner: true, press: again }) : null);
    return chip;
}

/** Shows bytes in an image. Their address is given back once it was read, or they would stay in memory for good. */
function showBlob(image, blob) {
    const address = URL.createObjectURL(blob);
    for (const type of ["load", "error"]) image.addEventListener(type, () => URL.revokeObjectURL(address), { once: true });
    image.src = address;
}

function openPicture(attachment, image, blob) {
    const label = text.message.image(attachment.name);
    const whole = make("img", { alt: label, class: "whole-picture" });
    showBlob(whole, blob);
    const facts = [`${image.naturalWidth} × ${image.naturalHeight}`, typeof attachment.size === "number" ? bytes(attachment.size) : null];
    openDialog(label, [whole,
        make("div", { class: "dialog-foot" }, detail(facts.filter(Boolean).join(" · ")), make("span", { class: "space" }),
            button(text.message.save(attachment.name), { words: text.save, icon: "save", kind: "soft", press: () => saveAttachment(attachment.url, attachment.name) }))], { head: attachment.name });
}

/** The sources of a reply, folded, and the word that text from elsewhere was read. */
export function sourcesOf(place, message) {
    const list = message.sources ?? [];
    const isShown = list.length > 0 || message.is_untrusted;
    setShown(place, Boolean(isShown));
    const key = JSON.stringify([list, message.is_untrusted]);
    if (!isShown || place.dataset.key === key) return;
    place.dataset.key = key;
    const nodes = [];
    if (list.length > 0) {
        const items = list.map((source) =>
            make("li", {}, outside(source.url, { dir: "auto" }, source.title || source.url), " ",
                make("span", { class: "host", text: hostOf(source.url) }),
                source.snippet ? make("p", { class: "snippet", dir: "auto", text: source.snippet }) : null));
        nodes.push(make("details", { class: "source-list" },
            make("summary", { tabindex: -1, text: text.message.sources(count(list.length)) }), make("ol", {}, items)));
    }
    if (message.is_untrusted) nodes.push(detail(text.message.untrusted));
    place.replaceChildren(...nodes);
}

/** The host of an address, without `www.`; empty for what is no address. */
export function hostOf(address) {
    const safe = safeAddress(address);
    return safe ? new URL(safe).hostname.replace(/^www\./, "") : "";
}

/** A list of names and values. */
export function facts(pairs) {
    const list = make("dl", { class: "facts" });
    for (const [name, value] of pairs) {
        if (value === null || value === undefined || value === "") continue;
        const node = value instanceof Node ? value : document.createTextNode(String(value));
        list.append(make("div", {}, make("dt", { text: name }), make("dd", {}, node)));
    }
    return list.hasChildNodes() ? list : null;
}

/** A bar that shows a share, with the same said in words beside it. */
export function progressBar(label, fraction) {
    const bar = make("progress", { max: 1, "aria-label": label });
    setProgress(bar, fraction);
    return bar;
}

/** Moves a bar; null is a share that is not known. */
export function setProgress(bar, fraction) {
    if (typeof fraction === "number") bar.value = fraction;
    else bar.removeAttribute("value");
}
