// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A query over texts: its words, each of which must occur, in any case and with or without accents.
struct SearchText: Sendable {
    /// The maximum length of a query, in characters.
    private static let longest = 200
    /// How much of a text is shown before and after what was found, in characters.
    private static let around = 40

    private let words: [[UInt8]]

    /// Reads a query; nil if it has no words.
    init?(_ query: String) {
        words = query.prefix(Self.longest).split(whereSeparator: \.isWhitespace).map { Self.folded(String($0)) }
            .filter { !$0.isEmpty }
        if words.isEmpty { return nil }
    }

    /// Whether every word occurs in a text.
    func isFound(in text: String) -> Bool {
        let folded = Self.folded(text)
        return words.allSatisfy { Self.place(of: $0, in: folded) != nil }
    }

    /// The surroundings of the first word in a text, in one line.
    func snippet(of text: String) -> String {
        let folded = Self.folded(text)
        let place = words.first.flatMap { Self.place(of: $0, in: folded) } ?? 0
        // Folding changes lengths, so the place is counted again character by character.
        var count = 0
        var start = text.startIndex
        while start < text.endIndex, count < place {
            count += Self.folded(String(text[start])).count
            start = text.index(after: start)
        }
        let first = text.index(start, offsetBy: -Self.around, limitedBy: text.startIndex) ?? text.startIndex
        let last = text.index(start, offsetBy: 2 * Self.around, limitedBy: text.endIndex) ?? text.endIndex
        let line = text[first..<last].split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return (first > text.startIndex ? "…" : "") + line + (last < text.endIndex ? "…" : "")
    }

    /// A text in small letters without accents, as bytes.
    private static func folded(_ text: String) -> [UInt8] {
        var text = text
        let bytes: [UInt8]? = text.withUTF8 { bytes in
            guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
            return bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        }
        if let bytes { return bytes }
        var folded: [UInt8] = []
        for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars {
            if scalar.properties.generalCategory == .nonspacingMark { continue }
            folded += scalar.properties.lowercaseMapping.utf8
        }
        return folded
    }

    private static func place(of word: [UInt8], in text: [UInt8]) -> Int? {
        guard let first = word.first, text.count >= word.count else { return nil }
        let last = text.count - word.count
        return text.withUnsafeBufferPointer { text in
            word.withUnsafeBufferPointer { word in
                var place = 0
                while place <= last {
                    if text[place] == first {
                        var length = 1
                        while length < word.count, text[place + length] == word[length] { length += 1 }
                        if length == word.count { return place }
                    }
                    place += 1
                }
                return nil
            }
        }
    }
}
