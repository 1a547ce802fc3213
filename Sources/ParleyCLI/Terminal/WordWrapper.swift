// SPDX-License-Identifier: Apache-2.0

/// Wraps text that arrives in pieces into lines, breaking between words.
///
/// A word is held back until it is complete. The result does not depend on how the text is split into pieces. The sequences
/// of a ``TextStyle`` take no columns.
package struct WordWrapper: Sendable {
    private let columns: Int
    /// The width of the current line in columns.
    private var column = 0
    /// White space after the text written so far; it is dropped at a line break.
    private var gap = ""
    private var word = ""

    /// Creates a wrapper for lines of at most `columns` columns.
    package init(columns: Int) {
        self.columns = max(columns, 1)
    }

    /// Adds a piece and returns the text to show now.
    package mutating func append(_ text: String) -> String {
        var shown = ""
        // The end of one piece and the beginning of the next may form one character.
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
                // Scripts with wide characters may break between any two characters.
                if DisplayWidth.of(character) == 2 { shown += endWord() }
                word.append(character)
            }
        }
        return shown
    }

    /// Returns the text still held back, at the end of the input.
    package mutating func finish() -> String {
        endWord()
    }

    /// Ends the word, and moves it to the next line if it does not fit on the current one.
    private mutating func endWord() -> String {
        guard !word.isEmpty else { return "" }
        defer { (gap, word) = ("", "") }
        let width = DisplayWidth.of(TextStyle.removingStyles(from: word))
        let gapWidth = gap.reduce(0) { $0 + max(1, DisplayWidth.of($1)) }
        let breaks = column > 0 && column + gapWidth + width > columns
        column = breaks ? width : column + gapWidth + width
        // The terminal wraps a word that is longer than a line.
        if column > columns { column = (column - 1) % columns + 1 }
        return (breaks ? "\n" : gap) + word
    }
}
