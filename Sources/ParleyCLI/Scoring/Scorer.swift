// SPDX-License-Identifier: Apache-2.0

import ParleyCommandLine
package import ParleyRuntime
import ParleyTokenizer

/// Runs a model over a text and records the probability of each token.
package struct Scorer {
    private let model: any TokenModel
    private let context: Int
    private let topCount: Int

    /// Creates a scorer.
    ///
    /// - Parameters:
    ///   - model: the model.
    ///   - context: the maximum length of a text in tokens.
    ///   - topCount: the number of likeliest tokens to record at each position.
    package init(model: any TokenModel, context: Int, topCount: Int) {
        self.model = model
        self.context = context
        self.topCount = topCount
    }

    /// Scores a text, which need not be valid UTF-8. The model's beginning-of-text token comes first where it adds one.
    ///
    /// - Parameters:
    ///   - bytes: the text.
    ///   - write: called with each row of logits, in order.
    /// - Returns: the probabilities of the text's tokens.
    /// - Throws: ``CommandError`` for a text that is empty or too long and for a model that computes no
    ///   probabilities, or what the engine throws.
    package func score(
        _ bytes: [UInt8], write: (UnsafeMutableBufferPointer<Float>) throws -> Void = { _ in }
    ) async throws -> TextScore {
        let tokenizer = model.tokenizer
        let beginning = tokenizer.addsBeginningOfText ? tokenizer.beginningOfText : nil
        let tokens = (beginning.map { [$0] } ?? []) + tokenizer.encode(bytes: bytes)
        guard !tokens.isEmpty else { throw CommandError("The text is empty; there is nothing to score.") }
        guard tokens.count <= context else {
            throw CommandError(
                "The text has \(tokens.count) tokens and the context \(context). Shorten it, or raise --context.")
        }
        let timeline = try model.makeTimeline(capacity: tokens.count)
        let rows = LogitRows()
        var score = TextScore(tokens: tokens)
        var position = 0
        while position < tokens.count {
            let chunk = Array(tokens[position..<min(position + chunkSize, tokens.count)])
            try await timeline.step(TimelineStep(tokens: chunk, positions: .all), into: rows)
            for index in chunk.indices {
                try write(rows[index])
                try score.append(predictions: rows[index], topCount: topCount)
            }
            position += chunk.count
        }
        return score
    }

    /// The number of positions in one step, so that their rows of logits take at most 64 MiB.
    private var chunkSize: Int {
        max(1, min(256, (1 << 24) / max(1, model.info.vocabularySize)))
    }
}
