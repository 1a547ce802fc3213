// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation
import ParleyJSON
import ParleyTestSupport
import Testing

import struct ParleyRuntime.SplitMix64

@Suite("Searching the bytes of chats")
struct SearchTextTests {
    /// Pieces of texts and queries: what JSON escapes, what is folded, what joins with its neighbour.
    private static let pieces = [
        "a", "B", "é", "e\u{301}", "E", "\u{301}", "ß", "İ", "Ά", "ς", "Σ", "\"", "\\", "/", "n", "u", "0041", "\u{1}",
        "\u{7F}", "\u{2028}", "😀", "가", "ㄱ", "ﬁ", "Å", "\u{212B}", "\u{323}", "|", "{", "]", ":",
    ]

    private static func random(_ count: ClosedRange<Int>, _ random: inout SplitMix64) -> String {
        (0..<Int.random(in: count, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
    }

    @Test("Marks are put in order, but no more than 256 together")
    func marks() throws {
        // Thai's vowels come behind the dots of India's scripts; neither are accents.
        func marks(_ mark: String, _ count: Int) -> String { String(repeating: mark, count: count) }
        let (dot, vowel) = ("\u{93C}", "\u{E38}")
        #expect(try #require(SearchText(marks(dot, 3))).isFound(in: marks(vowel, 3) + marks(dot, 3)))
        #expect(try #require(SearchText(marks(dot, 2) + vowel)).isFound(in: dot + vowel + dot))
        #expect(try !#require(SearchText(marks(dot, 213))).isFound(in: marks(vowel, 300) + marks(dot, 300)))
    }

    @Test("A file is left out only if none of its texts has all words")
    func never() throws {
        var random = SplitMix64(seed: 7)
        var (found, left) = (0, 0)
        for _ in 0..<20_000 {
            let text =
                Self.random(0...12, &random) + (Bool.random(using: &random) ? "\n" : "\t")
                + Self.random(0...12, &random)
            var words = Self.random(1...3, &random)
            if Bool.random(using: &random) { words += " " + Self.random(1...2, &random) }
            guard let query = SearchText(words) else { continue }
            let value = JSONValue.object(["content": .string(text)])
            let isFound = query.isFound(in: text)
            let mayOccur = query.mayOccur(in: Data(value.text().utf8))
            #expect(!isFound || mayOccur, "\(words.debugDescription) in \(text.debugDescription)")
            // Nor if another program has written the file with escapes.
            let escaped = Data(value.text(JSONFormat(escapesNonASCII: true)).utf8)
            #expect(!isFound || query.mayOccur(in: escaped), "\(words.debugDescription) in \(text.debugDescription)")
            found += isFound ? 1 : 0
            left += mayOccur ? 0 : 1
        }
        #expect(found > 1_000 && left > 1_000, "\(found) found, \(left) left out")
    }

    @Test("A file in which a word does not occur is left out, whatever Parley has written into it")
    func leftOut() throws {
        var chat = Chat()
        chat.append(.user("Über das Café\n\t\"C:\\users\" \u{1} 😀"))
        chat.append(.assistant("Ja."))
        let file = Data(try chat.saved().text().utf8)
        for (words, mayOccur) in [
            ("cafe", true), ("\"C:\\USERS\"", true), ("uber 😀", true), ("tea", false), ("cafe tea", false),
            ("\"tea\"", false), ("Καφές", false), ("über \"tea\\", false),
        ] {
            #expect(try #require(SearchText(words)).mayOccur(in: file) == mayOccur, "\(words)")
        }
    }
}
