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
}
