// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import Testing

@Suite("WordWrapper")
struct WordWrapperTests {
    private func wrapped(_ pieces: [String], columns: Int) -> String {
        var wrapper = WordWrapper(columns: columns)
        let shown = pieces.map { wrapper.append($0) }.joined()
        return shown + wrapper.finish()
    }

    @Test(
        "lines break between words, and what fits stays as it is",
        arguments: [
            ("one two three", "one two\nthree"), ("one two", "one two"), ("", ""), ("a\n\nb", "a\n\nb"),
            ("onetwothreefour x", "onetwothreefour x"), ("  indented", "  indented"), ("a  b", "a  b"),
            ("日本語学校です", "日本語学校\nです"), ("exactly10! next", "exactly10!\nnext"), ("ends with ", "ends with"),
            ("one\ntwo three", "one\ntwo three"), ("four\u{3000}fives", "four\nfives"),
        ])
    func lines(text: String, expected: String) {
        #expect(wrapped([text], columns: 10) == expected)
    }

    @Test("the sequences of styles take no columns")
    func styles() {
        let word = TextStyle(isEnabled: true).dim("two")
        #expect(wrapped(["one ", word, " six"], columns: 10) == "one \(word)\nsix")
    }

    @Test("no line is wider than the terminal, and cutting the text elsewhere changes nothing", arguments: 1...7)
    func pieces(length: Int) {
        let text = "The quick brown fox jumps over the lazy dog. 日本語 e\u{301}tude 👨‍👩‍👧 \n\n- a list\n- of things"
        let scalars = Array(text.unicodeScalars)
        let pieces = stride(from: 0, to: scalars.count, by: length).map { start in
            var piece = String.UnicodeScalarView()
            piece.append(contentsOf: scalars[start..<min(start + length, scalars.count)])
            return String(piece)
        }
        let whole = wrapped([text], columns: 12)
        #expect(wrapped(pieces, columns: 12) == whole)
        #expect(whole.split(separator: "\n").allSatisfy { DisplayWidth.of($0) <= 12 })
        #expect(whole.filter { !$0.isWhitespace } == text.filter { !$0.isWhitespace })
    }
}
