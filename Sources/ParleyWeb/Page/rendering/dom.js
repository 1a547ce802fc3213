// SPDX-License-Identifier: Apache-2.0
// Makes nodes. All that the page shows is made here, of elements and text nodes; no string is ever read as HTML.

const svgSpace = "http://www.w3.org/2000/svg";

/**
 * Makes an element.
 *
 * Options are attributes, with three exceptions: `class`, `text` (one text node), and functions, whose names begin with
 * `on` and which become listeners. Null, undefined and false leave an attribute out; true sets it without a value.
 */
export function make(tag, options = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(options)) setOption(element, name, value);
    // One by one: a reply may have more than a call takes arguments.
    for (const child of present(children)) element.append(child);
    return element;
}

/** Children in one list, without those that are left out. */
const present = (children) => children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);

function setOption(element, name, value) {
    if (value === null || value === undefined || value === false) return;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (name === "text") element.textContent = value;
    else if (name === "class") element.className = value;
    else element.setAttribute(name, value === true ? "" : String(value));
}

/** Makes an SVG element. */
export function draw(tag, attributes = {}, ...children) {
    const element = document.createElementNS(svgSpace, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
    element.append(...children);
    return element;
}

/** Sets a text only where it differs, so that nothing changes in the document when nothing changes in the state. */
export function setText(element, text) {
    if (element.textContent !== text) element.textContent = text;
}

/** Sets or removes an attribute, only where it differs. */
export function setAttribute(element, name, value) {
    if (value === null || value === undefined || value === false) {
        if (element.hasAttribute(name)) element.removeAttribute(name);
        return;
    }
    const text = value === true ? "" : String(value);
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

/** Shows or hides an element. */
export function setShown(element, isShown) {
    if (element.hidden === isShown) element.hidden = !isShown;
}

/** A text for screen readers alone. */
export function spoken(text) {
    return make("span", { class: "spoken", text });
}

/** A line in smaller and fainter letters. */
export const detail = (text, options = {}) => make("p", { class: "detail", text, ...options });

/** The nodes of a text in which no line ends within an option of a program, such as `--speech whisper-base`. */
export function unbroken(text) {
    return text.split(/(--[a-z][\w-]*(?: \w[\w-]*)?)/).map((part, index) => (index % 2 ? make("span", { class: "option", text: part }) : part));
}

/**
 * A button with a name, and an icon, words or both.
 *
 * Its words are the name where `words` is true, or there is no icon. `press` gets the event. A button within a message has
 * `isInner`: Tab passes it until the message is opened.
 */
export function button(label, { icon: name = null, words = !name, kind = "", press = null, isInner = false, ...more } = {}) {
    const element = make("button", { type: "button", class: `button ${kind}`.trim(), ...more });
    const shown = words === true ? label : words;
    if (name) element.append(icon(name));
    if (shown) element.append(make("span", { text: shown }));
    // Words that are shown are the name; a second name would be one that voice control cannot hear.
    if (shown !== label) {
        element.setAttribute("aria-label", label);
        element.title = label;
    }
    if (isInner) element.tabIndex = -1;
    if (press) {
        element.addEventListener("click", (event) => {
            if (element.getAttribute("aria-disabled") !== "true") press(event);
        });
    }
    return element;
}

let pressed = null; // what is pressed and not let go yet
const late = new Map(); // what comes into an element after that

addEventListener("pointerdown", (event) => {
    // A list of choices belongs to the browser, which does not tell how a press in it ends.
    if (event.button === 0 && !event.target.closest("select")) pressed = event.target;
}, true);
// The click comes right after these.
for (const type of ["pointerup", "pointercancel", "contextmenu"]) addEventListener(type, () => setTimeout(letGo), true);

function letGo() {
    pressed = null;
    const waiting = [...late];
    late.clear();
    for (const [element, nodes] of waiting) replace(element, nodes);
}

/**
 * Replaces the children of an element by others, after a press in it that has begun: what is pressed has to be there when it
 * is let go, or nothing comes of it. The focus stays where the same `data-key` is there again, else it goes to
 * the control that took the place, of the same thing if there is one: `unloadModel-x` becomes `loadModel-x`. Where there is
 * none, it goes to what has a `tabindex`.
 */
export function fill(element, ...children) {
    const nodes = present(children);
    if (element.contains(pressed)) {
        late.set(element, nodes);
        return;
    }
    late.delete(element);
    replace(element, nodes);
}

function replace(element, nodes) {
    const focused = element.contains(document.activeElement) ? document.activeElement : null;
    const place = focused ? controlsOf(element).indexOf(focused) : -1;
    element.replaceChildren(...nodes);
    if (!focused) return;
    const controls = controlsOf(element);
    const { key } = focused.dataset;
    const thing = key?.includes("-") ? key.slice(key.indexOf("-")) : null;
    const same = key ? controls.find((control) => control.dataset.key === key) : null;
    const next = thing ? controls.find((control) => control.dataset.key?.endsWith(thing)) : null;
    (same ?? next ?? controls[Math.min(Math.max(place, 0), controls.length - 1)] ?? element.querySelector("[tabindex]") ?? element.closest("[tabindex]"))?.focus();
}

function controlsOf(element) {
    return [...element.querySelectorAll("a[href], button, input, select, textarea, summary")].filter((control) => !control.hidden);
}

/**
 * Brings the children of an element to these nodes. A node that is there already stays where it is if it can: a press that
 * has begun on it is a press still, and the focus stays in it.
 */
export function arrange(element, nodes) {
    const focused = element.contains(document.activeElement) ? document.activeElement : null;
    const wanted = new Set(nodes);
    for (const child of [...element.childNodes]) if (!wanted.has(child)) child.remove();
    nodes.forEach((node, index) => {
        if (element.childNodes[index] !== node) element.insertBefore(node, element.childNodes[index] ?? null);
    });
    if (focused && focused !== document.activeElement && element.contains(focused)) focused.focus();
}

/** Whether a key belongs to an input method that composes a word; Safari says so by the old code alone. */
export const composes = (event) => event.isComposing || event.keyCode === 229;

/** Calls a function with the event when Enter is pressed in a field, unless it ends a word that is being composed. */
export function onEnter(field, act) {
    field.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || composes(event)) return;
        event.preventDefault();
        act(event);
    });
}

/** Whether two values of JSON are the same. */
export function same(a, b) {
    if (a === b) return true;
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
    if (Array.isArray(a) !== Array.isArray(b)) return false;
    const names = Object.keys(a);
    if (names.length !== Object.keys(b).length) return false;
    return names.every((name) => Object.hasOwn(b, name) && same(a[name], b[name]));
}

/**
 * Brings the children of an element, one for each item, from the items it shows to others.
 *
 * Nodes of items that are the same stay untouched. `patch(node, old, now)` changes a node and tells whether it could;
 * otherwise `create(now)` replaces it.
 */
export function patchSequence(parent, old, now, create, patch) {
    for (let index = 0; index < now.length; index += 1) {
        if (index >= old.length) {
            parent.append(create(now[index]));
        } else if (!same(old[index], now[index])) {
            const node = parent.childNodes[index];
            if (!patch(node, old[index], now[index])) node.replaceWith(create(now[index]));
        }
    }
    for (let count = old.length; count > now.length; count -= 1) parent.lastChild.remove();
}

// Drawn for a square of 16, with lines of 1.5; each is one path.
const paths = {
    blank: "",
    menu: "M2 4h12M2 8h12M2 12h12",
    plus: "M8 3v10M3 8h10",
    close: "M4 4l8 8M12 4l-8 8",
    send: "M8 13V3M3.5 7.5L8 3l4.5 4.5",
    stop: "M4.5 4.5h7v7h-7z",
    attach: "M13 7.5l-5 5a3 3 0 0 1-4.3-4.3l5.6-5.6a2 2 0 0 1 2.9 2.9L6.7 11a1 1 0 0 1-1.4-1.4L10 4.9",
    microphone: "M8 2a2 2 0 0 1 2 2v4a2 2 0 0 1-4 0V4a2 2 0 0 1 2-2zM3.5 8a4.5 4.5 0 0 0 9 0M8 12.5V14",
    search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.5 10.5L14 14",
    more: "M3 7.5v1M8 7.5v1M13 7.5v1M2.5 8h1M7.5 8h1M12.5 8h1",
    copy: "M6 6h7v7H6zM10 6V3H3v7h3",
    edit: "M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3zM9 4.7l2.3 2.3",
    again: "M13 8a5 5 0 1 1-1.5-3.5M13 2v3h-3",
    reply: "M6 4L2.5 7.5 6 11M3 7.5h6a4 4 0 0 1 4 4V13",
    branch: "M4 3v10M4 9c5 0 7-1 7-4M9 6.5L11 4.5 13 6.5",
    remove: "M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5l.5 8.5h6l.5-8.5",
    pin: "M6 2.5h4l-.5 4 2 2.5h-7l2-2.5zM8 9v4.5",
    info: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM8 7.5v3.5M8 5h.01",
    warning: "M8 2.5L14.5 13.5h-13zM8 6.5v3.5M8 12h.01",
    back: "M10 3L5 8l5 5",
    next: "M6 3l5 5-5 5",
    down: "M3 6l5 5 5-5",
    settings: "M2 5h7M13 5h1M11 3a2 2 0 1 1 0 4 2 2 0 0 1 0-4zM2 11h1M7 11h7M5 9a2 2 0 1 1 0 4 2 2 0 0 1 0-4z",
    model: "M8 1.5l5.5 3v7L8 14.5l-5.5-3v-7zM2.5 4.5L8 7.5l5.5-3M8 7.5v7",
    chart: "M2 14h12M4 11V8M8 11V3M12 11V6",
    bell: "M4 11V7a4 4 0 0 1 8 0v4l1 1H3zM7 14h2",
    check: "M3 8.5l3.5 3.5L13 4.5",
    calendar: "M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2v3M10.5 2v3",
    note: "M4 2h6l3 3v9H4zM6 7h5M6 10h5",
    person: "M8 2.5a2.7 2.7 0 1 1 0 5.4 2.7 2.7 0 0 1 0-5.4zM3 14a5 5 0 0 1 10 0",
    habit: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM5.5 8l2 2 3-3.5",
    web: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM2 8h12M8 2c4 4 4 8 0 12M8 2c-4 4-4 8 0 12",
    tool: "M9.5 3a3.5 3.5 0 0 0-1 4.5L3 13l1 1 5.5-5.5A3.5 3.5 0 0 0 14 5l-2 1.5L10.5 5 12 3a3.5 3.5 0 0 0-2.5 0z",
    wrap: "M2 4h12M2 8h9a2 2 0 0 1 0 4H8M9.5 10.5L8 12l1.5 1.5M2 12h3",
    file: "M4 2h5l3 3v9H4zM9 2v3h3",
    think: "M8 2a4 4 0 0 1 2 7.5V11H6V9.5A4 4 0 0 1 8 2zM6.5 13.5h3",
    save: "M8 2v8M4.5 7L8 10.5 11.5 7M3 13.5h10",
    keyboard: "M1.5 4h13v8h-13zM4 7h.01M6.7 7h.01M9.3 7h.01M12 7h.01M5 9.5h6",
};

/** An icon, which says nothing by itself: the control around it has a name. */
export function icon(name) {
    const shape = draw("path", { d: paths[name] ?? paths.info });
    const image = draw("svg", { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true", focusable: "false" }, shape);
    image.classList.add("icon");
    return image;
}
