// SPDX-License-Identifier: Apache-2.0
// The forms in which a chat is handed out, for every menu that offers them.

import { exportChat } from "../app/actions.js";
import { text } from "../app/strings.js";

/** The items of a menu that hand a chat out. */
export const exportItems = (chat) => [["md", "Markdown"], ["json", "JSON"], ["txt", "text"]].map(([format, name]) => ({
    label: text.chat.exportAs(name), icon: "save", press: () => exportChat(chat, format),
}));
