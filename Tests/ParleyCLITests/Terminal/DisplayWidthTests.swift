// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import Testing

@Suite("DisplayWidth")
struct DisplayWidthTests {
    @Test(
        "text takes as many columns as a terminal gives it",
        arguments: [
            ("", 0), ("parley", 6), ("é", 1), ("e\u{301}", 1), ("日本語", 6), ("한국", 4), ("ｆｕｌｌ", 8), ("ｶﾅ", 2),
            ("🙂", 2), ("👍🏽", 2), ("👨‍👩‍👧", 2), ("🇩🇪", 2), ("❤️", 2), ("❤", 1), ("العربية", 7), ("हिन्दी", 5), ("\u{200b}", 0),
            ("、。", 4), ("—", 1),
        ])
    func widths(text: String, width: Int) {
        #expect(DisplayWidth.of(text) == width)
    }

    @Test(
        "the beginning of a text has whole characters, also where there is no room",
        arguments: [
            ("parley", 6, "parley"), ("parley", 3, "par"), ("日本語", 5, "日本"), ("a👨‍👩‍👧b", 3, "a👨‍👩‍👧"), ("parley", 0, ""),
            ("parley", -1, ""), ("日", 1, ""),
        ])
    func beginnings(text: String, columns: Int, beginning: String) {
        #expect(DisplayWidth.beginning(of: text, columns: columns) == beginning)
    }

    @Test(
        "the end of a text has whole characters, also where there is no room",
        arguments: [
            ("parley", 6, "parley"), ("parley", 3, "ley"), ("日本語", 5, "本語"), ("b👨‍👩‍👧a", 3, "👨‍👩‍👧a"), ("parley", 0, ""),
            ("parley", -1, ""), ("日", 1, ""),
        ])
    func ends(text: String, columns: Int, end: String) {
        #expect(DisplayWidth.end(of: text, columns: columns) == end)
    }
}
