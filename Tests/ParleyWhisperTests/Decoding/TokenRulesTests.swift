// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyWhisper
import Testing

@Suite struct TokenRulesTests {
    private let tokens = WhisperTokens(vocabularySize: 51_865)

    /// The tokens that may follow a text, if all are equally likely but for some.
    private func allowed(
        after text: [Int32], hasTimestamps: Bool = true, likely: [Int32: Float] = [:]
    ) -> Set<Int32> {
        let rules = TokenRules(
            tokens: tokens, vocabularySize: 51_865, suppressed: [10, 11], blanks: [220, tokens.endOfText],
            hasTimestamps: hasTimestamps)
        var logits = [Float](repeating: -20, count: 51_865)
        // A text token is likelier than all time stamps together unless a test says otherwise.
        logits[100] = 0
        for (token, logit) in likely { logits[Int(token)] = logit }
        logits.withUnsafeMutableBufferPointer { logits in
            rules.apply(to: logits, after: text) { values, highest in
                highest + log(values.reduce(0) { $0 + exp($1 - highest) })
            }
        }
        return Set(logits.indices.filter { logits[$0] > -.infinity }.map(Int32.init))
    }

    private func time(_ index: Int32) -> Int32 { tokens.firstTimestamp + index }

    @Test("The numbers of control tokens are Whisper's")
    func numbers() {
        #expect(tokens.endOfText == 50_257 && tokens.start == 50_258 && tokens.translate == 50_358)
        #expect(tokens.transcribe == 50_359 && tokens.noSpeech == 50_362 && tokens.noTimestamps == 50_363)
        #expect(tokens.firstTimestamp == 50_364 && tokens.token(of: "de") == 50_261 && tokens.languages.count == 99)
        let english = WhisperTokens(vocabularySize: 51_864)
        #expect(english.endOfText == 50_256 && english.noTimestamps == 50_362 && english.languages == ["en"])
        let large = WhisperTokens(vocabularySize: 51_866)
        #expect(large.transcribe == 50_360 && large.firstTimestamp == 50_365 && large.languages.last == "yue")
    }

    @Test("A text begins with a time stamp of the first second")
    func beginning() {
        #expect(allowed(after: []) == Set((0...50).map(time)))
    }

    @Test("Without time stamps a text begins with no blank, and has no suppressed token")
    func withoutTimestamps() {
        let first = allowed(after: [], hasTimestamps: false)
        #expect(first.isDisjoint(with: [10, 11, 220, tokens.endOfText, tokens.noTimestamps, time(0), time(1_500)]))
        #expect(first.contains(100))
        #expect(allowed(after: [100], hasTimestamps: false).contains(tokens.endOfText))
    }

    @Test("After the time stamp of a beginning there is text, after that of an end its twin, a later one or the end")
    func pairs() {
        #expect(allowed(after: [time(3)]).isDisjoint(with: (0...1_500).map(time)))
        let end = allowed(after: [time(3), 100, time(40)], likely: [tokens.endOfText: 0])
        #expect(end.isDisjoint(with: Set(0..<tokens.endOfText)))
        #expect(end.contains(time(40)) && end.contains(tokens.endOfText) && !end.contains(time(39)))
        #expect(allowed(after: [time(3), 100, time(40), time(40)]).isDisjoint(with: (0...1_500).map(time)))
    }

    @Test("Time stamps ascend, and no segment is empty")
    func ascending() {
        let next = allowed(after: [time(3), 100])
        #expect(next.contains(100) && next.contains(time(4)) && !next.contains(time(3)))
    }

    @Test("A time stamp comes where all of them together are likelier than any token of text")
    func likelyTimes() {
        let likely = Dictionary(uniqueKeysWithValues: (10...30).map { (time($0), Float(-1)) })
        #expect(allowed(after: [time(3), 100], likely: likely).isDisjoint(with: Set(0...tokens.endOfText)))
        #expect(allowed(after: [time(3), 100]).contains(100))
    }
}
