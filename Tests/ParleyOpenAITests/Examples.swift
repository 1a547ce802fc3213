// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import Testing

/// An example of OpenAI's API document; `scripts/extract-openai-examples` takes them out.
struct Example: Sendable, CustomTestStringConvertible {
    let title: String
    let request: JSONValue?
    let answers: [JSONValue]

    var testDescription: String { title }

    static func all() throws -> [Example] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Goldens/chat-completions.json")
        return try (JSONValue(parsing: Data(contentsOf: file))["examples"]?.array ?? []).map {
            Example(title: $0["title"]?.string ?? "", request: $0["request"], answers: $0["answers"]?.array ?? [])
        }
    }
}
