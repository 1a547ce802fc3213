// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import Testing

@Suite("EditorLayout")
struct EditorLayoutTests {
    private func layout(_ before: String, _ after: String = "", columns: Int = 10) -> EditorLayout {
        EditorLayout(prompt: "> ", before: before, after: after, columns: columns)
    }

    @Test("a short text takes one row")
    func shortText() {
        let layout = layout("ab", "cd")
        #expect(layout.rows == ["> abcd"])
        #expect(layout.cursorRow == 0)
        #expect(layout.cursorColumn == 4)
    }

    @Test("a long text is cut at the last column and indented")
    func longText() {
        let layout = layout("abcdefghijkl", "mn")
        #expect(layout.rows == ["> abcdefgh", "  ijklmn"])
        #expect(layout.cursorRow == 1)
        #expect(layout.cursorColumn == 6)
    }

    @Test("after a full row the cursor is at the start of the next one")
    func fullRow() {
        let layout = layout("abcdefgh")
        #expect(layout.rows == ["> abcdefgh", "  "])
        #expect(layout.cursorRow == 1)
        #expect(layout.cursorColumn == 2)
    }

    @Test("a wide character is not split between rows")
    func wideCharacters() {
        let layout = layout("日本語学校")
        #expect(layout.rows == ["> 日本語学", "  校"])
        #expect(layout.widths == [10, 4])
        let odd = EditorLayout(prompt: "> ", before: "a日本語学", after: "", columns: 10)
        #expect(odd.rows == ["> a日本語", "  学"])
        #expect(odd.widths == [9, 4])
    }

    @Test("line feeds begin rows of their own")
    func lineFeeds() {
        let layout = layout("one\n", "\nthree")
        #expect(layout.rows == ["> one", "  ", "  three"])
        #expect(layout.cursorRow == 1)
    }

    @Test("any terminal width works", arguments: [-1, 0, 1, 4, 5])
    func narrow(columns: Int) {
        let layout = EditorLayout(prompt: "> ", before: "日本語 and more", after: "!", columns: columns)
        #expect(layout.widths.allSatisfy { $0 <= max(columns, 4) })
        #expect(layout.rows.joined().filter { $0 != " " } == ">日本語andmore!")
    }
}
