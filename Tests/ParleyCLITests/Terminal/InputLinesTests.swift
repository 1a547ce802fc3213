// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import ParleyCommandLine
import Testing

@Suite("Lines of standard input")
struct InputLinesTests {
    @Test(
        "lines are the bytes between line feeds, however they come",
        arguments: [[9], [1, 0, 1, 1, 1, 1, 1, 1, 1], [3, 0, 0, 6], [2, 7]])
    func lines(pieces: [Int]) throws {
        var rest = Array("ab\n\n\u{e9}cd".utf8)[...]
        var counts = pieces[...]
        var lines = InputLines {
            guard let count = counts.popFirst() else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        var found: [[UInt8]] = []
        while let line = try lines.next() { found.append(line) }
        #expect(found == ["ab", "", "\u{e9}cd"].map { Array($0.utf8) })
    }

    @Test("what is no text stays as it is, and a line feed at the end begins no line")
    func bytes() throws {
        var pieces: [[UInt8]] = [[0xff, 0x0a], [0x0a]]
        var lines = InputLines { pieces.isEmpty ? nil : pieces.removeFirst() }
        var found: [[UInt8]] = []
        while let line = try lines.next() { found.append(line) }
        #expect(found == [[0xff], []])
    }

    @Test("a line without end is refused at a limit, after the lines before it")
    func endlessLine() throws {
        var first = true
        var lines = InputLines(atMost: 1 << 20) {
            defer { first = false }
            return Array((first ? "one\n" : String(repeating: "a", count: 4_096)).utf8)
        }
        let line = try lines.next()
        #expect(line == Array("one".utf8))
        let error = #expect(throws: CommandError.self) { try lines.next() }
        #expect(error?.message == "A line of the input is longer than the maximum of 1 MiB.")
    }
}
