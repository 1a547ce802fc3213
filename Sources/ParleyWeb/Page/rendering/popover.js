// SPDX-License-Identifier: Apache-2.0
// Menus and small panels over the page, by the popover API: the browser closes them on Esc and on a press elsewhere.

import { button, icon, make } from "./dom.js";

let number = 0;
let present = null; // {panel, anchor}

/**
 * Opens a panel at a button; a second press of the button closes it.
 *
 * `role` is `menu` or `dialog`. The focus goes into the panel and comes back to the button when the panel closes.
 */
export function openPanel(anchor, content, { role = "dialog", label, alignsEnd = false } = {}) {
    const wasOpen = present?.anchor === anchor;
    closePanel();
    if (wasOpen) return null;
    number += 1;
    const panel = make("div", { class: `panel ${role}`, popover: "auto", role, "aria-label": label, id: `panel-${number}` }, content);
    // Within an open dialog everything outside of it is inert; elsewhere a panel belongs to the landmark of its button.
    (anchor.closest("dialog, main, nav") ?? document.body).append(panel);
    present = { panel, anchor };
    anchor.setAttribute("aria-expanded", "true");
    // The browser would lay the words of the button over the panel.
    const { title } = anchor;
    anchor.removeAttribute("title");
    panel.addEventListener("toggle", (event) => {
        if (event.newState === "open") return;
        const hadFocus = panel.contains(document.activeElement) || document.activeElement === document.body;
        panel.remove();
        if (title && !anchor.title) anchor.title = title;
        if (present?.panel === panel) present = null;
        if (present?.anchor !== anchor) anchor.setAttribute("aria-expanded", "false");
        if (hadFocus && anchor.isConnected) anchor.focus();
    });
    panel.showPopover();
    place(panel, anchor, alignsEnd);
    if (role === "menu") panel.addEventListener("keydown", moveInMenu);
    const first = panel.querySelector("[autofocus]") ?? panel.querySelector("button, input, select, a[href]");
    if (first) first.focus();
    else {
        panel.tabIndex = -1;
        panel.focus();
    }
    return panel;
}

/** Closes the panel that is open. */
export function closePanel() {
    if (!present) return false;
    // The event of the popover comes later; a press of the same button before it opens the panel again.
    const { panel } = present;
    present = null;
    panel.hidePopover();
    return true;
}

/** Whether a panel is open. One that the browser has closed is not, though its event comes later. */
export const isPanelOpen = () => present?.panel.matches(":popover-open") ?? false;

function place(panel, anchor, alignsEnd) {
    const at = anchor.getBoundingClientRect();
    const { width, height } = panel.getBoundingClientRect();
    const margin = 8;
    const left = alignsEnd ? at.right - width : at.left;
    panel.style.left = `${Math.max(margin, Math.min(left, innerWidth - width - margin))}px`;
    const fitsBelow = at.bottom + 4 + height <= innerHeight - margin;
    const top = fitsBelow ? at.bottom + 4 : Math.max(margin, at.top - height - 4);
    panel.style.top = `${Math.min(top, Math.max(margin, innerHeight - height - margin))}px`;
}

/** A menu at a button: `{label, icon, press, detail, isChosen, isOff}`; null draws a line. */
export function openMenu(anchor, items, options = {}) {
    const entries = items.map((item) => {
        if (!item) return make("hr", { role: "separator" });
        const isChoice = item.isChosen !== undefined;
        const entry = make("button", {
            type: "button",
            class: "menu-item",
            role: isChoice ? "menuitemradio" : "menuitem",
            "aria-checked": isChoice ? String(item.isChosen) : null,
            "aria-disabled": item.isOff ? "true" : null,
            tabindex: -1,
            onclick: () => {
                if (item.isOff) return;
                closePanel();
                item.press();
            },
        });
        entry.append(icon(isChoice ? (item.isChosen ? "check" : "blank") : (item.icon ?? "blank")));
        entry.append(make("span", { text: item.label }));
        if (item.detail) entry.append(make("span", { class: "detail", text: item.detail }));
        return entry;
    });
    return openPanel(anchor, entries, { role: "menu", ...options });
}

/** Arrows, Home and End go through a menu; Tab leaves it. */
function moveInMenu(event) {
    const items = [...event.currentTarget.querySelectorAll(".menu-item")];
    const at = items.indexOf(document.activeElement);
    const last = items.length - 1;
    const targets = {
        ArrowDown: at >= last ? 0 : at + 1,
        ArrowUp: at <= 0 ? last : at - 1,
        Home: 0,
        End: last,
    };
    if (event.key in targets) {
        event.preventDefault();
        items[targets[event.key]].focus();
    } else if (event.key === "Tab") {
        event.preventDefault();
        closePanel();
    }
}

/** A button that opens a menu, made when it is pressed. */
export function menuButton(label, items, options = {}) {
    const { panel = {}, ...more } = options;
    const press = () => openMenu(opener, items(), { label, ...panel });
    const opener = button(label, { ...more, press, "aria-haspopup": "menu", "aria-expanded": "false" });
    return opener;
}
