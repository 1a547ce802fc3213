// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCLI
import ParleyCommandLine
import ParleyJSON
import Testing

@Suite("TextScore")
struct TextScoreTests {
    private func score(_ rows: [[Float]], tokens: [Int32], top: Int = 0) throws -> TextScore {
        var score = TextScore(tokens: tokens)
        for row in rows {
            var row = row
            try row.withUnsafeMutableBufferPointer { try score.append(predictions: $0, topCount: top) }
        }
        return score
    }

    @Test("equal logits give equal probabilities")
    func uniform() throws {
        let score = try score([[2, 2, 2, 2], [0, 0, 0, 0], [1, 1, 1, 1]], tokens: [0, 3, 1])
        #expect(score.logprobs.count == 3)
        #expect(abs(try #require(score.perplexity) - 4) < 1e-9)
    }

    @Test("of equal candidates the smaller id comes first")
    func ties() throws {
        let score = try score([[1, 5, 5, 0], [0, 0, 0, 0]], tokens: [0, 1], top: 3)
        #expect(score.top?.map { $0.map(\.id) } == [[], [1, 2, 0]])
    }

    @Test("one token has no perplexity, and what is not finite becomes null")
    func extremes() throws {
        #expect(try score([[1, 2]], tokens: [0]).json["perplexity"] == .null)
        let impossible = try score([[-.infinity, 0], [0, 0]], tokens: [0, 0])
        #expect(impossible.json["logprobs"] == [.null, .null])
    }

    @Test(
        "invalid logits are an error, and never become part of a score",
        arguments: [
            [.nan, 0], [0, .nan], [.infinity, 0], [-.infinity, -.infinity], [.nan, .infinity], [],
        ] as [[Float]])
    func noLogits(row: [Float]) {
        #expect(throws: CommandError.self) { try score([row], tokens: [0, 1]) }
        #expect(throws: CommandError.self) { try score([row], tokens: [0]) }
    }

    @Test("a token beyond the logits is an error", arguments: [2, -1, .max, .min] as [Int32])
    func strayToken(token: Int32) {
        #expect(throws: CommandError.self) { try score([[0, 0]], tokens: [0, token]) }
    }
}
