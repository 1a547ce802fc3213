// SPDX-License-Identifier: Apache-2.0
// Search over all chats, which the server does: titles first, then what was said, with the words around it.

import { composes, detail, make, setAttribute, setText } from "../rendering/dom.js";
import { failureWords } from "../app/actions.js";
import { wish } from "../app/api.js";
import { places } from "../app/finding.js";
import { count, machineDate, relativeDay } from "../app/format.js";
import { chatAddress, go } from "../app/router.js";
import { store } from "../app/store.js";
import { text } from "../app/strings.js";
import { words } from "../app/screen-strings.js";
import { openDialog } from "./dialogs.js";

/** Time after the last key before the server is asked, in milliseconds. */
const pause = 150;

/** Opens the search; a result that is chosen is shown. */
export function openSearch() {
    const field = make("input", {
        type: "search", class: "field-input", role: "combobox", "aria-expanded": "false", "aria-controls": "hits",
        "aria-autocomplete": "list", "aria-label": words.chats.search, placeholder: words.chats.searchHint, autocomplete: "off", dir: "auto",
    });
    const said = detail(words.chats.searchEmpty, { role: "status" });
    const list = make("ul", { class: "hits", role: "listbox", id: "hits", "aria-label": words.chats.search, hidden: true });
    const dialog = openDialog(words.chats.search, [field, said, list], { kind: "search" });
    let hits = [];
    let at = -1;
    let timer = null;
    let asked = 0;

    const mark = (index) => {
        at = index;
        [...list.children].forEach((item, position) => setAttribute(item, "aria-selected", String(position === at)));
        setAttribute(field, "aria-activedescendant", at >= 0 ? `hit-${at}` : null);
        list.children[at]?.scrollIntoView({ block: "nearest" });
    };
    const choose = (hit) => {
        if (!hit) return;
        dialog.close();
        const address = chatAddress(hit.chat);
        if (location.hash === address) return store.tell("goTo", hit.message ?? store.messages.at(-1)?.id);
        store.wanted = hit.message;
        go(address);
    };
    const show = (found, query) => {
        hits = found;
        list.replaceChildren(...hits.map((hit, index) => hitItem(hit, index, query, () => choose(hit))));
        list.hidden = hits.length === 0;
        setAttribute(field, "aria-expanded", String(hits.length > 0));
        mark(hits.length > 0 ? 0 : -1);
        setText(said, !query ? words.chats.searchEmpty : hits.length > 0 ? words.chats.hits(count(hits.length)) : words.chats.noHits(query));
    };
    const search = async () => {
        const query = field.value.trim();
        asked += 1;
        const mine = asked;
        if (!query) return show([], "");
        try {
            const answer = await wish("search", { query });
            if (mine === asked) show(answer.hits ?? [], query);
        } catch (error) {
            if (mine !== asked) return;
            // What was found before is not what is looked for now.
            show([], "");
            setText(said, error.isFinal ? failureWords(error) : words.chats.searchFailed);
        }
    };
    field.addEventListener("input", () => {
        clearTimeout(timer);
        timer = setTimeout(search, pause);
    });
    field.addEventListener("keydown", (event) => {
        if (composes(event)) return;
        if (event.key === "Escape") {
            // The browser would only empty the field.
            event.preventDefault();
            dialog.close();
        }
        if (event.key === "Enter" && hits.length === 0) search();
        if (hits.length === 0) return;
        const target = { ArrowDown: (at + 1) % hits.length, ArrowUp: (at - 1 + hits.length) % hits.length }[event.key];
        if (target !== undefined) {
            event.preventDefault();
            mark(target);
        } else if (event.key === "Enter") {
            event.preventDefault();
            choose(hits[at]);
        }
    });
    field.focus();
}

function hitItem(hit, index, query, press) {
    const chat = store.state.chats.find((row) => row.id === hit.chat);
    const title = hit.title || chat?.title || text.chat.untitled;
    return make("li", { role: "option", id: `hit-${index}`, class: "hit", onclick: press },
        make("span", { class: "hit-title", dir: "auto" }, marked(title, query)),
        hit.snippet ? make("span", { class: "hit-snippet", dir: "auto" }, marked(hit.snippet, query)) : null,
        make("span", { class: "hit-place" },
            hit.chat === store.chat?.id ? make("span", { class: "tag", text: words.chats.here }) : null,
            hit.date ? make("time", { class: "detail", datetime: machineDate(hit.date), text: relativeDay(hit.date) }) : null));
}

/** A text in which the words that were looked for are marked, each wherever it stands. */
function marked(value, query) {
    const found = query.split(/\s+/).flatMap((word) => places(value, word)).sort((a, b) => a[0] - b[0] || b[1] - a[1]);
    const nodes = [];
    let start = 0;
    for (const [from, to] of found) {
        if (from < start) continue;
        nodes.push(value.slice(start, from), make("mark", { text: value.slice(from, to) }));
        start = to;
    }
    return [...nodes, value.slice(start)];
}
