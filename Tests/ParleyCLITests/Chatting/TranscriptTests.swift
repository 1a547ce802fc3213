// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import ParleyConversation
import ParleyJSON
import Testing

@Suite("Transcript")
struct TranscriptTests {
    private let messages = [ChatMessage.user("Hi\n\"you\""), .assistant("Hello")]

    @Test("a .json file holds messages as templates take them")
    func json() throws {
        let value = try JSONValue(parsing: try Transcript.text(of: messages, fileName: "a.JSON"))
        #expect(value[0]?["role"] == "user")
        #expect(value[0]?["content"] == "Hi\n\"you\"")
    }

    @Test("any other file holds Markdown")
    func markdown() throws {
        let text = try Transcript.text(of: messages, fileName: "a.md")
        #expect(text == "## User\n\nHi\n\"you\"\n\n## Assistant\n\nHello\n")
    }
}
