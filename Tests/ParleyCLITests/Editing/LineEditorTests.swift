// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import Testing

@Suite("LineEditor")
struct LineEditorTests {
    private func type(_ text: String, into editor: inout LineEditor) {
        for scalar in text.unicodeScalars { _ = editor.handle(.text(scalar)) }
    }

    private func edited(_ text: String, _ keys: [Key]) -> String {
        var editor = LineEditor()
        type(text, into: &editor)
        for key in keys { _ = editor.handle(key) }
        return editor.before + "|" + editor.after
    }

    @Test(
        "keys move and delete",
        arguments: [
            ("abc", [Key.left], "ab|c"), ("abc", [.home], "|abc"), ("abc", [.home, .right], "a|bc"),
            ("abc", [.home, .end], "abc|"), ("abc", [.home, .left], "|abc"), ("abc", [.right], "abc|"),
            ("abc", [.backspace], "ab|"), ("abc", [.home, .backspace], "|abc"), ("abc", [.home, .delete], "|bc"),
            ("abc", [.left, .endOfInput], "ab|"), ("one two", [.wordLeft], "one |two"),
            ("one, two", [.wordLeft, .wordLeft], "|one, two"), ("one two", [.home, .wordRight], "one| two"),
            ("one two", [.deleteWordLeft], "one |"), ("one two", [.home, .deleteWordRight], "| two"),
            ("one two", [.wordLeft, .deleteToEnd], "one |"), ("one two", [.wordLeft, .deleteToStart], "|two"),
            ("one two", [.deleteWordLeft, .home, .yank], "two|one "), ("", [.backspace, .delete, .wordLeft], "|"),
            ("ab", [.left, .text("x")], "ax|b"), ("a", [.tab], "a    |"), ("a", [.newline], "a\n|"),
        ] as [(String, [Key], String)])
    func editing(text: String, keys: [Key], expected: String) {
        #expect(edited(text, keys) == expected)
    }

    @Test(
        "a character is one step however many scalars make it",
        arguments: ["e\u{301}", "日", "👨‍👩‍👧", "🇩🇪", "👍🏽", "❤️"])
    func graphemes(character: String) {
        #expect(edited("a" + character + "b", [.left, .left]) == "a|" + character + "b")
        #expect(edited("a" + character, [.backspace]) == "a|")
    }

    @Test("a combining mark joins the character before the cursor")
    func combiningMark() {
        #expect(edited("eb", [.left, .text("\u{301}"), .left]) == "|e\u{301}b")
    }

    @Test("enter submits and empties the editor")
    func submitting() {
        var editor = LineEditor()
        type("hello", into: &editor)
        #expect(editor.handle(.enter) == .submit("hello"))
        #expect(editor.text.isEmpty)
        #expect(editor.handle(.up) == .redraw)
        #expect(editor.text == "hello")
    }

    @Test("a paste of several lines does not submit")
    func paste() {
        var editor = LineEditor()
        #expect(editor.handle(.paste("one\ntwo")) == .redraw)
        #expect(editor.handle(.enter) == .submit("one\ntwo"))
    }

    @Test("the history leaves out repetitions and blank messages")
    func historyWithoutNoise() {
        var editor = LineEditor()
        for line in ["a", "a", "", "  ", "b"] {
            type(line, into: &editor)
            _ = editor.handle(.enter)
        }
        var seen: [String] = []
        while editor.handle(.up) != .none { seen.append(editor.text) }
        #expect(seen == ["b", "a"])
    }

    @Test("up and down move through the history and back to the unfinished message")
    func walkingHistory() {
        var editor = LineEditor()
        for line in ["first", "second"] {
            type(line, into: &editor)
            _ = editor.handle(.enter)
        }
        type("draft", into: &editor)
        var seen: [String] = []
        for key in [Key.up, .up, .up, .down, .down, .down] {
            _ = editor.handle(key)
            seen.append(editor.text)
        }
        #expect(seen == ["second", "first", "first", "second", "draft", "draft"])
    }

    @Test("up and down move between the lines of a message before they walk the history")
    func movingBetweenLines() {
        #expect(edited("long line\nab", [.up]) == "lo|ng line\nab")
        #expect(edited("ab\nlong line", [.up]) == "ab|\nlong line")
        #expect(edited("ab\nlong line", [.up, .down]) == "ab\nlo|ng line")
        #expect(edited("one\ntwo", [.home]) == "one\n|two")
        #expect(edited("one\ntwo", [.up, .deleteToEnd]) == "one|\ntwo")
    }

    @Test("the first Ctrl-C discards the text, the second one quits")
    func interrupting() {
        var editor = LineEditor()
        type("text", into: &editor)
        #expect(editor.handle(.interrupt) == .cancelled)
        #expect(editor.text.isEmpty)
        #expect(editor.handle(.interrupt) == .interrupt)
    }

    @Test("another key between two Ctrl-C makes the second one count as the first")
    func interruptedInterrupt() {
        var editor = LineEditor()
        #expect(editor.handle(.interrupt) == .cancelled)
        _ = editor.handle(.text("a"))
        #expect(editor.handle(.interrupt) == .cancelled)
    }

    @Test("where one Ctrl-C is enough, it quits at once")
    func armedInterrupt() {
        var editor = LineEditor()
        editor.isInterruptArmed = true
        #expect(editor.handle(.interrupt) == .interrupt)
    }

    @Test("Ctrl-D ends the input on an empty line only")
    func endOfInput() {
        var editor = LineEditor()
        #expect(editor.handle(.endOfInput) == .endOfInput)
        type("a", into: &editor)
        #expect(editor.handle(.endOfInput) == .redraw)
    }
}
