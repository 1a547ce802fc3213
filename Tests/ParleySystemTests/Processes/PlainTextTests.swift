// SPDX-License-Identifier: Apache-2.0

import ParleySystem
import Testing

@Suite("PlainText")
struct PlainTextTests {
    @Test("line ends become line feeds")
    func lineEnds() {
        #expect(PlainText.clean("a\r\nb\rc\nd\n\ne") == "a\nb\nc\nd\n\ne")
    }

    @Test("control characters are removed, everything else is kept")
    func controls() {
        #expect(PlainText.clean("\u{1b}[31mred\u{7}\tü🙂\u{9b}2J\u{0}") == "[31mred\tü🙂2J")
    }

    @Test("what turns the direction of writing is removed, and separators of lines are line ends")
    func directions() {
        #expect(PlainText.clean("a\u{202E}b\u{202C}\u{2066}c\u{2069}\u{2028}d\u{2029}e") == "abc\nd\ne")
        #expect(PlainText.line("\u{2067}a\u{2028}b\u{202E}c\u{2069}") == "a bc")
    }

    @Test(
        "marks that belong to a text stay: joiners, combining marks, marks of a direction, special spaces",
        arguments: [
            "👩‍👩‍👧 🏳️‍🌈", "می\u{200C}خواهم", "e\u{301}", "שלום\u{200F}!", "10\u{A0}€", "山田\u{3000}太郎",
            "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", "สวัสดี\u{200B}ครับ", "ខ្ញុំ\u{200B}ទៅ",
        ])
    func marks(_ text: String) {
        #expect(PlainText.clean(text).unicodeScalars.elementsEqual(text.unicodeScalars))
        #expect(PlainText.line(text, upTo: 20).unicodeScalars.elementsEqual(text.unicodeScalars))
    }

    @Test(
        "what nobody sees is removed: tag characters without a flag, selectors without a character, what parts words",
        arguments: [
            ("a\u{E0041}\u{E0042}\u{E007F}b", "ab"), ("\u{E0001}\u{E0020}", ""), ("a\u{200B}b\u{2060}c\u{FEFF}", "abc"),
            ("in\u{AD}stall\u{2063}\u{206A}\u{FFF9}", "install"), ("🏴\u{200B}x\u{E0041}", "🏴x"),
            ("🏴 \u{E0067}", "🏴 "), ("🏴\n\u{E0067}", "🏴\n"),
            ("😀\u{FE0F}\u{FE01}\u{FE02}\u{E0101}\u{E01EF}", "😀\u{FE0F}"), ("a\u{E0100}\u{E0101}", "a"),
            ("葛\u{E0100}\u{E0101}飾", "葛\u{E0100}飾"), ("\u{E0080}\u{E0FFF}", ""),
        ])
    func hidden(text: String, seen: String) {
        let clean = PlainText.clean(text)
        #expect(clean.unicodeScalars.elementsEqual(seen.unicodeScalars))
        #expect(PlainText.clean(clean).unicodeScalars.elementsEqual(clean.unicodeScalars))
        let line = PlainText.line(text)
        #expect(line.unicodeScalars.elementsEqual(PlainText.line(seen).unicodeScalars))
        #expect(PlainText.line(line).unicodeScalars.elementsEqual(line.unicodeScalars))
    }

    @Test("after a flag no more tag characters remain than a region has")
    func longFlag() {
        let text = "🏴" + String(repeating: "\u{E0061}", count: 100) + "x"
        #expect(PlainText.clean(text).unicodeScalars.count == 9)
    }

    @Test("a line has no white space at its ends and one space between words")
    func line() {
        #expect(PlainText.line(" \n a\t\r\nb \u{1b}[1m\u{0} c\u{85}") == "a b [1m c")
        #expect(PlainText.line(" \n") == "")
    }

    @Test("a line is cut at its limit, and a character of any length is")
    func limits() {
        #expect(PlainText.line("abcdef", upTo: 6) == "abcdef" && PlainText.line("abcdefg", upTo: 6) == "abcde…")
        let long = PlainText.line("e" + String(repeating: "\u{301}", count: 100_000), upTo: 10)
        #expect(long.count == 1 && long.unicodeScalars.count == 160)
    }
}
