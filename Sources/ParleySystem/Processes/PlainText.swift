// SPDX-License-Identifier: Apache-2.0

/// Text of other programs, models and people, without what acts on the place where it is shown.
package enum PlainText {
    /// Whether a character acts on the place where text is shown: control characters other than tabs and line feeds,
    /// the separators of lines and paragraphs, and what embeds, overrides or isolates a direction of writing, so that a
    /// text reads otherwise than it is.
    ///
    /// Joiners (as in emoji and in Persian) and the marks U+200E and U+200F are text: these two only place signs beside
    /// them, as people who write from right to left need it.
    package static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A: false
        case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Converts line ends and separators to line feeds and removes the other controls (``isControl(_:)``).
    ///
    /// Text from a model or the clipboard must not move the cursor or send commands to the terminal.
    package static func clean(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var previous: Unicode.Scalar = " "
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0D, 0x2028, 0x2029: result.append("\n")
            case 0x0A: if previous != "\r" { result.append("\n") }
            default: if !isControl(scalar) { result.append(scalar) }
            }
            previous = scalar
        }
        return String(result)
    }

    /// A text in one line: white space of any length becomes one space, that at both ends goes, and so do controls
    /// (``isControl(_:)``).
    ///
    /// - Parameters:
    ///   - text: a text of any length.
    ///   - limit: the largest number of characters of the line; a longer one ends in “…”. Nil for no limit.
    /// - Returns: the line, which is the same if it is made again.
    package static func line(_ text: some StringProtocol, upTo limit: Int? = nil) -> String {
        var result = String.UnicodeScalarView()
        // The space before the next word; a single one of a special width stays as it is.
        var space: Unicode.Scalar?
        // A character may have any number of code points: what is looked at is bounded as well.
        for scalar in text.unicodeScalars.prefix(limit.map { 16 * $0 } ?? .max) {
            if scalar.properties.isWhitespace {
                space = space ?? (scalar.properties.generalCategory == .spaceSeparator ? scalar : " ")
            } else if !isControl(scalar) {
                if let space, !result.isEmpty { result.append(space) }
                result.append(scalar)
                space = nil
            }
        }
        let line = String(result)
        guard let limit, line.count > limit else { return line }
        return line.prefix(max(limit - 1, 0)) + "…"
    }
}
