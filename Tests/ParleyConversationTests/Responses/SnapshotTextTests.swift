// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import Testing

@Suite("Snapshots of a growing text")
struct SnapshotTextTests {
    private func pieces(_ snapshots: [String], stops: [String] = []) -> [String] {
        var text = SnapshotText(stops: stops)
        return snapshots.enumerated().map { text.take($0.element, isLast: $0.offset == snapshots.count - 1) }
    }

    @Test("each snapshot adds what is new in it, also within a character")
    func growing() {
        #expect(pieces(["Caf", "Cafe", "Cafe\u{301}", "Cafe\u{301}s"]) == ["Caf", "e", "\u{301}", "s"])
    }

    @Test("the text ends at the first stop string, which is not part of it")
    func stops() {
        #expect(
            pieces(["One", "One.\nTwo", "One.\nTwo.\n\nThree", "more"], stops: ["\n\n"]) == ["One", ".\nTwo", ".", ""])
        #expect(pieces(["a END b STOP"], stops: ["STOP", "END"]) == ["a "])
    }

    @Test("the beginning of a stop string is held back, and written if the text goes on otherwise or ends")
    func heldBack() {
        #expect(pieces(["a EN", "a ENT", "a ENT E"], stops: ["END"]) == ["a ", "ENT", " E"])
        #expect(pieces(["a EN", "a END"], stops: ["END"]) == ["a ", ""])
    }

    @Test("a snapshot that takes back what was written adds nothing")
    func rewritten() {
        #expect(pieces(["Hello", "Help", "Hello you"]) == ["Hello", "", " you"])
    }
}
