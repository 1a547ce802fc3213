// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON

extension Chat {
    /// A form in which a chat is given to the user.
    public enum ExportFormat: String, CaseIterable, Hashable, Sendable {
        /// Markdown, of the branch that is shown.
        case markdown = "md"
        /// JSON, of the whole tree; Parley can import it.
        case json
        /// Plain text, of the branch that is shown.
        case text = "txt"
    }

    /// The chat as a text.
    ///
    /// - Parameter format: the form.
    /// - Returns: the text, which ends in a line break.
    /// - Throws: ``AssistantError`` with code `invalidInput` for JSON if an image is neither JPEG nor PNG.
    public func export(_ format: ExportFormat) throws(AssistantError) -> String {
        switch format {
        case .json: return try saved().text(.pretty) + "\n"
        case .markdown:
            let title = title.isEmpty ? "" : "# \(Self.markdownLine(title))\n\n"
            return title + turns.map { "## \($0.speaker)\n\n\($0.text)\n" }.joined(separator: "\n")
        case .text:
            let title = title.isEmpty ? "" : "\(title)\n\n"
            return title + turns.map { "\($0.speaker):\n\($0.text)\n" }.joined(separator: "\n")
        }
    }

    private var turns: [(speaker: String, text: String)] {
        path.map { node in
            let speaker =
                switch node.message.role {
                case .user: "You"
                case .assistant: "Assistant"
                case .system: "System"
                case .developer: "Developer"
                case .tool: "Function"
                }
            // Action blocks are orders to the program, not part of what was said.
            var text = node.message.text
            if node.message.role == .assistant { text = ActionBlockScanner.text(of: text) }
            let images = node.message.content.count { if case .image = $0 { true } else { false } }
            let pictures = images == 0 ? nil : images == 1 ? "an image" : "\(images) images"
            for remark in [pictures, node.notice] {
                if let remark { text += (text.isEmpty ? "" : "\n\n") + "(\(remark))" }
            }
            return (speaker, text)
        }
    }

    /// A text of one line in which nothing is Markdown.
    private static func markdownLine(_ text: String) -> String {
        text.reduce(into: "") { line, character in
            if "\\`*_[]<>#".contains(character) { line.append("\\") }
            line.append(character)
        }
    }
}
