// SPDX-License-Identifier: Apache-2.0
// The blocks of a message. A reply that is being written changes what is new, at the end of its last block.

import { make, patchSequence, same } from "./dom.js";
import { inline, patchInline, patchInlines } from "./inlines.js";
import { codeBlock } from "./code-block.js";
import { text } from "../app/strings.js";

/** Brings the blocks of a whole text to others. */
export function showBlocks(parent, old, now) {
    setDepths(now);
    patchBlocks(parent, old, now);
}

/**
 * Says how deep each heading is shown. A model may begin with any level and leave some out; a reader who goes from
 * heading to heading gets them without a gap. What comes later changes nothing about those that are there.
 */
function setDepths(blocks) {
    let depth = 0;
    for (const value of blocks) {
        if (value.kind !== "heading") continue;
        depth = Math.min(value.level, depth + 1);
        value.depth = depth;
    }
}

/** Brings the blocks in a node to others. */
function patchBlocks(parent, old, now) {
    patchSequence(parent, old, now, block, patchBlock);
}

/** Makes the node of one block. */
export function block(value) {
    switch (value.kind) {
        case "paragraph":
            return make("p", {}, value.inlines.map(inline));
        case "heading":
            // The page has a heading of the first level and each message one of the second.
            return make(`h${Math.min((value.depth ?? value.level) + 2, 6)}`, {}, value.inlines.map(inline));
        case "code":
            return codeBlock(value.info, value.text);
        case "formula":
            return codeBlock(text.code.formula, value.text, text.code.copyFormula);
        case "quote":
            return make("blockquote", {}, value.blocks.map(block));
        case "list":
            return list(value);
        case "table":
            return table(value);
        case "rule":
            return make("hr");
        default:
            return make("p", { class: "raw", text: value.text ?? "" });
    }
}

function patchBlock(node, old, now) {
    if (old.kind !== now.kind) return false;
    switch (now.kind) {
        case "paragraph":
            patchInlines(node, old.inlines, now.inlines);
            return true;
        case "heading":
            if (old.depth !== now.depth) return false;
            patchInlines(node, old.inlines, now.inlines);
            return true;
        case "code":
            node.update(now.info, now.text);
            return true;
        case "formula":
            node.update(text.code.formula, now.text);
            return true;
        case "quote":
            patchBlocks(node, old.blocks, now.blocks);
            return true;
        case "list":
            return patchList(node, old, now);
        case "table":
            return patchTable(node, old, now);
        default:
            return false;
    }
}

// MARK: Lists

function list(value) {
    const isOrdered = value.start !== null && value.start !== undefined;
    const start = isOrdered && value.start !== 1 ? value.start : null;
    return make(isOrdered ? "ol" : "ul", { start }, value.items.map((item) => listItem(item, value.tight)));
}

function listItem(item, isTight) {
    return make("li", { class: isTask(item) ? "task" : null }, units(item, isTight).map(unit));
}

function isTask(item) {
    return item.done === true || item.done === false;
}

/** What an item shows, one node each: the paragraphs of a tight list have no element of their own. */
function units(item, isTight) {
    const shown = isTask(item) ? [{ done: item.done }] : [];
    for (const child of item.blocks) {
        if (isTight && child.kind === "paragraph") for (const value of child.inlines) shown.push({ inline: value });
        else shown.push({ block: child });
    }
    return shown;
}

function unit(value) {
    if (value.inline) return inline(value.inline);
    if (value.block) return block(value.block);
    const label = value.done ? text.message.taskDone : text.message.taskOpen;
    return make("input", { type: "checkbox", disabled: true, checked: value.done, "aria-label": label });
}

function patchUnit(node, old, now) {
    if (old.inline && now.inline) return patchInline(node, old.inline, now.inline);
    if (old.block && now.block) return patchBlock(node, old.block, now.block);
    return false;
}

function patchList(node, old, now) {
    if (old.start !== now.start) return false;
    patchSequence(node, old.items, now.items, (item) => listItem(item, now.tight), (child, before, after) => {
        if (isTask(before) !== isTask(after)) return false;
        patchSequence(child, units(before, old.tight), units(after, now.tight), unit, patchUnit);
        return true;
    });
    // Items that are the same are drawn differently once the list is no longer tight.
    if (old.tight !== now.tight) {
        old.items.slice(0, now.items.length).forEach((item, index) => {
            if (same(item, now.items[index])) node.childNodes[index].replaceWith(listItem(now.items[index], now.tight));
        });
    }
    return true;
}

// MARK: Tables

function table(value) {
    const head = make("thead", {}, make("tr", {}, value.header.map((cell, at) => tableCell("th", cell, value.align[at]))));
    const body = make("tbody", {}, value.rows.map((row) => tableRow(row, value.align)));
    const area = make("div", { class: "table", role: "group", "aria-label": text.message.table });
    area.append(make("table", {}, head, body));
    widths.observe(area);
    return area;
}

function tableRow(row, align) {
    return make("tr", {}, row.map((cell, at) => tableCell("td", cell, align[at])));
}

function tableCell(tag, inlines, align) {
    const scope = tag === "th" ? "col" : null;
    return make(tag, { class: align ? `to-${align}` : null, scope }, inlines.map(inline));
}

function patchTable(node, old, now) {
    if (!same(old.align, now.align) || !same(old.header, now.header)) return false;
    patchSequence(node.querySelector("tbody"), old.rows, now.rows, (row) => tableRow(row, now.align), (line, before, after) => {
        if (before.length !== after.length) return false;
        after.forEach((cell, at) => patchInlines(line.childNodes[at], before[at], cell));
        return true;
    });
    return true;
}

// A table that is wider than its place scrolls by itself. Only then is it a stop of the Tab key, for the keyboard has to
// be able to scroll it.
const widths = new ResizeObserver((entries) => {
    for (const { target } of entries) {
        const isWider = target.scrollWidth > target.clientWidth + 1;
        if (isWider !== target.hasAttribute("tabindex")) {
            if (isWider) target.tabIndex = 0;
            else target.removeAttribute("tabindex");
        }
    }
});
