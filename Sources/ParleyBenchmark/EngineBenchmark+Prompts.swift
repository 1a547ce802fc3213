// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTokenizer

extension EngineBenchmark {
    /// Measures greedy replies to a prompt of arbitrary tokens.
    ///
    /// - Parameters:
    ///   - length: the number of tokens in the prompt.
    ///   - count: the number of tokens in the reply, at least 2.
    ///   - repetitions: the number of measurements.
    /// - Returns: the time to the first token, and the speed after it.
    /// - Throws: any error of the engine, and `CancellationError`.
    package func reply(toPromptOf length: Int, count: Int, repetitions: Int) async throws -> PromptResult {
        let timeline = try model.makeTimeline(capacity: length + count)
        let tokens = tokens(at: 0..<length)
        var (firstToken, decode): ([Double], [Double]) = ([], [])
        for repetition in 0...repetitions {
            let (first, rest) = try await reply(to: tokens, on: timeline, count: count)
            guard repetition > 0 else { continue }
            firstToken.append(first / .seconds(1))
            decode.append(Double(count - 1) / (rest / .seconds(1)))
        }
        return PromptResult(
            promptTokens: length, replyTokens: count, firstToken: Samples(firstToken), decode: Samples(decode))
    }

    /// Generates a greedy reply; returns the time to its first token, and from there to its last.
    private func reply(
        to prompt: [TokenID], on timeline: any TokenTimeline, count: Int
    ) async throws -> (first: Duration, rest: Duration) {
        timeline.rewind(to: 0)
        let logits = LogitRows()
        let start = now()
        try await timeline.step(TimelineStep(tokens: prompt), into: logits)
        var token = Sampler.largest(logits[0]) ?? 0
        let first = now()
        for _ in 1..<max(count, 2) {
            try await timeline.step(TimelineStep(tokens: [token]), into: logits)
            token = Sampler.largest(logits[0]) ?? 0
        }
        return (start.duration(to: first), first.duration(to: now()))
    }
}

/// A prompt, with the speed of its prefill and of its reply.
package struct PromptResult: Sendable, Hashable {
    /// The number of tokens in the prompt.
    package var promptTokens: Int
    /// The number of tokens in the reply.
    package var replyTokens: Int
    /// The seconds from the first step to the first token, for each repetition.
    package var firstToken: Samples
    /// The tokens per second of the reply after the first token.
    package var decode: Samples

    /// Creates a result.
    package init(promptTokens: Int, replyTokens: Int, firstToken: Samples, decode: Samples) {
        self.promptTokens = promptTokens
        self.replyTokens = replyTokens
        self.firstToken = firstToken
        self.decode = decode
    }

    /// The prompt tokens per second, by the median time to the first token.
    package var prefill: Double { Double(promptTokens) / firstToken.median }
}
