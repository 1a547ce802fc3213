// SPDX-License-Identifier: Apache-2.0
// What lies over or above the screens: the line about the connection, notices, the key, and the help.

import { button, detail, icon, make, setShown, setText, unbroken } from "../rendering/dom.js";
import { openPanel } from "../rendering/popover.js";
import { retry } from "../app/connection.js";
import { keep } from "../app/key.js";
import { announce } from "../app/announcer.js";
import { count, machineDate, time } from "../app/format.js";
import { goOn, keepInReach } from "../app/modal.js";
import { notices } from "../app/notices.js";
import { keyName, placedKeys, shortcuts } from "../app/shortcuts.js";
import { isGrowing, store } from "../app/store.js";
import { text } from "../app/strings.js";
import { words } from "../app/screen-strings.js";
import { openDialog } from "./dialogs.js";

/** The line that says that the connection is not as it should be. */
export function connectionBar() {
    const said = make("p", { "aria-live": "off" });
    const now = button(words.connection.now, { kind: "soft small", press: retry });
    const reload = button(words.connection.reload, { kind: "soft small", press: () => location.reload() });
    const element = make("div", { class: "connection", role: "region", "aria-label": words.connection.lost, hidden: true }, said, now, reload);
    let wasLost = false;
    store.on("connection", () => {
        const { state, seconds, reason } = store.connection;
        const isLost = state === "waiting";
        const isOld = Boolean(store.isOldPage) && !isLost;
        const again = isLost ? `${reason ? words.connection.failed(reason) : words.connection.lost} ${words.connection.again(seconds)}` : "";
        setText(said, isOld ? words.connection.old : again);
        setShown(now, isLost);
        setShown(reload, isOld);
        // The focus must not vanish with the button that has it.
        const hadFocus = element.contains(document.activeElement);
        setShown(element, isLost || isOld);
        if (hadFocus && element.hidden) goOn();
        // The countdown is for the eye; the ear is told once that the server is gone, and once that it is back.
        if (isLost && !wasLost) announce(words.connection.lost);
        if (wasLost && state === "live") announce(words.connection.back);
        if (isLost || state === "live") wasLost = isLost;
    });
    return element;
}

/** The dialog that asks for the key. */
export function keyDialog() {
    let dialog = null;
    store.on("connection", () => {
        const { state } = store.connection;
        if (state !== "key") {
            if (state === "live") dialog?.close();
            return;
        }
        if (dialog) {
            const said = dialog.querySelector("[role=alert]");
            setText(said, words.key.refused);
            dialog.querySelector("input").focus();
            return;
        }
        const field = make("input", { type: "password", id: "key-field", class: "field-input", autocomplete: "current-password" });
        const submit = (event) => {
            event.preventDefault();
            if (field.value.trim() === "") return;
            keep(field.value);
            field.value = "";
            retry();
        };
        // In a form the browser offers to keep the key, and to fill it in.
        const form = make("form", {}, make("label", { for: field.id, text: words.key.label }), field,
            make("p", { class: "card-failure", role: "alert" }),
            make("div", { class: "dialog-foot" }, button(words.key.use, { kind: "main", type: "submit" })));
        form.addEventListener("submit", submit);
        const why = store.connection.isWrong ? words.key.wrong : words.key.none;
        dialog = openDialog(words.key.title, [
            make("h2", { text: words.key.title }), make("p", { text: why }), make("p", {}, unbroken(words.key.remedy)), form,
        ], { kind: "small", head: null });
        // Without a key there is nothing behind this dialog.
        dialog.addEventListener("cancel", (event) => event.preventDefault());
        dialog.addEventListener("close", () => {
            dialog = null;
            if (store.connection.state === "key") store.connect(store.connection);
        });
        field.focus();
    });
}

/** The notices that are shown at present. */
export function noticeArea() {
    const list = make("ul", { class: "notice-stack" });
    const area = make("section", { class: "notices", popover: "manual", "aria-label": words.notices.title }, list);
    const nodes = new Map();
    const node = (notice) => {
        const isError = notice.kind === "error";
        const act = notice.action
            ? button(notice.action.label, { kind: "soft small", press: notice.action.press })
            : null;
        const away = () => notices.dismiss(notice.id);
        return make("li", { class: isError ? "notice error" : "notice" }, icon(isError ? "warning" : "info"),
            make("p", { role: isError ? "alert" : "status", dir: "auto" }, unbroken(notice.text)), act,
            button(text.dismiss, { icon: "close", kind: "quiet small", press: away }));
    };
    const holds = () => notices.hold(list.matches(":hover") || list.contains(document.activeElement));
    // In the top layer notices are seen over what else is open.
    const show = () => nodes.size > 0 && !area.matches(":popover-open") && area.showPopover();
    for (const type of ["pointerenter", "pointerleave", "focusin", "focusout"]) list.addEventListener(type, () => setTimeout(holds));
    notices.on(() => {
        const wanted = new Set(notices.shown.map((notice) => notice.id));
        const hadFocus = list.contains(document.activeElement);
        const isNew = notices.shown.some((notice) => !nodes.has(notice.id));
        for (const [id, element] of nodes) {
            if (wanted.has(id)) continue;
            element.remove();
            nodes.delete(id);
        }
        for (const notice of notices.shown) {
            if (nodes.has(notice.id)) continue;
            const element = node(notice);
            nodes.set(notice.id, element);
            list.append(element);
        }
        // A panel lies above what was shown before it. Without one the notices stay shown, or they would all be spoken again.
        if (nodes.size === 0 || (isNew && document.querySelector(".panel:popover-open"))) area.hidePopover();
        show();
        // Whoever was at a notice that is gone goes on where the next thing is done.
        if (hadFocus && !list.contains(document.activeElement)) goOn();
        holds();
    });
    store.on("notice", (notice) => notices.add({ ...notice, isOurs: false }));
    tellDropped();
    return keepInReach(area, () => {
        show();
        holds();
    });
}

/** Says once for a chat that a reply was written without its beginning; the receipt of each reply has the number. */
function tellDropped() {
    const told = new Set();
    let followed = null;
    store.on("message", (id) => {
        const message = store.message(id);
        if (!message) return;
        if (isGrowing(message)) followed = id;
        else if (followed === id && message.receipt) {
            followed = null;
            const { dropped_turns: dropped } = message.receipt;
            if (!(dropped > 0) || told.has(store.chat.id)) return;
            told.add(store.chat.id);
            notices.add({ text: words.notices.dropped(count(dropped)) });
        }
    });
}

/** The button that opens the list of all notices. */
export function noticesButton() {
    const badge = make("span", { class: "badge", hidden: true });
    const opener = button(words.notices.title, { icon: "bell", kind: "quiet bell", press: () => openList(), "aria-haspopup": "dialog", "aria-expanded": "false" });
    opener.append(badge);
    const openList = () => {
        const items = notices.all.map((notice) => make("li", {}, make("time", { class: "detail", datetime: machineDate(notice.date), text: time(notice.date) }), " ",
            notice.kind === "error" ? make("strong", { text: `${words.notices.error}: ` }) : null, make("span", { text: notice.text })));
        openPanel(opener, [make("h2", { text: words.notices.title }),
            items.length > 0 ? make("ul", { class: "notice-list" }, items) : detail(words.notices.none)],
        { label: words.notices.title, alignsEnd: true });
        notices.markRead();
    };
    notices.on(() => {
        setShown(badge, notices.unread > 0);
        opener.setAttribute("aria-label", words.notices.open(notices.unread));
    });
    return opener;
}

/** Opens the table of all keys. */
export function openHelp() {
    const row = ({ keys, does }) => make("tr", {}, make("th", { scope: "row" }, keys.flatMap((key, index) => [index > 0 ? "+" : null, make("kbd", { text: keyName(key) })])), make("td", { text: does }));
    const places = new Map();
    for (const entry of [...shortcuts.map((one) => ({ ...one, place: words.help.everywhere })), ...placedKeys]) {
        if (!places.has(entry.place)) places.set(entry.place, []);
        places.get(entry.place).push(entry);
    }
    const tables = [...places].map(([place, entries]) => make("section", {}, make("h3", { text: place }), make("table", { class: "keys" },
        make("thead", { class: "spoken" }, make("tr", {}, make("th", { scope: "col", text: words.help.keys }), make("th", { scope: "col", text: words.help.does }))),
        make("tbody", {}, entries.map(row)))));
    openDialog(words.help.title, tables, { kind: "help" });
}
