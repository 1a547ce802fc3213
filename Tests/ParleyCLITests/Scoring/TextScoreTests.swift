// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCLI
import ParleyJSON
import Testing

@Suite("TextScore")
struct TextScoreTests {
    private func score(_ rows: [[Float]], tokens: [Int32], top: Int = 0) -> TextScore {
        var score = TextScore(tokens: tokens)
        for row in rows {
            var row = row
            row.withUnsafeMutableBufferPointer { score.append(predictions: $0, topCount: top) }
        }
        return score
    }

    @Test("equal logits give equal probabilities")
    func uniform() throws {
        let score = score([[2, 2, 2, 2], [0, 0, 0, 0], [1, 1, 1, 1]], tokens: [0, 3, 1])
        #expect(score.logprobs.count == 3)
        #expect(abs(try #require(score.perplexity) - 4) < 1e-9)
    }

    @Test("of equal candidates the smaller id comes first")
    func ties() {
        let score = score([[1, 5, 5, 0], [0, 0, 0, 0]], tokens: [0, 1], top: 3)
        #expect(score.top?.map { $0.map(\.id) } == [[], [1, 2, 0]])
    }

    @Test("one token has no perplexity, and what is not finite becomes null")
    func extremes() {
        #expect(score([[1, 2]], tokens: [0]).json["perplexity"] == .null)
        let impossible = score([[-.infinity, 0], [0, 0]], tokens: [0, 0])
        #expect(impossible.json["logprobs"] == [.null, .null])
    }
}
