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
}
