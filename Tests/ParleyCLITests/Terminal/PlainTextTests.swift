// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import Testing

@Suite("PlainText")
struct PlainTextTests {
    @Test("line ends become line feeds")
    func lineEnds() {
        #expect(PlainText.clean("a\r\nb\rc\nd\n\ne") == "a\nb\nc\nd\n\ne")
    }

    @Test("of what a terminal would obey only the program's own styles stay")
    func styles() {
        let style = TextStyle(isEnabled: true)
        let own = [style.dim("a"), style.bold("b"), style.accent("c"), style.red("d")].joined(separator: "\n")
        #expect(PlainText.keepingStyles(own) == own)
        #expect(
            PlainText.keepingStyles("\u{1b}]52;c;aGk=\u{7}x\u{1b}[2J\u{1b}[8mhidden\u{9b}2J")
                == "]52;c;aGk=x[2J[8mhidden2J")
        #expect(PlainText.keepingStyles("a\r\nb\rc\u{8}") == "a\r\nbc")
    }

    @Test("control characters are removed, everything else is kept")
    func controls() {
        #expect(PlainText.clean("\u{1b}[31mred\u{7}\tü🙂\u{9b}2J\u{0}") == "[31mred\tü🙂2J")
    }
}
