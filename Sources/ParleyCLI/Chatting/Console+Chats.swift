// SPDX-License-Identifier: Apache-2.0

import ParleySystem

/// What chats write beside their messages, wrapped between words where it goes to a terminal.
extension Console {
    /// Writes the first line of a chat: the name of the model, and what is said of it.
    func title(_ model: String, _ facts: String) {
        var title = StyledText(model, .bold)
        title.append("\(facts) · /help lists commands", .dim)
        for row in title.wrapped(columns: Terminal.size.columns) { line(row.text(outputStyle)) }
    }

    /// Writes a remark that is not part of the chat.
    func tell(_ text: String) {
        line(outputStyle.dim(wrapped(PlainText.clean(text))))
    }

    /// Lists the commands of a chat, and the keys.
    func listCommands(_ descriptions: [(String, String)]) {
        let indent = 2 + (descriptions.map(\.0.count).max() ?? 0)
        for (name, meaning) in descriptions {
            var wrapper = WordWrapper(columns: max(20, Terminal.size.columns - indent))
            let rows = (wrapper.append(meaning) + wrapper.finish()).split(separator: "\n")
            for (index, row) in rows.enumerated() {
                let head = index == 0 ? name : ""
                let padding = String(repeating: " ", count: indent - head.count)
                line(outputStyle.bold(head) + padding + outputStyle.dim(String(row)))
            }
        }
        tell("Alt-Enter begins a new line. Ctrl-C stops a reply.\n")
    }
}
