// SPDX-License-Identifier: Apache-2.0
// The start of the page: takes the key, builds the screens, and keeps them at the server's state.

import { composes, setShown } from "../rendering/dom.js";
import { closePanel, isPanelOpen } from "../rendering/popover.js";
import { newChat, regenerate, stop } from "./actions.js";
import { announcerRegion } from "./announcer.js";
import { open, retryWithKey, wantedChat, watchPage } from "./connection.js";
import { takeKeyFromAddress } from "./key.js";
import { applyPreferences } from "./preferences.js";
import { chatAddress, go, onRoute, route, screenAddress } from "./router.js";
import { shortcut } from "./shortcuts.js";
import { store } from "./store.js";
import { text } from "./strings.js";
import { words } from "./screen-strings.js";
import { connectionBar, keyDialog, noticeArea, noticesButton, openHelp } from "../views/bars.js";
import { ChatView } from "../views/chat-view.js";
import { ModelsView } from "../views/models-view.js";
import { PerformanceView } from "../views/performance-view.js";
import { openSearch } from "../views/search.js";
import { backToChat } from "../views/screen.js";
import { SettingsView } from "../views/settings-view.js";
import { Shell } from "../views/shell.js";

applyPreferences();
takeKeyFromAddress();

const shell = new Shell({ search: openSearch, help: openHelp });
const chat = new ChatView(shell.main, shell.navigationButton(), noticesButton());
const screens = {
    chat,
    models: new ModelsView(shell.navigationButton()),
    settings: new SettingsView(shell.navigationButton()),
    performance: new PerformanceView(shell.navigationButton()),
};
shell.above(connectionBar());
shell.main.append(...Object.values(screens).map((screen) => screen.element));
document.body.replaceChildren(shell.skipLink(chat.composer.field), shell.element, noticeArea(), announcerRegion());
keyDialog();

let shown = null;
let chatTop = 0;

/** Shows what the address names. */
async function show({ screen, chat: id }, focuses = true) {
    const before = shown;
    if (before === "chat") chatTop = shell.main.scrollTop;
    if (before === "performance" && screen !== "performance") screens.performance.watch(false);
    shown = screen;
    for (const [name, view] of Object.entries(screens)) setShown(view.element, name === screen);
    shell.mark(screen);
    shell.closeDrawer();
    screens[screen].draw?.();
    if (screen === "performance") screens.performance.watch(true);
    if (before !== screen) shell.main.scrollTop = screen === "chat" ? chatTop : 0;
    if (screen === "chat" && id && id !== wantedChat()) {
        await open(id);
        if (store.chat?.id === id) store.tell("stays");
    }
    if (focuses) screens[screen].focus();
    title();
    const { wanted } = store;
    if (wanted && screen === "chat") {
        store.wanted = null;
        requestAnimationFrame(() => requestAnimationFrame(() => chat.log.goTo(wanted)));
    }
}

function title() {
    const name = shown === "chat" ? store.chat?.title || text.chat.untitled : words[shown].title;
    const full = `${name} – ${text.app}`;
    if (document.title !== full) document.title = full;
}

store.on(["chat", "status"], title);
store.on("chat", () => {
    // The address follows the chat, so that a reload shows the same one.
    if (shown === "chat" && route().chat !== store.chat.id) go(chatAddress(store.chat.id), { replaces: true });
});
// Deleted in another tab, or by the assistant: the one edited last takes its place. What this tab deletes it leaves itself.
store.on("gone", (id) => shown === "chat" && store.chat.id === id && open(null));
onRoute((present) => show(present));

// MARK: The keyboard

const acts = {
    newChat,
    search: openSearch,
    chats: () => shell.toggle(),
    settings: () => go(screenAddress("settings")),
    model: () => {
        if (shown !== "chat") backToChat();
        chat.header.openModels();
    },
    regenerate: () => {
        const last = store.messages.findLast((message) => message.author === "assistant");
        if (last && !store.growing) regenerate(last);
    },
    help: openHelp,
};

addEventListener("keydown", (event) => {
    if (event.defaultPrevented || composes(event)) return;
    if (event.key === "Escape") return escape(event);
    const found = shortcut(event);
    // Under an open dialog nothing is to change.
    if (!found || !store.state || document.querySelector("dialog.dialog[open]")) return;
    event.preventDefault();
    acts[found.name]();
});

/** Closes what is open, else stops the reply, else leaves the field. */
function escape(event) {
    // The browser closes dialogs and panels itself.
    if (document.querySelector("dialog[open]") || isPanelOpen()) return;
    const did = [
        // What is under another screen is not what is left.
        () => shown !== "chat" && (backToChat(), true),
        () => chat.find.close(),
        () => chat.composer.escape(),
        () => store.status?.is_generating && !store.isLost && (stop(), true),
        () => document.activeElement === chat.composer.field && (chat.log.focus(), true),
    ].some((act) => act());
    if (did) event.preventDefault();
}

addEventListener("resize", () => closePanel());
watchPage();
// A key may come later: in the address of this tab, or to another tab.
addEventListener("hashchange", () => takeKeyFromAddress() && retryWithKey());
addEventListener("storage", () => retryWithKey());

const first = route();
show(first, false);
open(first.chat).then(() => {
    if (shown === "chat" && !document.querySelector("dialog[open]")) chat.focus();
});
