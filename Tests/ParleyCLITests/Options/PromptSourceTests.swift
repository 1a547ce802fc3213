// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import Testing

@Suite("PromptSource")
struct PromptSourceTests {
    @Test(
        "a dash among the words stands for standard input, in a paragraph of its own",
        arguments: [
            (["Sum", "up:", "-"], "Sum up:\n\nnotes"), (["-"], "notes"), ([], "notes"),
            (["Read", "-", "and", "answer."], "Read\n\nnotes\n\nand answer."),
        ])
    func dash(words: [String], prompt: String) throws {
        var reads = 0
        let made = try PromptSource.prompt(from: words) {
            reads += 1
            return "notes"
        }
        #expect(made == prompt)
        #expect(reads == 1)
    }

    @Test("how a prompt ends is said before it is typed, and not where it is piped in", arguments: [true, false])
    func typed(isTyped: Bool) throws {
        var events: [String] = []
        var pieces: [[UInt8]] = [Array("one\n".utf8), [], Array("two\n\n".utf8)]
        let prompt = try PromptSource.standardInput(isTyped: isTyped, tell: { events.append($0) }) {
            events.append("read")
            return pieces.isEmpty ? nil : pieces.removeFirst()
        }
        #expect(prompt == "one\ntwo")
        #expect(events.first?.contains("Ctrl-D") == isTyped)
        #expect(events.filter { $0 == "read" }.count == 4)
    }

    @Test("how any input ends is said to who types it", arguments: [true, false])
    func typedInput(isTyped: Bool) {
        var told: [String] = []
        InputFile.explainTyping(of: "the input", isTyped: isTyped) { told.append($0) }
        #expect(told == (isTyped ? ["Write the input, and Ctrl-D on a line of its own at the end."] : []))
    }

    @Test("without a dash standard input is left alone", arguments: [["one two"], ["one", "two"], ["one", "- two"]])
    func words(words: [String]) throws {
        let made = try PromptSource.prompt(from: words) {
            Issue.record("standard input was read")
            return ""
        }
        #expect(made == words.joined(separator: " "))
    }
}
