// SPDX-License-Identifier: Apache-2.0

import Foundation
package import ParleyConversation
import ParleyJSON

/// Saves a conversation as a file.
package enum Transcript {
    /// The conversation as text: messages for `parley render` where the name ends in `.json`, else Markdown.
    package static func text(of messages: [ChatMessage], fileName: String) -> String {
        if fileName.lowercased().hasSuffix(".json") {
            return JSONValue.array(messages.map(json)).text(.pretty) + "\n"
        }
        return messages.map { "## \($0.role.rawValue.capitalized)\n\n\($0.text)\n" }.joined(separator: "\n")
    }

    private static func json(_ message: ChatMessage) -> JSONValue {
        ["role": .string(message.role.rawValue), "content": .string(message.text)]
    }

    /// Writes the conversation.
    ///
    /// - Throws: ``CommandError``, also where there is a file already, which is not overwritten.
    static func save(_ messages: [ChatMessage], to path: String) throws {
        guard messages.contains(where: { $0.role != .system }) else {
            throw CommandError("The conversation is empty, so there is nothing to save.")
        }
        let file = try OutputFile(path: NSString(string: path).expandingTildeInPath, mayReplace: false)
        try file.write(Data(text(of: messages, fileName: path).utf8))
        try file.finish()
    }
}
