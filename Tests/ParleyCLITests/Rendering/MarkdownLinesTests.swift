// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import ParleyMarkdown
import Testing

@Suite("Markdown in lines")
struct MarkdownLinesTests {
    private func lines(_ text: String, columns: Int = 40, isStyled: Bool = false) -> [String] {
        MarkdownLines(columns: columns, style: TextStyle(isEnabled: isStyled)).lines(
            of: MarkdownReader.blocks(of: text)
        ).map(FakeTerminal.trimmed)
    }

    @Test("Without colours the signs remain that show what is what.")
    func structure() {
        #expect(lines("# Title\n\nText.") == ["# Title", "", "Text."])
        #expect(lines("- one\n- two\n  1. three") == ["• one", "• two", "  1. three"])
        #expect(lines("- [x] done\n- [ ] open") == ["• [x] done", "• [ ] open"])
        #expect(lines("9. a\n10. b") == [" 9. a", "10. b"])
        #expect(lines("> said\n> so") == ["│ said so"])
        #expect(lines("```swift\nlet a = 1\n\n  b\n```") == ["```swift", "let a = 1", "", "  b", "```"])
        #expect(lines("a\n\n---\n\nb", columns: 10) == ["a", "", "──────────", "", "b"])
        #expect(lines("Use `a` and *b* and **c**.") == ["Use `a` and b and c."])
        #expect(lines("a<br>b") == ["a<br>b"])
    }

    @Test("Formulas stay as they were written, and displayed ones are not wrapped.")
    func formulas() {
        #expect(lines(#"So \(a_1*b_1*c\) is."#) == ["So $a_1*b_1*c$ is."])
        #expect(
            lines("so\n\\[\na_1 = b_1 + c_1 + d_1\n\\]", columns: 10) == [
                "so", "", "$$", "a_1 = b_1 + c_1 + d_1", "$$",
            ])
    }

    @Test("Links say where they lead, unless their text does.")
    func links() {
        #expect(lines("[here](https://example.org/a)") == ["here (https://example.org/a)"])
        #expect(lines("<https://example.org>") == ["https://example.org"])
        #expect(lines("![a map](https://example.org/m.png)", columns: 60) == ["[a map] (https://example.org/m.png)"])
    }

    @Test("Text is wrapped between words, below the sign of its item, and code is not.")
    func wrapping() {
        #expect(lines("one two three four", columns: 9) == ["one two", "three", "four"])
        #expect(lines("- one two three", columns: 9) == ["• one two", "  three"])
        #expect(lines("> one two three", columns: 9) == ["│ one two", "│ three"])
        #expect(lines("abcdefghijkl", columns: 8) == ["abcdefgh", "ijkl"])
        #expect(lines("日本語のテキスト", columns: 8) == ["日本語の", "テキスト"])
        #expect(lines("    let veryLongName = 1", columns: 8).contains("let veryLongName = 1"))
        #expect(lines("**one two** three", columns: 8, isStyled: true).count == 2)
    }

    @Test("A table has its columns below each other, as they are aligned, and gives way where it is too wide.")
    func tables() {
        let table = "| a | number |\n|---|--:|\n| x | 1 |\n| yy | 22 |"
        #expect(lines(table) == ["a  │ number", "───┼───────", "x  │      1", "yy │     22"])
        let wide = lines("| word | what it means |\n|---|---|\n| a | one two three four five |", columns: 20)
        #expect(wide.allSatisfy { DisplayWidth.of($0) <= 20 })
        #expect(wide.joined(separator: " ").contains("five"))
        #expect(lines("| a | b |\n|:-:|---|\n| long word | c |")[2] == "long word │ c")
    }

    @Test("Styles are put around words and end with them; control characters of the text are removed.")
    func styles() {
        #expect(lines("**b**", isStyled: true) == ["\u{1b}[1mb\u{1b}[0m"])
        #expect(lines("*i* ~~s~~", isStyled: true) == ["\u{1b}[3mi\u{1b}[0m \u{1b}[9ms\u{1b}[0m"])
        #expect(lines("a\u{1b}[2Jb") == ["a[2Jb"])
        #expect(lines("`\u{1b}]0;x\u{7}`").joined().unicodeScalars.allSatisfy { $0.value >= 0x20 })
    }
}
