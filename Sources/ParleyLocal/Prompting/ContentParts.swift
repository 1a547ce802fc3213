// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
package import ParleyJSON
package import ParleyTemplate

/// Converts messages in OpenAI's format whose content is a list of parts, for templates that support only text.
package enum ContentParts {
    /// Returns the messages with each list of text parts joined into one text, unless the template renders such lists.
    ///
    /// Some templates fail on lists, others print them as lists.
    ///
    /// - Returns: the messages; nil if a part is not text, which such a template cannot render.
    package static func fitted(_ messages: JSONValue, to template: ChatTemplate, constants: JSONObject) -> JSONValue? {
        guard let list = messages.array, list.contains(where: { $0["content"]?.array != nil }) else { return messages }
        func rendered(_ content: JSONValue) -> String? {
            let message: JSONObject = ["role": "user", "content": content]
            return try? template.renderText(["messages": [.object(message)]], constants: constants)
        }
        if let plain = rendered("questionone"), rendered([["type": "text", "text": "questionone"]]) == plain {
            return messages
        }
        var joined: [JSONValue] = []
        for message in list {
            guard var members = message.object, let parts = members["content"]?.array else {
                joined.append(message)
                continue
            }
            let texts = parts.compactMap { $0.string ?? $0["text"]?.string }
            guard texts.count == parts.count else { return nil }
            members["content"] = .string(texts.joined())
            joined.append(.object(members))
        }
        return .array(joined)
    }
}
