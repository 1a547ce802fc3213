// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCommandLine
package import ParleyConversation
import ParleyJSON
import ParleyOpenAI

/// Saves a conversation as a file.
package enum Transcript {
    /// The conversation as text: messages in OpenAI's form, as `parley render` takes them, where the name ends in
    /// `.json`; Markdown where it ends in `.md` or `.txt`, or has no ending.
    ///
    /// - Throws: ``CommandError`` for another ending; `OpenAIError` for an image that is neither JPEG nor PNG.
    package static func text(of messages: [ChatMessage], fileName: String) throws -> String {
        let ending = URL(filePath: fileName).pathExtension.lowercased()
        guard ["", "md", "txt", "json"].contains(ending) else {
            throw CommandError("A conversation is written as .md, .txt or .json, not as .\(ending).")
        }
        if ending == "json" {
            let json = try messages.map { try MessageForm.json($0, content: .textWherePossible) }
            return JSONValue.array(json).text(.pretty) + "\n"
        }
        return messages.map { "## \($0.role.rawValue.capitalized)\n\n\($0.text)\n" }.joined(separator: "\n")
    }

    /// Writes the conversation.
    ///
    /// - Throws: ``CommandError``, also where there is a file already, which is not overwritten.
    static func save(_ messages: [ChatMessage], to path: String) throws {
        guard messages.contains(where: { $0.role != .system }) else {
            throw CommandError("The conversation is empty, so there is nothing to save.")
        }
        let content = try text(of: messages, fileName: path)
        let file = try OutputFile(path: path, mayReplace: false)
        try file.write(Data(content.utf8))
        try file.finish()
    }
}
