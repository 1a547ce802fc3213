// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import Testing

@Suite("EditorScreen")
struct EditorScreenTests {
    @Test("editing redraws the text in place, whatever its length, without remains")
    func editingInPlace() {
        var terminal = FakeTerminal(columns: 10, rows: 6)
        terminal.write("before\r\n")
        var screen = EditorScreen()
        for text in ["", "abc", "abcdefgh", "abcdefghijkl", "abcdefghijklmnopqrstuvw", "abcdefghij", "日本語学校", "x"] {
            let layout = EditorLayout(prompt: "> ", before: text, after: "", columns: 10)
            terminal.write(screen.draw(layout, size: TerminalSize(columns: 10, rows: 6)))
            #expect(terminal.lines == ["before"] + layout.rows.map(FakeTerminal.trimmed))
            #expect(terminal.row == 1 + layout.cursorRow)
            #expect(terminal.column == layout.cursorColumn)
        }
    }

    @Test("the cursor is drawn at any position in the text")
    func cursorInside() {
        var terminal = FakeTerminal(columns: 10, rows: 8)
        var screen = EditorScreen()
        let text = "abcdefghijklmnopqrstuvw"
        for position in stride(from: text.count, through: 0, by: -1) {
            let layout = EditorLayout(
                prompt: "> ", before: String(text.prefix(position)), after: String(text.dropFirst(position)),
                columns: 10)
            terminal.write(screen.draw(layout, size: TerminalSize(columns: 10, rows: 8)))
            #expect(terminal.lines == layout.rows.map(FakeTerminal.trimmed))
            #expect(terminal.row == layout.cursorRow)
            #expect(terminal.column == layout.cursorColumn)
        }
        terminal.write(screen.finish() + "reply")
        #expect(terminal.lines == ["> abcdefgh", "  ijklmnop", "  qrstuvw", "reply"])
    }

    @Test("of a text higher than the terminal the rows around the cursor are shown")
    func tallText() {
        var terminal = FakeTerminal(columns: 10, rows: 4)
        var screen = EditorScreen()
        let text = (0..<20).map(String.init).joined(separator: "\n")
        for position in stride(from: text.count, through: 0, by: -1) {
            let layout = EditorLayout(
                prompt: "> ", before: String(text.prefix(position)), after: String(text.dropFirst(position)),
                columns: 10)
            terminal.write(screen.draw(layout, size: TerminalSize(columns: 10, rows: 4)))
            #expect(terminal.lines[terminal.row] == FakeTerminal.trimmed(layout.rows[layout.cursorRow]))
        }
        #expect(Array(terminal.lines.suffix(3)) == ["> 0", "  1", "  2"])
    }

    @Test("when the terminal becomes narrower, the wrapped old rows are erased")
    func narrowing() {
        var terminal = FakeTerminal(columns: 20, rows: 10)
        var screen = EditorScreen()
        terminal.write("before\r\n")
        let text = "abcdefghijklmnopqrstuvwxyz"
        let wide = EditorLayout(prompt: "> ", before: text, after: "", columns: 20)
        terminal.write(screen.draw(wide, size: TerminalSize(columns: 20, rows: 10)))
        terminal.fold(to: 10)
        let narrow = EditorLayout(prompt: "> ", before: text, after: "", columns: 10)
        terminal.write(screen.draw(narrow, size: TerminalSize(columns: 10, rows: 10)))
        #expect(terminal.lines == ["before"] + narrow.rows.map(FakeTerminal.trimmed))
    }
}
