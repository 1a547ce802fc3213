// SPDX-License-Identifier: Apache-2.0

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
        let boundaries = WordAlignment.boundaries([head, head], positions: 80)
        #expect(boundaries == [0, 20, 45, 50, 80])
    }

    @Test("A head that follows nothing changes little")
    func noise() {
        let head = weights([0..<30, 30..<60, 60..<90], positions: 90)
        let flat = weights([0..<90, 0..<90, 0..<90], positions: 90)
        #expect(WordAlignment.boundaries([head, flat], positions: 90) == [0, 30, 60, 90])
    }

    @Test("Boundaries ascend, whatever the weights, and nothing gives none")
    func ascending() {
        let head = weights([50..<60, 0..<10, 30..<40, 5..<6], positions: 61)
        let boundaries = WordAlignment.boundaries([head], positions: 61)
        #expect(boundaries.count == 5 && boundaries == boundaries.sorted() && boundaries.last == 61)
        #expect(WordAlignment.boundaries([], positions: 10).isEmpty)
        #expect(WordAlignment.boundaries([[[]]], positions: 0).isEmpty)
        #expect(WordAlignment.boundaries([[[1, 2]]], positions: 2) == [0, 2])
    }
}
