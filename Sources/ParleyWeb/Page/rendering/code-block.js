// SPDX-License-Identifier: Apache-2.0
// A block of code: its language, a button that copies it and one for long lines. Long blocks are folded.

import { button, make, setText } from "./dom.js";
import { patchText } from "./inlines.js";
import { copy } from "../app/clipboard.js";
import { preferences } from "../app/preferences.js";
import { count } from "../app/format.js";
import { text } from "../app/strings.js";

/** A block with more lines is folded to about this many. */
const foldedLines = 30;

class CodeBlock extends HTMLElement {
    #language = make("span", { class: "language" });
    #content = document.createTextNode("");
    #area;
    #wrap;
    #unfold = null;
    #isWhole = false;

    constructor() {
        super();
        this.#area = make("pre", {}, make("code", {}, this.#content));
        this.#wrap = button(text.code.wrap, {
            icon: "wrap", kind: "quiet small", isInner: true, press: () => this.#setWraps(!this.classList.contains("wraps")),
        });
    }

    /** Fills a new block; what it shows later comes by `update`. */
    begin(info, code, copyName = text.code.copy) {
        const copyButton = button(copyName, {
            icon: "copy", kind: "quiet small", isInner: true, press: () => copy(this.#content.data),
        });
        this.append(make("div", { class: "code-head" }, this.#language, this.#wrap, copyButton), this.#area);
        this.#setWraps(preferences.wrapsCode);
        this.update(info, code);
    }

    /** Shows a text; one that grew only gets what is new. */
    update(info, code) {
        setText(this.#language, (info ?? "").trim().split(/\s/, 1)[0] || text.code.plain);
        if (code !== this.#content.data) patchText(this.#content, code);
        this.#fold();
    }

    /** Shows a folded block whole. */
    unfold() {
        if (this.classList.contains("folded")) this.#toggle();
    }

    /** Keeps the end of a folded block in sight while it is written, and its beginning afterwards. */
    showEnd(isWritten) {
        if (this.classList.contains("folded")) this.#area.scrollTop = isWritten ? this.#area.scrollHeight : 0;
    }

    #setWraps(wraps) {
        this.classList.toggle("wraps", wraps);
        this.#wrap.setAttribute("aria-pressed", String(wraps));
        // Lines that are not broken scroll sideways, which the keyboard has to be able to do as well.
        if (wraps) this.#area.removeAttribute("tabindex");
        else this.#area.tabIndex = 0;
    }

    #fold() {
        const lines = this.#lines();
        const isLong = lines > foldedLines + 6;
        this.classList.toggle("folded", isLong && !this.#isWhole);
        if (!isLong) return;
        if (!this.#unfold) {
            this.#unfold = button(" ", { kind: "quiet unfold", isInner: true, press: () => this.#toggle() });
            this.append(this.#unfold);
        }
        setText(this.#unfold.firstChild, this.#isWhole ? text.code.fold : text.code.unfold(count(lines)));
        this.#unfold.setAttribute("aria-expanded", String(this.#isWhole));
    }

    #toggle() {
        this.#isWhole = !this.#isWhole;
        this.#fold();
        this.showEnd(false);
        // The end of a long block is far below its folded one; the reader stays at the block.
        if (!this.#isWhole) this.#unfold.scrollIntoView({ block: "nearest" });
    }

    #lines() {
        const code = this.#content.data;
        let lines = 0;
        for (let at = code.indexOf("\n"); at >= 0; at = code.indexOf("\n", at + 1)) lines += 1;
        return code.endsWith("\n") ? lines : lines + 1;
    }
}

customElements.define("parley-code", CodeBlock);

/** Makes a block of code. */
export function codeBlock(info, code, copyName) {
    const element = document.createElement("parley-code");
    element.begin(info, code, copyName);
    return element;
}
