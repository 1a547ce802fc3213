// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import ParleySystem
import Testing

@Suite("PlainText with styles")
struct PlainTextStylesTests {
    @Test("of what a terminal would obey only the program's own styles stay")
    func styles() {
        let style = TextStyle(isEnabled: true)
        let own = [style.dim("a"), style.bold("b"), style.accent("c"), style.red("d")].joined(separator: "\n")
        #expect(PlainText.keepingStyles(own) == own)
        #expect(
            PlainText.keepingStyles("\u{1b}]52;c;aGk=\u{7}x\u{1b}[2J\u{1b}[8mhidden\u{9b}2J")
                == "]52;c;aGk=x[2J[8mhidden2J")
        #expect(PlainText.keepingStyles("a\r\nb\rc\u{8}") == "a\r\nbc")
        #expect(PlainText.keepingStyles("a\u{202E}b\u{2028}c") == "ab\nc")
    }
}
