// SPDX-License-Identifier: Apache-2.0

/// An editor's text, split into the rows of a terminal.
package struct EditorLayout: Sendable, Hashable {
    /// The rows from the top, without line ends; none is wider than the terminal.
    package private(set) var rows = [""]
    /// The width of each row in columns.
    package private(set) var widths = [0]
    /// The row of the cursor.
    package private(set) var cursorRow = 0
    /// The column of the cursor, counted from 0.
    package private(set) var cursorColumn = 0

    private let columns: Int
    private let indent: Int

    /// Splits a text into rows.
    ///
    /// - Parameters:
    ///   - prompt: the text before the first row, without line ends; the other rows are indented by its width.
    ///   - before: the text before the cursor.
    ///   - after: the text after the cursor.
    ///   - columns: the terminal's width.
    package init(prompt: String, before: String, after: String, columns: Int) {
        self.columns = max(columns, 4)
        let promptWidth = DisplayWidth.of(prompt)
        // On very narrow terminals the text is not indented.
        indent = promptWidth * 3 < self.columns ? promptWidth : 0
        place(prompt)
        place(before)
        // A full row has no space for the cursor, which is then at the start of the next row.
        if widths[widths.count - 1] == self.columns { breakRow() }
        cursorRow = rows.count - 1
        cursorColumn = widths[cursorRow]
        place(after)
    }

    private mutating func place(_ text: String) {
        for character in text {
            if character.isNewline {
                breakRow()
            } else if character == "\t" {
                place("    ")
            } else {
                let width = DisplayWidth.of(character)
                if widths[widths.count - 1] + width > columns { breakRow() }
                rows[rows.count - 1].append(character)
                widths[widths.count - 1] += width
            }
        }
    }

    private mutating func breakRow() {
        rows.append(String(repeating: " ", count: indent))
        widths.append(indent)
    }
}
