// SPDX-License-Identifier: Apache-2.0

/// The width of text on a terminal in columns.
///
/// The width follows the East Asian Width property (Unicode Standard Annex 11): wide and full-width characters and
/// emoji take two columns, combining marks none. The table is simplified; unassigned code points between two wide
/// blocks count as wide, as the annex recommends for the ideographic planes.
package enum DisplayWidth {
    /// The columns a character takes.
    package static func of(_ character: Character) -> Int {
        if let ascii = character.asciiValue { return ascii < 0x20 || ascii == 0x7f ? 0 : 1 }
        // A sequence of emoji is drawn as one emoji; the presentation selector turns a text character into an emoji.
        let isEmoji = character.unicodeScalars.contains { $0.properties.isEmojiPresentation || $0.value == 0xfe0f }
        return isEmoji ? 2 : character.unicodeScalars.reduce(0) { $0 + of($1) }
    }

    /// The columns a line of text takes.
    package static func of(_ text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + of($1) }
    }

    /// The beginning of a line of text that takes at most so many columns.
    package static func beginning(of text: String, columns: Int) -> Substring {
        var rest = columns
        return text.prefix { character in
            rest -= of(character)
            return rest >= 0
        }
    }

    /// The end of a line of text that takes at most so many columns.
    package static func end(of text: String, columns: Int) -> Substring {
        var rest = columns
        return text.suffix(
            text.reversed().prefix { character in
                rest -= of(character)
                return rest >= 0
            }.count)
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        // Hangul vowels and final consonants combine with the preceding syllable.
        if (0x1160...0x11ff).contains(scalar.value) { return 0 }
        return wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115f, 0x2329...0x232a, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf, 0x4e00...0xa4cf,
        0xa960...0xa97c, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff01...0xff60,
        0xffe0...0xffe6, 0x16fe0...0x18cff, 0x1aff0...0x1b2ff, 0x1f200...0x1f265, 0x20000...0x3fffd,
    ]
}
