// SPDX-License-Identifier: Apache-2.0

package import Foundation
import ParleyJSON

/// A query over texts: its words, each of which must occur, in any case and with or without accents.
package struct SearchText: Sendable {
    /// The maximum length of a query, in characters.
    private static let longest = 200
    /// How much of a text is shown before and after what was found, in characters.
    private static let around = 40

    private let words: [[UInt8]]

    /// Reads a query; nil if it has no words.
    package init?(_ query: String) {
        words = query.prefix(Self.longest).split(whereSeparator: \.isWhitespace).map { Self.folded(String($0)) }
            .filter { !$0.isEmpty }
        if words.isEmpty { return nil }
    }

    /// Whether every word occurs in a text.
    package func isFound(in text: String) -> Bool {
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

    /// Whether every word may occur in the texts of a JSON file; if not, none of its texts has them all.
    ///
    /// It is much faster than reading the file, and knows nothing of its structure: what it finds may be a name, or in
    /// several texts.
    ///
    /// - Parameter file: the bytes of the file.
    /// - Returns: false only if the file need not be read.
    package func mayOccur(in file: Data) -> Bool {
        file.withUnsafeBytes { bytes in
            let bytes = bytes.bindMemory(to: UInt8.self)
            if Self.hidesCharacters(bytes) { return true }
            let folded = Self.folded(bytes)
            return words.allSatisfy { word in
                let part = Self.plainPart(of: word)
                return part.isEmpty || Self.place(of: part, in: folded) != nil
            }
        }
    }

    /// The longest part of a word that JSON writes as it is.
    private static func plainPart(of word: [UInt8]) -> [UInt8] {
        let parts = word.split {
            $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "/")
        }
        return parts.max { $0.count < $1.count }.map { Array($0) } ?? []
    }

    /// Whether a file writes other characters than control characters as `\u` and a number; Parley does not.
    private static func hidesCharacters(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var place = 0
        while place + 1 < bytes.count {
            guard bytes[place] == UInt8(ascii: "\\") else {
                place += 1
                continue
            }
            if bytes[place + 1] == UInt8(ascii: "u") {
                let digits = bytes[min(place + 2, bytes.count)..<min(place + 5, bytes.count)]
                if !digits.elementsEqual("000".utf8), !digits.elementsEqual("001".utf8) { return true }
            }
            // What follows a backslash begins no other escape, such as the second of two.
            place += 2
        }
        return false
    }

    /// A text as all searches compare it: in small letters, without accents, and with other letters for those that
    /// many keyboards lack.
    package static func plain(_ text: String) -> String { String(decoding: folded(text), as: UTF8.self) }

    /// The same as bytes.
    private static func folded(_ text: String) -> [UInt8] {
        var text = text
        return text.withUTF8(folded)
    }

    private static func folded(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var folded: [UInt8] = []
        folded.reserveCapacity(bytes.count)
        // Folding is slow beyond ASCII, and most words have few letters there, which come again and again.
        var known: [UInt64: [UInt8]] = [:]
        var place = 0
        while place < bytes.count {
            while place < bytes.count, bytes[place] < 0x80 {
                let byte = bytes[place]
                folded.append((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
                place += 1
            }
            let start = place
            while place < bytes.count, bytes[place] >= 0x80 { place += 1 }
            if start == place { continue }
            // An accent after an ASCII letter is left out like others, so each part can be folded by itself.
            let part = bytes[start..<place]
            let key = part.count <= 8 ? part.reduce(0 as UInt64) { $0 << 8 | UInt64($1) } : 0
            if key != 0, let same = known[key] {
                folded += same
                continue
            }
            let new = foldedSlowly(String(decoding: part, as: UTF8.self))
            if key != 0, known.count < 1_000 { known[key] = new }
            folded += new
        }
        return folded
    }

    private static func foldedSlowly(_ text: String) -> [UInt8] {
        var folded: [UInt8] = []
        for part in MarkRuns.parts(of: text.unicodeScalars) {
            for scalar in String(part).decomposedStringWithCompatibilityMapping.unicodeScalars {
                if isAccent(scalar) { continue }
                let small = scalar.properties.lowercaseMapping
                folded += (spelled[small] ?? small).utf8
            }
        }
        return folded
    }

    /// Whether a scalar is an accent, a point of Hebrew or Arabic, or a variant of what is before it. Other marks make other
    /// words: voicing in Japanese, vowels and tones in Thai and in the scripts of India.
    private static func isAccent(_ scalar: Unicode.Scalar) -> Bool {
        let combining = scalar.properties.canonicalCombiningClass.rawValue
        return combining == 1 || (10...35).contains(combining) || combining >= 200
            || (0xFE00...0xFE0F).contains(scalar.value)
    }

    /// How letters are written that are none with an accent, where they are lacking; and sigma at the end of a word.
    private static let spelled = [
        "ß": "ss", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "ı": "i", "ς": "σ",
    ]

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
