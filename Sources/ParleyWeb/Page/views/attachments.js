// SPDX-License-Identifier: Apache-2.0
// Files for the next message: dropped, pasted or picked. The server finds out what they are; pictures are made smaller
// here first, for a model sees no more of them.

import { button, fill, icon, make, setShown } from "../rendering/dom.js";
import { ask, report } from "../app/actions.js";
import { checkFile, newID, query, read } from "../app/api.js";
import { bytes, count } from "../app/format.js";
import { notices } from "../app/notices.js";
import { store } from "../app/store.js";
import { text } from "../app/strings.js";
import { words } from "../app/screen-strings.js";

/** The longer side of a picture, in pixels. */
const longestSide = 896;

/** The chips of what is attached, and the ways in. */
export class Attachments {
    element = make("ul", { class: "chips", "aria-label": text.composer.attachments, hidden: true });
    opener = button(text.composer.attach, { icon: "attach", kind: "quiet", press: () => this.#picker.click() });
    #picker = make("input", { type: "file", multiple: true, hidden: true, tabindex: -1, "aria-hidden": "true" });
    #reading = [];
    #key = "";
    #field = null;

    constructor() {
        this.opener.append(this.#picker);
        this.#picker.addEventListener("change", () => {
            this.add([...this.#picker.files]);
            this.#picker.value = "";
        });
        // The picker's own press would come back to the button around it.
        this.#picker.addEventListener("click", (event) => event.stopPropagation());
    }

    /** The ids of what can be sent. */
    get ready() {
        return (store.status?.attachments ?? []).map((attachment) => attachment.id);
    }

    get isBusy() {
        return this.#reading.some((entry) => entry.chat === store.chat?.id);
    }

    /** Takes files that are dropped on a place or pasted into a field. */
    receive(place, field) {
        this.#field = field;
        const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
        // Under a dialog, and while another screen is shown, nobody would see where a file went.
        const isSeen = () => place.checkVisibility() && !document.querySelector("dialog[open]");
        place.dataset.drop = text.composer.drop;
        addEventListener("dragover", (event) => {
            if (!hasFiles(event)) return;
            event.preventDefault();
            if (isSeen()) place.classList.add("receives");
            else event.dataTransfer.dropEffect = "none";
        });
        addEventListener("dragleave", (event) => event.relatedTarget === null && place.classList.remove("receives"));
        addEventListener("drop", (event) => {
            place.classList.remove("receives");
            if (!hasFiles(event)) return;
            // A file dropped beside the field would otherwise replace the page.
            event.preventDefault();
            if (isSeen()) this.add([...event.dataTransfer.files]);
        });
        field.addEventListener("paste", (event) => {
            const files = [...(event.clipboardData?.files ?? [])];
            // A spreadsheet puts a picture beside the text; the text is meant then, unless it is but the files' names.
            const lines = event.clipboardData.getData("text/plain").split(/[\r\n]+/).filter(Boolean);
            if (files.length === 0 || !lines.every((line) => files.some(({ name }) => line === name || line.endsWith(`/${name}`)))) return;
            event.preventDefault();
            this.add(files);
        });
    }

    /** Sends files to the server, one after another. */
    async add(files, chat = store.chat?.id) {
        // Before the first answer of the server there is no chat that they could belong to.
        if (!chat) return notices.add({ kind: "error", text: text.composer.offlineFiles });
        for (const file of files) {
            const entry = { id: newID(), name: file.name || "picture.png", chat };
            this.#reading.push(entry);
            store.tell("attachments");
            try {
                await checkFile(file, words.chats.unreadable(entry.name));
                const body = await smaller(file);
                const answer = await read(`attachments${query({ name: entry.name, chat })}`, { method: "PUT", body });
                this.#arrived(chat, answer.attachment);
            } catch (error) {
                // Which of several files it was is not to be guessed.
                if (error.kind !== "input") error.about = entry.name;
                report(error, () => this.add([file], chat));
            }
            this.#reading = this.#reading.filter((other) => other !== entry);
            store.tell("attachments");
        }
        return null;
    }

    /** Shows the attachment at once; the event that says the same may come later. */
    #arrived(chat, attachment) {
        if (store.chat.id !== chat || this.ready.includes(attachment.id)) return;
        store.status.attachments = [...(store.status.attachments ?? []), attachment];
        store.tell("status");
    }

    /** Brings the chips to the state. */
    draw() {
        const list = store.status?.attachments ?? [];
        const reading = this.#reading.filter((entry) => entry.chat === store.chat?.id);
        const key = JSON.stringify([list, reading]);
        if (key === this.#key) return;
        this.#key = key;
        setShown(this.element, list.length + reading.length > 0);
        fill(this.element, list.map((attachment) => this.#chip(attachment)), reading.map((entry) =>
            make("li", { class: "chip is-reading" }, icon("file"), make("span", { text: text.composer.attaching(entry.name) }))));
    }

    #chip(attachment) {
        const facts = [
            typeof attachment.size === "number" ? bytes(attachment.size) : null,
            typeof attachment.tokens === "number" ? text.composer.tokens(count(attachment.tokens)) : null,
            attachment.cut ?? null,
        ];
        const label = text.composer.detach(attachment.name);
        return make("li", { class: "chip" }, icon("file"), make("span", { class: "chip-name", text: attachment.name }),
            make("span", { class: "detail", text: facts.filter(Boolean).join(" · ") }),
            button(label, { icon: "close", kind: "quiet small", press: () => this.#detach(attachment), "data-key": `detach-${attachment.id}` }));
    }

    async #detach(attachment) {
        if (!(await ask("detach", { attachment: attachment.id }))) return;
        store.status.attachments = store.status.attachments.filter((other) => other.id !== attachment.id);
        store.tell("status");
        this.#field.focus();
    }
}

/** A picture of at most so many pixels; anything else, and what cannot be decoded, as it is. */
async function smaller(file) {
    if (!file.type.startsWith("image/") || file.type === "image/svg+xml") return file;
    let picture;
    try {
        picture = await createImageBitmap(file);
    } catch {
        return file;
    }
    const scale = longestSide / Math.max(picture.width, picture.height);
    if (scale >= 1) {
        picture.close();
        return file;
    }
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(picture.width * scale);
    canvas.height = Math.round(picture.height * scale);
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    picture.close();
    // PNG keeps what is transparent and the edges of letters; photographs come as JPEG.
    const type = file.type === "image/jpeg" ? "image/jpeg" : "image/png";
    return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? file), type, 0.9));
}
