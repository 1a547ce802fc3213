// SPDX-License-Identifier: Apache-2.0

import ParleyMarkdown

/// Draws Markdown on a terminal while it is written: lines that can no longer change stay, those behind them are drawn
/// anew when they do.
package struct GrowingMarkdown: Sendable {
    private let style: TextStyle
    private var drawing: MarkdownLines
    private var size: TerminalSize
    private var reader = MarkdownReader()
    /// The number of blocks that are drawn for good.
    private var settled = 0
    /// The lines below these, as they are on the screen.
    private var shown: [String] = []

    /// Begins a text at the beginning of a line.
    package init(size: TerminalSize, style: TextStyle) {
        drawing = MarkdownLines(columns: size.columns, style: style)
        (self.size, self.style) = (size, style)
    }

    /// Draws for another size from the next piece on. The terminal has wrapped by itself what it shows.
    package mutating func fit(into size: TerminalSize) {
        guard size != self.size else { return }
        drawing = MarkdownLines(columns: size.columns, style: style)
        self.size = size
    }

    /// Leaves what is on the screen as it is, because something else was written below. What can still change is drawn
    /// anew with the next piece, from the cursor on.
    package mutating func forget() { shown = [] }

    /// Adds a piece.
    ///
    /// - Returns: what is written to the terminal: lines, and sequences that move its cursor.
    package mutating func append(_ text: String) -> String {
        reader.append(text)
        return draw()
    }

    /// Ends the text; the cursor is at the beginning of the line below it.
    package mutating func finish() -> String {
        reader.finish()
        return draw()
    }

    private mutating func draw() -> String {
        let new = reader.settled[settled...]
        let begins = settled > 0
        var lines = drawing.lines(of: Array(new) + reader.tail)
        // An empty line stands between two blocks, of which one is drawn for good.
        if begins, !lines.isEmpty { lines.insert("", at: 0) }
        let output = replace(by: lines)
        if !new.isEmpty {
            let kept = drawing.lines(of: new).count + (begins ? 1 : 0)
            shown.removeFirst(min(kept, shown.count))
            settled = reader.settled.count
        }
        return output
    }

    /// Brings the lines on the screen to others. Those that have left the screen stay as they are.
    private mutating func replace(by lines: [String]) -> String {
        var first = zip(shown, lines).prefix { $0 == $1 }.count
        var rows = shown[first...].reduce(0) { $0 + self.rows(of: $1) }
        while rows > size.rows - 1, first < shown.count {
            rows -= self.rows(of: shown[first])
            first += 1
        }
        defer { shown = lines }
        let rest = lines.dropFirst(first)
        guard first < shown.count || !rest.isEmpty else { return "" }
        let back = rows > 0 ? "\u{1b}[\(rows)A\r\u{1b}[0J" : ""
        return back + rest.map { $0 + "\n" }.joined()
    }

    /// The rows that a line takes; long lines of code are wrapped by the terminal.
    private func rows(of line: String) -> Int {
        let width = DisplayWidth.of(TextStyle.removingStyles(from: line))
        return max((width + size.columns - 1) / max(size.columns, 1), 1)
    }
}
