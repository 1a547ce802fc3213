// SPDX-License-Identifier: Apache-2.0

import ParleySpeech
import ParleyWhisper
import Testing

@Suite struct WordAlignmentTests {
    /// Weights of one head that lie on some positions for each token.
    private func weights(_ ranges: [Range<Int>], positions: Int) -> [[Float]] {
        ranges.map { range in (0..<positions).map { range.contains($0) ? 0.2 : 0.001 } }
    }

    @Test("Tokens begin where the attention to them begins")
    func ranges() {
        let head = weights([0..<20, 20..<45, 45..<50, 50..<80], positions: 80)
        let boundaries = WordAlignment.boundaries([head, head], positions: 80, check: {})
        #expect(boundaries == [0, 20, 45, 50, 80])
    }

    @Test("A head that follows nothing changes little")
    func noise() {
        let head = weights([0..<30, 30..<60, 60..<90], positions: 90)
        let flat = weights([0..<90, 0..<90, 0..<90], positions: 90)
        #expect(WordAlignment.boundaries([head, flat], positions: 90, check: {}) == [0, 30, 60, 90])
    }

    @Test("Boundaries ascend, whatever the weights, and nothing gives none")
    func ascending() {
        let head = weights([50..<60, 0..<10, 30..<40, 5..<6], positions: 61)
        let boundaries = WordAlignment.boundaries([head], positions: 61, check: {})
        #expect(boundaries.count == 5 && boundaries == boundaries.sorted() && boundaries.last == 61)
        let (none, empty, single): ([[[Float]]], [[[Float]]], [[[Float]]]) = ([], [[[]]], [[[1, 2]]])
        #expect(WordAlignment.boundaries(none, positions: 10, check: {}).isEmpty)
        #expect(WordAlignment.boundaries(empty, positions: 0, check: {}).isEmpty)
        #expect(WordAlignment.boundaries(single, positions: 2, check: {}) == [0, 2])
    }

    @Test("Cancelling ends the search at the next head")
    func cancelled() {
        let heads = [[[Float]]](repeating: weights([0..<30, 30..<60], positions: 60), count: 9)
        var count = 0
        #expect(throws: CancellationError.self) {
            _ = try WordAlignment.boundaries(heads, positions: 60) {
                count += 1
                if count == 3 { throw CancellationError() }
            }
        }
        #expect(count == 3)
    }

    private func word(_ milliseconds: Range<Int>) -> WordTiming {
        let (begin, end) = (milliseconds.lowerBound, milliseconds.upperBound)
        return WordTiming(word: "a", range: .milliseconds(begin) ..< .milliseconds(end), probability: 1)
    }

    @Test("The pauses before and behind a part belong to none of its words")
    func pauses() {
        let part = Duration.milliseconds(300) ..< .milliseconds(2_000)
        let words = [word(0..<700), word(700..<1_500), word(1_500..<5_000)]
        #expect(
            WordAlignment.trimmed(words, to: part) == [word(300..<700), word(700..<1_500), word(1_500..<2_000)])
        #expect(WordAlignment.trimmed([word(0..<5_000)], to: part) == [word(300..<2_000)])
        #expect(WordAlignment.trimmed([word(400..<900)], to: part) == [word(400..<900)])
        // Where attention and time stamps contradict each other, words keep their own times.
        #expect(WordAlignment.trimmed([word(2_000..<2_400)], to: part) == [word(2_000..<2_400)])
        #expect(WordAlignment.trimmed([word(100..<200)], to: part) == [word(100..<200)])
        #expect(WordAlignment.trimmed([], to: part).isEmpty)
    }
}
