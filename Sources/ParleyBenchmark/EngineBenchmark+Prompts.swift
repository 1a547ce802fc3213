// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import ParleyTokenizer

extension EngineBenchmark {
    /// Replies greedily to a prompt of arbitrary tokens.
    ///
    /// - Parameters:
    ///   - prompt: the prompt.
    ///   - count: the tokens of the reply, 2 or more.
    ///   - repetitions: how often it is measured.
    /// - Returns: the time to the first token, and the speed from there on.
    /// - Throws: what the engine throws, and `CancellationError`.
    package func reply(to prompt: BenchmarkPlan.Prompt, count: Int, repetitions: Int) async throws -> PromptResult {
        let timeline = try model.makeTimeline(capacity: prompt.tokens + count)
        let tokens = tokens(at: 0..<prompt.tokens)
        var (firstToken, decode): ([Double], [Double]) = ([], [])
        for repetition in 0...repetitions {
            let (first, rest) = try await reply(to: tokens, on: timeline, count: count)
            guard repetition > 0 else { continue }
            firstToken.append(first / .seconds(1))
            decode.append(Double(count - 1) / (rest / .seconds(1)))
        }
        return PromptResult(
            prompt: prompt.name, promptTokens: prompt.tokens, replyTokens: count, firstToken: Samples(firstToken),
            decode: Samples(decode))
    }

    /// A greedy reply: the time to its first token, and from there to its last.
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

/// A prompt and how fast it was read and answered.
package struct PromptResult: Sendable, Hashable {
    /// The prompt's name.
    package var prompt: String
    /// Its length in tokens.
    package var promptTokens: Int
    /// The tokens of the reply.
    package var replyTokens: Int
    /// Seconds from the first step to the first token, one for each repetition.
    package var firstToken: Samples
    /// Tokens of the reply per second after the first.
    package var decode: Samples

    /// Creates a result.
    package init(prompt: String, promptTokens: Int, replyTokens: Int, firstToken: Samples, decode: Samples) {
        self.prompt = prompt
        self.promptTokens = promptTokens
        self.replyTokens = replyTokens
        self.firstToken = firstToken
        self.decode = decode
    }

    /// Tokens of the prompt per second.
    package var prefill: Double { Double(promptTokens) / firstToken.median }
}
