// SPDX-License-Identifier: Apache-2.0

/// What an editor has drawn on the terminal. Its functions return the text to write to change that.
///
/// Only relative cursor movements are used, so it works at any position on the screen.
package struct EditorScreen: Sendable {
    private var drawn: EditorLayout?
    /// The row of the cursor, counted from the first visible row of the drawing.
    private var cursorRow = 0
    private var visible = 0..<0
    private var columns = 0

    /// Creates a screen with nothing drawn.
    package init() {}

    /// Replaces the previous drawing by a layout.
    ///
    /// - Parameters:
    ///   - layout: the text in rows.
    ///   - size: the terminal's size. If not all rows fit, those around the cursor are shown.
    ///   - style: styles the first row.
    ///   - others: styles the other rows.
    /// - Returns: the text to write.
    package mutating func draw(
        _ layout: EditorLayout, size: TerminalSize, style: (_ row: String) -> String = { $0 },
        others: (_ row: String) -> String = { $0 }
    ) -> String {
        let erased = erase(for: size)
        let height = max(1, min(layout.rows.count, size.rows - 1))
        let start = max(0, min(layout.cursorRow - height / 2, layout.rows.count - height))
        visible = start..<(start + height)
        cursorRow = layout.cursorRow - start
        columns = size.columns
        drawn = layout
        let text = visible.map { $0 == 0 ? style(layout.rows[$0]) : others(layout.rows[$0]) }.joined(separator: "\r\n")
        return erased + text + moveUp(height - 1 - cursorRow) + "\r" + moveRight(layout.cursorColumn)
    }

    /// Keeps the drawing and moves to the line below it.
    package mutating func finish() -> String {
        guard drawn != nil else { return "" }
        defer { forget() }
        let down = visible.count - 1 - cursorRow
        return (down > 0 ? "\u{1b}[\(down)B" : "") + "\r\n"
    }

    /// Removes the drawing.
    package mutating func clear(for size: TerminalSize) -> String {
        defer { forget() }
        return erase(for: size)
    }

    /// Forgets the drawing, because something else has changed the screen.
    package mutating func forget() {
        drawn = nil
        cursorRow = 0
    }

    /// Erases the previous drawing, which may take more rows now if the terminal has become narrower.
    private func erase(for size: TerminalSize) -> String {
        guard let drawn else { return "" }
        var above = cursorRow
        if size.columns < columns, size.columns > 0 {
            let rows = visible.prefix(cursorRow)
            above = rows.reduce(0) { $0 + max(1, (drawn.widths[$1] + size.columns - 1) / size.columns) }
            above += drawn.cursorColumn / size.columns
        }
        return "\r" + moveUp(min(above, size.rows - 1)) + "\u{1b}[J"
    }

    private func moveUp(_ count: Int) -> String {
        count > 0 ? "\u{1b}[\(count)A" : ""
    }

    private func moveRight(_ count: Int) -> String {
        count > 0 ? "\u{1b}[\(count)C" : ""
    }
}
