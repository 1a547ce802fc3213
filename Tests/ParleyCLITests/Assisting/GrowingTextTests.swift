// SPDX-License-Identifier: Apache-2.0

import ParleyCLI
import Testing

@Suite("A text that grows")
struct GrowingTextTests {
    @Test("White space before a hidden block is not shown, so that the finished reply is not shown twice")
    func heldBackSpace() {
        var text = GrowingText()
        #expect(text.added(by: "Of ") == "Of")
        #expect(text.added(by: "Of course. ") == " course.")
        #expect(text.added(by: "Of course.") == "")
        #expect(text.added(by: "Of course.\n\nDone") == "\n\nDone")
    }

    @Test("A reply that begins anew is recognised, also after what was shown before")
    func anew() {
        var text = GrowingText("Let me look. ")
        #expect(text.added(by: "Let me look. There") == " There")
        #expect(text.added(by: "It is sunny.") == nil)
    }
}
