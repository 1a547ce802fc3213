// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import ParleyMarkdown
import Testing

@Suite("Markdown that grows on a terminal")
struct GrowingMarkdownTests {
    private static let text = """
        # A title

        Some **bold words** and *others* in a paragraph that is longer than a line of the terminal, with `code`.

        - one
        - two
          with more

        1. a
        2. b

        ```swift
        let a = 1
        let aVeryLongNameThatTheTerminalHasToWrapByItself = 2
        ```

        | a | b |
        |---|--:|
        | one | 1 |
        | two | 22 |

        Heading
        =======

        [A link][x] at the end.
        """

    /// The screen after a text that came in pieces.
    private func screen(_ pieces: [String], columns: Int = 30, rows: Int = 50) -> [String] {
        var markdown = GrowingMarkdown(
            size: TerminalSize(columns: columns, rows: rows), style: TextStyle(isEnabled: false))
        var terminal = FakeTerminal(columns: columns, rows: rows)
        func write(_ text: String) { terminal.write(text.replacing("\n", with: "\r\n")) }
        for piece in pieces { write(markdown.append(piece)) }
        write(markdown.finish())
        #expect(terminal.column == 0)
        var lines = terminal.lines
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    private func cut(_ text: String, every count: Int) -> [String] {
        var (pieces, rest) = ([String](), Substring(text))
        while !rest.isEmpty {
            pieces.append(String(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return pieces
    }

    @Test("However the text is cut, the screen shows the whole in the end.", arguments: [1, 2, 3, 7, 20, 1_000])
    func cuts(count: Int) {
        let whole = screen([Self.text])
        #expect(whole.first == "# A title")
        #expect(whole.contains("# Heading"))
        #expect(whole.contains("one │  1"))
        #expect(whole.contains { $0.hasPrefix("• one") })
        #expect(screen(cut(Self.text, every: count)) == whole)
    }

    @Test("What is on the screen is always drawn anew, and nothing twice, although lines have left it.")
    func scrolling() {
        let text = (1...40).map { "Paragraph \($0) with *some* words." }.joined(separator: "\n\n")
        let whole = screen([text], rows: 200)
        #expect(screen(cut(text, every: 5), rows: 6) == whole)
        let list = (1...40).map { "- item \($0)" }.joined(separator: "\n")
        #expect(screen(cut(list, every: 3), rows: 6) == (1...40).map { "• item \($0)" })
    }

    @Test("A word that grows changes its own line only.")
    func cost() {
        var markdown = GrowingMarkdown(
            size: TerminalSize(columns: 30, rows: 50), style: TextStyle(isEnabled: false))
        _ = markdown.append("# A title\n\n" + String(repeating: "word ", count: 28))
        let output = markdown.append("more")
        #expect(output.count { $0 == "\n" } == 1)
        #expect(output.hasPrefix("\u{1b}[1A"))
        #expect(markdown.append("").isEmpty)
    }

    @Test("Where the terminal has become narrower, the text is drawn once, by the new width.")
    func narrower() {
        var markdown = GrowingMarkdown(
            size: TerminalSize(columns: 30, rows: 50), style: TextStyle(isEnabled: false))
        var terminal = FakeTerminal(columns: 30, rows: 50)
        func write(_ text: String) { terminal.write(text.replacing("\n", with: "\r\n")) }
        let pieces = ["Some words that take more than a line of the terminal", ", and some more."]
        write(markdown.append(pieces[0]))
        terminal.fold(to: 20)
        markdown.fit(into: TerminalSize(columns: 20, rows: 50))
        write(markdown.append(pieces[1]))
        write(markdown.finish())
        var lines = terminal.lines
        while lines.last == "" { lines.removeLast() }
        #expect(lines == screen(pieces, columns: 20))
    }

    @Test("What a shell has written below stays, and what can still change is drawn again behind it.")
    func stopped() {
        var markdown = GrowingMarkdown(
            size: TerminalSize(columns: 30, rows: 50), style: TextStyle(isEnabled: false))
        _ = markdown.append("First.\n\nSecond")
        markdown.forget()
        let output = markdown.append(" one.")
        #expect(output.hasSuffix("Second one.\n") && !output.contains("\u{1b}"), "\(output)")
    }

    @Test("Empty texts draw nothing.")
    func nothing() {
        #expect(screen([]) == [])
        #expect(screen(["", "\n", " "]) == [])
    }
}
