// SPDX-License-Identifier: Apache-2.0

import ParleyWhisper
import Testing

@Suite struct WindowTextTests {
    private let special = WhisperTokens(vocabularySize: 51_865)

    private func parts(_ tokens: [Int32], seconds: Int = 30, hasEnded: Bool = true) -> WindowText {
        WindowText(tokens, special: special, duration: .seconds(seconds), hasEnded: hasEnded)
    }

    private func time(_ seconds: Double) -> Int32 { special.firstTimestamp + Int32(seconds * 50) }

    @Test("Text between time stamps is a part")
    func pairs() {
        let text = parts([time(0), 1, 2, time(4), time(4), 3, time(9.5)])
        #expect(text.parts.map(\.tokens) == [[1, 2], [3]])
        #expect(text.parts.map(\.range) == [.zero ..< .seconds(4), .seconds(4) ..< .milliseconds(9_500)])
    }

    @Test("A sentence that goes on behind a full window is left to the next")
    func unfinished() {
        let text = parts([time(0), 1, 2, time(24), time(24), 3, 4])
        #expect(text.parts.map(\.tokens) == [[1, 2]])
        #expect(text.consumed == .seconds(24))
        // A recogniser that gets on by less than a second is not asked again.
        let long = parts([time(0), 1, time(0.5), time(0.5), 2, 3])
        #expect(long.parts.map(\.tokens) == [[1], [2, 3]] && long.consumed == .seconds(30))
    }

    @Test("A sentence in which a text is as long as it may be is left to the next window, also of short sound")
    func cutOff() {
        let tokens = [time(0), 1, 2, time(14), time(14), 3, 4]
        let text = parts(tokens, seconds: 20, hasEnded: false)
        #expect(text.parts.map(\.tokens) == [[1, 2]] && text.consumed == .seconds(14))
        #expect(parts(tokens, seconds: 20).consumed == .seconds(20))
        #expect(parts([time(0), 1, 2], seconds: 20, hasEnded: false).parts.map(\.tokens) == [[1, 2]])
    }

    @Test("A sentence of which a full window has the time alone is left to the next")
    func begun() {
        for end in [[], [special.endOfText]] {
            let text = parts([time(0), 1, 2, time(22), time(22)] + end)
            #expect(text.parts.map(\.tokens) == [[1, 2]] && text.consumed == .seconds(22))
        }
        // One time near the end says that nothing follows, and one far from it that the model stopped early.
        #expect(parts([time(0), 1, 2, time(28.5)]).consumed == .seconds(30))
        #expect(parts([time(0), 1, 2, time(22)]).consumed == .seconds(22))
        #expect(parts([time(0), 1, time(12), time(12)], seconds: 25).consumed == .seconds(12))
        #expect(parts([time(0), 1, time(2), time(2), 3, time(4)], seconds: 5).consumed == .seconds(5))
        #expect(parts([time(0), time(0)]).parts.isEmpty)
    }

    @Test("Where the sound ends, an unfinished sentence ends with it; and so does one that fills the window")
    func lastSentence() {
        let short = parts([time(0), 1, time(2), time(2), 3, 4], seconds: 5)
        #expect(short.parts.last?.range == .seconds(2) ..< .seconds(5) && short.consumed == .seconds(5))
        #expect(parts([time(0), 1, 2]).parts.map(\.tokens) == [[1, 2]])
        #expect(parts([1, 2]).consumed == .seconds(30))
    }

    @Test("Times beyond the sound are its end, and nothing gives nothing")
    func bounds() {
        #expect(parts([time(0), 1, time(29)], seconds: 3).parts.first?.range == .zero ..< .seconds(3))
        #expect(parts([]).parts.isEmpty)
    }
}
