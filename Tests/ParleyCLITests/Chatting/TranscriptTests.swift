// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import ParleyCommandLine
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

    @Test("other known files hold Markdown", arguments: ["a.md", "a.txt", "a"])
    func markdown(name: String) throws {
        let text = try Transcript.text(of: messages, fileName: name)
        #expect(text == "## User\n\nHi\n\"you\"\n\n## Assistant\n\nHello\n")
    }

    @Test("a file of another form is refused, and the known ones are named")
    func unknown() throws {
        let error = #expect(throws: CommandError.self) { try Transcript.text(of: messages, fileName: "a.PDF") }
        #expect(error?.message == "A conversation is written as .md, .txt or .json, not as .pdf.")
    }
}
