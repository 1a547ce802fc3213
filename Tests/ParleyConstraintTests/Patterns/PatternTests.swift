// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import ParleyJSON
import Testing

@Suite("Patterns")
struct PatternTests {
    @Test(
        "Patterns match what ECMA-262 says",
        arguments: [
            ("a|bc", ["a", "bc"], ["", "b", "abc", "ac"]),
            ("(?<year>\\d{4})-\\d\\d", ["2024-01"], ["2024-1", "20240-1"]),
            ("[^]", ["a", "\n", "\u{1F600}"], ["", "ab"]),
            ("[]|x", ["x"], ["", "[]"]),
            ("\\u{1F600}+", ["\u{1F600}", "\u{1F600}\u{1F600}"], ["", "\u{1F601}"]),
            ("\\uD83D\\uDE00", ["\u{1F600}"], ["\u{FFFD}"]),
            ("\\cJ\\x41\\0", ["\nA\0"], ["JA0"]),
            ("a{,2}", ["a{,2}"], ["aa"]),
            ("x{2", ["x{2"], ["xx"]),
            ("[\\d-x]", ["1", "-", "x"], ["a"]),
            ("[a-]", ["a", "-"], ["b"]),
            ("[\\b]", ["\u{8}"], ["b"]),
            (".", ["a", "é", "\u{1F600}"], ["", "\n", "\r", "\u{2028}"]),
            ("\\s", [" ", "\u{A0}", "\u{FEFF}"], ["a", "\u{85}"]),
            ("^a$|^$", ["a", ""], ["aa"]),
            ("(a*)*b", ["b", "aaab"], ["", "a"]),
            ("(a?){3}", ["", "a", "aaa"], ["aaaa"]),
            ("a{0}b", ["b"], ["ab"]),
            (
                "[\\u0080-\\uFFFF]", ["\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}"],
                ["\u{7F}", "\u{10000}"]
            ),
            ("a^b|c$d|x", ["x"], ["ab", "cd"]),
        ])
    func matching(_ pattern: String, _ matches: [String], _ others: [String]) throws {
        let program = try ConstraintProgram(.pattern(pattern))
        for text in matches { #expect(program.accepts(text.utf8), "\(text)") }
        for text in others { #expect(!program.accepts(text.utf8), "\(text)") }
    }

    @Test(
        "A pattern never lets half a character, an overlong form or a surrogate pass",
        arguments: [
            [0x80], [0xC0, 0x80], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF],
            [0xF8, 0x88, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func encoding(_ bytes: [UInt8]) throws {
        #expect(try !ConstraintProgram(.pattern("[^]*")).accepts(bytes))
        #expect(try !ConstraintProgram(schema: ["type": "string"]).accepts([0x22] + bytes + [0x22]))
    }
}
