// SPDX-License-Identifier: Apache-2.0
// All keys of the page. The help is made from this table, so that it cannot say what is not so.

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

/** What a key with Ctrl (on Apple's keyboards Cmd) does, by the code of the key, so that the layout does not matter. */
export const shortcuts = [
    { name: "newChat", keys: ["mod", "shift", "O"], code: "KeyO", mod: true, shift: true, does: "New chat" },
    { name: "search", keys: ["mod", "K"], code: "KeyK", mod: true, does: "Search all chats" },
    { name: "chats", keys: ["mod", "B"], code: "KeyB", mod: true, does: "Show or hide the chats" },
    { name: "settings", keys: ["mod", ","], code: "Comma", mod: true, does: "Settings" },
    { name: "model", keys: ["mod", "shift", "L"], code: "KeyL", mod: true, shift: true, does: "Choose the model" },
    { name: "regenerate", keys: ["mod", "shift", "."], code: "Period", mod: true, shift: true, does: "Regenerate the last reply" },
    { name: "help", keys: ["mod", "/"], code: "Slash", mod: true, does: "All shortcuts" },
];

/** Keys that mean something in one place only; they are handled there. */
export const placedKeys = [
    { place: "In the message field", keys: ["Enter"], does: "Send; queue while a reply is written" },
    { place: "In the message field", keys: ["shift", "Enter"], does: "New line" },
    { place: "In the message field", keys: ["↑"], does: "Edit your last message, while the field is empty" },
    { place: "In the message field", keys: ["shift", "Tab"], does: "Go to the messages" },
    { place: "In the messages", keys: ["↑"], does: "Message before" },
    { place: "In the messages", keys: ["↓"], does: "Message after" },
    { place: "In the messages", keys: ["Home"], does: "First message" },
    { place: "In the messages", keys: ["End"], does: "Last message" },
    { place: "In the messages", keys: ["←"], does: "Earlier version" },
    { place: "In the messages", keys: ["→"], does: "Later version" },
    { place: "In the messages", keys: ["Enter"], does: "Go into the message: its actions, links and cards" },
    { place: "Everywhere", keys: ["Esc"], does: "Close what is open, else stop the reply, else leave the field" },
];

const appleNames = { mod: "⌘", shift: "⇧" };
const otherNames = { mod: "Ctrl", shift: "Shift" };

/** The name of a key as it stands on the keyboard. */
export const keyName = (key) => (isApple ? appleNames : otherNames)[key] ?? key;

/** The keys of a shortcut as attributes of a control say them. */
export function keyShortcuts(name) {
    const found = shortcuts.find((shortcut) => shortcut.name === name);
    const modifiers = { mod: isApple ? "Meta" : "Control", shift: "Shift" };
    return found.keys.map((key) => modifiers[key] ?? key).join("+");
}

/** The shortcut that an event of the keyboard means; null for none. */
export function shortcut(event) {
    const mod = isApple ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
    if (!mod || event.altKey) return null;
    return (
        shortcuts.find((candidate) => {
            if (Boolean(candidate.shift) !== event.shiftKey) return false;
            // `/` and `,` are elsewhere on other layouts; what the key writes counts first.
            return event.key.toLowerCase() === candidate.keys.at(-1).toLowerCase() || event.code === candidate.code;
        }) ?? null
    );
}
