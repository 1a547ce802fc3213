// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
package import ParleyTokenizer

extension EngineBenchmark {
    /// Measures the gain from guessing tokens: generates greedy replies of at most `count` tokens, alternately with and
    /// without guesses. Processing of the prompt does not count.
    ///
    /// - Throws: any error of the engine, and `CancellationError`.
    package func drafting(_ prompt: [TokenID], count: Int, repetitions: Int) async throws -> DraftingResult {
        let timeline = try model.makeTimeline(capacity: prompt.count + count)
        var (plain, drafted): ([Double], [Double]) = ([], [])
        var (tokens, guesses) = (0, (made: 0, right: 0))
        var isSame = true
        for repetition in 0...repetitions {
            let without = try await reply(prompt, on: timeline, count: count, drafts: false)
            let with = try await reply(prompt, on: timeline, count: count, drafts: true)
            isSame = isSame && without.tokens == with.tokens
            guard repetition > 0 else { continue }
            plain.append(without.speed)
            drafted.append(with.speed)
            (tokens, guesses) = (with.tokens.count, with.guesses)
        }
        return DraftingResult(
            plain: Samples(plain), drafted: Samples(drafted), tokens: tokens, guesses: guesses, isSame: isSame)
    }

    private func reply(
        _ prompt: [TokenID], on timeline: any TokenTimeline, count: Int, drafts: Bool
    ) async throws -> (tokens: [TokenID], speed: Double, guesses: (made: Int, right: Int)) {
        var generation = try Generation(
            of: ModelInput(prompt), on: timeline, model: model, sampling: .greedy, stop: .init(maxTokens: count),
            drafts: drafts)
        try await generation.readPrompt()
        var tokens: [TokenID] = []
        let start = now()
        while let token = try await generation.next() { tokens.append(token) }
        let time = start.duration(to: now())
        return (tokens, Double(tokens.count) / (time / .seconds(1)), generation.guesses)
    }
}

/// The result of guessing tokens for one prompt.
package struct DraftingResult: Sendable {
    /// Tokens per second without guesses.
    package var plain: Samples
    /// Tokens per second with guesses.
    package var drafted: Samples
    /// The number of tokens in the reply.
    package var tokens: Int
    /// The number of tokens guessed in a reply, and the number of correct guesses.
    package var guesses: (made: Int, right: Int)
    /// Whether the replies with and without guesses are identical.
    package var isSame: Bool

    /// The speed with guesses divided by that without, for each repetition.
    package var ratio: Samples { Samples(zip(drafted.values, plain.values).map { $0 / $1 }) }
}
