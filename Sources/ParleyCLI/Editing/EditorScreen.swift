// SPDX-License-Identifier: Apache-2.0

/// What an editor has drawn on the terminal; its functions return the text that changes the drawing.
///
/// Only relative movements are used, so it works wherever on the screen the line is.
package struct EditorScreen: Sendable {
    private var drawn: EditorLayout?
    /// The row of the drawing, counted from its first visible row, where the cursor stands.
    private var cursorRow = 0
    private var visible = 0..<0
    private var columns = 0

    /// Creates a screen with nothing drawn.
    package init() {}

    /// Draws a layout in place of the last one.
    ///
    /// - Parameters:
    ///   - layout: the text in rows.
    ///   - size: the terminal's size; rows that do not fit are left out, those around the cursor stay.
    ///   - style: styles the first row's prompt.
    /// - Returns: the text to write.
    package mutating func draw(
        _ layout: EditorLayout, size: TerminalSize, style: (_ row: String) -> String = { $0 }
    ) -> String {
        let erased = erase(for: size)
        let height = max(1, min(layout.rows.count, size.rows - 1))
        let start = max(0, min(layout.cursorRow - height / 2, layout.rows.count - height))
        visible = start..<(start + height)
        cursorRow = layout.cursorRow - start
        columns = size.columns
        drawn = layout
        let text = visible.map { $0 == 0 ? style(layout.rows[$0]) : layout.rows[$0] }.joined(separator: "\r\n")
        return erased + text + moveUp(height - 1 - cursorRow) + "\r" + moveRight(layout.cursorColumn)
    }

    /// Leaves the drawing as it is and goes to the line below it.
    package mutating func finish() -> String {
        guard drawn != nil else { return "" }
        defer { forget() }
        let down = visible.count - 1 - cursorRow
        return (down > 0 ? "\u{1b}[\(down)B" : "") + "\r\n"
    }

    /// Forgets the drawing: something else has changed the screen.
    package mutating func forget() {
        drawn = nil
        cursorRow = 0
    }

    /// Erases the last drawing, which a narrower terminal may have folded into more rows.
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
