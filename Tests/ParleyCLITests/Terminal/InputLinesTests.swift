// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import Testing

@Suite("Lines of standard input")
struct InputLinesTests {
    @Test(
        "lines are the bytes between line feeds, however they come",
        arguments: [[9], [1, 0, 1, 1, 1, 1, 1, 1, 1], [3, 0, 0, 6], [2, 7]])
    func lines(pieces: [Int]) {
        var rest = Array("ab\n\n\u{e9}cd".utf8)[...]
        var counts = pieces[...]
        var lines = InputLines {
            guard let count = counts.popFirst() else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        var found: [[UInt8]] = []
        while let line = lines.next() { found.append(line) }
        #expect(found == ["ab", "", "\u{e9}cd"].map { Array($0.utf8) })
    }

    @Test("what is no text stays as it is, and a line feed at the end begins no line")
    func bytes() {
        var pieces: [[UInt8]] = [[0xff, 0x0a], [0x0a]]
        var lines = InputLines { pieces.isEmpty ? nil : pieces.removeFirst() }
        var found: [[UInt8]] = []
        while let line = lines.next() { found.append(line) }
        #expect(found == [[0xff], []])
    }
}
