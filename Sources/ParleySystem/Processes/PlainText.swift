// SPDX-License-Identifier: Apache-2.0

/// Text of other programs, models and people, without what acts on the place where it is shown, and without what nobody
/// sees but a model reads.
package enum PlainText {
    /// Whether a character acts on the place where text is shown, or stands in it without being seen: control characters
    /// other than tabs and line feeds, the separators of lines and paragraphs, what embeds, overrides or isolates a
    /// direction of writing, so that a text reads otherwise than it is, and what only parts or joins words.
    ///
    /// Joiners (as in emoji and in Persian) and the marks U+200E and U+200F are text: these two only place signs beside
    /// them, as people who write from right to left need it.
    package static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A: false
        case 0x00...0x1F, 0x7F...0x9F, 0xAD, 0x200B, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB: true
        default: false
        }
    }

    /// Converts line ends and separators to line feeds and removes the other controls (``isControl(_:)``) and the marks
    /// that show nothing (``Marks``).
    ///
    /// Text from a model or the clipboard must not move the cursor or send commands to the terminal.
    package static func clean(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var marks = Marks()
        var previous: Unicode.Scalar = " "
        for scalar in text.unicodeScalars {
            defer { previous = scalar }
            if scalar == "\n", previous == "\r" { continue }
            let shown: Unicode.Scalar =
                switch scalar.value {
                case 0x0D, 0x2028, 0x2029: "\n"
                default: scalar
                }
            if marks.isSeen(shown) { result.append(shown) }
        }
        return String(result)
    }

    /// A text in one line: white space of any length becomes one space, that at both ends goes, and so do controls
    /// (``isControl(_:)``) and the marks that show nothing (``Marks``).
    ///
    /// - Parameters:
    ///   - text: a text of any length.
    ///   - limit: the largest number of characters of the line; a longer one ends in “…”. Nil for no limit.
    /// - Returns: the line, which is the same if it is made again.
    package static func line(_ text: some StringProtocol, upTo limit: Int? = nil) -> String {
        var result = String.UnicodeScalarView()
        var marks = Marks()
        // The space before the next word; a single one of a special width stays as it is.
        var space: Unicode.Scalar?
        // A character may have any number of code points: what is looked at is bounded as well.
        for scalar in text.unicodeScalars.prefix(limit.map { 16 * $0 } ?? .max) {
            if scalar.properties.isWhitespace {
                space = space ?? (scalar.properties.generalCategory == .spaceSeparator ? scalar : " ")
                marks.isSeen(" ")
            } else if marks.isSeen(scalar) {
                if let space, !result.isEmpty { result.append(space) }
                result.append(scalar)
                space = nil
            }
        }
        let line = String(result)
        guard let limit, line.count > limit else { return line }
        return line.prefix(max(limit - 1, 0)) + "…"
    }

    /// Follows a text and tells which of its characters are part of what is seen.
    ///
    /// Tag characters spell the region of a flag, such as Scotland's, and a variation selector chooses a form of the
    /// character before it. Anywhere else they show nothing, and words spelled with them would be read by a model alone.
    package struct Marks {
        private var previous: Unicode.Scalar = " "
        /// How many tag characters may follow: those of a region and the one that ends them.
        private var tags = 0

        /// Begins a text.
        package init() {}

        /// Whether the next character of the text is seen, or changes what is seen.
        @discardableResult
        package mutating func isSeen(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.value {
            case 0xFE00...0xFE0F where Self.isSelector(previous): return false
            case 0xE0100...0xE01EF where !previous.properties.isIdeographic: return false
            case 0xFE00...0xFE0F, 0xE0100...0xE01EF: break
            case 0xE0020...0xE007F where tags > 0: tags = scalar.value == 0xE007F ? 0 : tags - 1
            case 0xE0000...0xE0FFF: return false
            // Scripts without spaces have it between words.
            case 0x200B where Self.isOfScriptWithoutSpaces(previous): break
            default:
                if PlainText.isControl(scalar) { return false }
                tags = scalar.value == 0x1F3F4 ? 7 : 0
            }
            previous = scalar
            return true
        }

        /// Thai, Lao, Burmese and Khmer.
        private static func isOfScriptWithoutSpaces(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.value {
            case 0xE00...0xEFF, 0x1000...0x109F, 0x1780...0x17FF: true
            default: false
            }
        }

        private static func isSelector(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.value {
            case 0xFE00...0xFE0F, 0xE0100...0xE01EF: true
            default: false
            }
        }
    }
}
