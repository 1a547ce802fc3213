// SPDX-License-Identifier: Apache-2.0

/// Breaks text that comes in pieces into lines between words, so that a narrow terminal cuts no word.
///
/// A word is held back until it is complete. The result does not depend on how the text is cut into pieces.
package struct WordWrapper: Sendable {
    private let columns: Int
    /// The columns that the line being written has taken.
    private var column = 0
    /// White space after the text shown; it is dropped where the line breaks.
    private var gap = ""
    private var word = ""

    /// Creates a wrapper for lines of at most so many columns.
    package init(columns: Int) {
        self.columns = max(columns, 1)
    }

    /// Takes a piece and returns what can be shown.
    package mutating func append(_ text: String) -> String {
        var shown = ""
        // The end of one piece and the beginning of the next may be one character.
        let text = word + text
        word = ""
        for character in text {
            if character.isNewline {
                shown += endWord() + "\n"
                (gap, column) = ("", 0)
            } else if character.isWhitespace {
                shown += endWord()
                gap.append(character)
            } else {
                // Scripts with wide characters break between any two.
                if DisplayWidth.of(character) == 2 { shown += endWord() }
                word.append(character)
            }
        }
        return shown
    }

    /// Returns what was held back at the end.
    package mutating func finish() -> String {
        endWord()
    }

    /// Ends the word, on the next line where it does not fit on this one.
    private mutating func endWord() -> String {
        guard !word.isEmpty else { return "" }
        defer { (gap, word) = ("", "") }
        let width = DisplayWidth.of(word)
        let gapWidth = gap.count
        let breaks = column > 0 && column + gapWidth + width > columns
        column = breaks ? width : column + gapWidth + width
        // A word longer than a line is cut by the terminal.
        if column > columns { column = (column - 1) % columns + 1 }
        return (breaks ? "\n" : gap) + word
    }
}
