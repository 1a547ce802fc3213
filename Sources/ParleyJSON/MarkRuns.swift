// SPDX-License-Identifier: Apache-2.0

/// Runs of combining marks. Whatever compares, hashes or normalises strings sorts the marks behind a letter, in a time
/// that grows with the square of their number.
package enum MarkRuns {
    /// The most marks in a row that are sorted together; no language has more than a few.
    package static let longest = 256

    /// Whether a text has more than so many marks in a row.
    package static func isLonger(than limit: Int, in text: String) -> Bool {
        // A mark has at least two bytes, and none that are ASCII.
        var bytes = 0
        let mayBe = text.utf8.contains { byte in
            bytes = byte < 0x80 ? 0 : bytes + 1
            return bytes / 2 > limit
        }
        return mayBe && parts(of: text.unicodeScalars, upTo: limit).count > 1
    }

    /// The parts of a text none of which has more than so many marks in a row: usually the whole text.
    package static func parts<Text: Collection<Unicode.Scalar>>(
        of text: Text, upTo limit: Int = longest
    ) -> [Text.SubSequence] {
        var parts: [Text.SubSequence] = []
        var (start, marks) = (text.startIndex, 0)
        for index in text.indices {
            marks = isSorted(text[index]) ? marks + 1 : 0
            guard marks > limit else { continue }
            parts.append(text[start..<index])
            (start, marks) = (index, 1)
        }
        parts.append(text[start..<text.endIndex])
        return parts
    }

    /// Whether a character is a mark that has a place in the order of marks, or is made of such marks alone.
    private static func isSorted(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x300: false
        case 0xF73, 0xF75, 0xF81, 0xFF9E, 0xFF9F: true
        default: scalar.properties.canonicalCombiningClass != .notReordered
        }
    }
}
