// SPDX-License-Identifier: Apache-2.0

package import ParleyRuntime
import ParleyTokenizer

/// The prompts that engines are compared on.
package struct EngineComparisonPlan: Sendable, Hashable {
    /// The prompts' names and lengths in tokens.
    package var prompts = [
        Prompt(name: "short", tokens: 32), Prompt(name: "medium", tokens: 512),
        Prompt(name: "very long", tokens: 4_096),
    ]
    /// The tokens of each reply.
    package var replyTokens = 64
    /// How often each prompt is measured, after one time that does not count.
    package var repetitions = 3

    /// A prompt of some length.
    package struct Prompt: Sendable, Hashable {
        /// What the report calls it.
        package var name: String
        /// Its length.
        package var tokens: Int
    }

    /// Creates the usual plan.
    package init() {}

    /// The longest sequence that occurs.
    package var context: Int { (prompts.map(\.tokens).max() ?? 1) + replyTokens }

    /// Leaves out the prompts that are longer than a model was trained for.
    ///
    /// - Returns: the context that the rest needs.
    package mutating func fit(trainedContext: Int) -> Int {
        prompts.removeAll { $0.tokens + replyTokens > trainedContext }
        return max(context, 1)
    }

    /// Measures a loaded model on every prompt, where its replies run.
    ///
    /// - Parameters:
    ///   - model: the model.
    ///   - now: the clock.
    ///   - progress: told which prompt is measured next.
    /// - Returns: one row for each prompt.
    /// - Throws: what the engine throws, and `CancellationError`.
    package func rows(
        of model: any TokenModel, now: @Sendable () -> ContinuousClock.Instant = { .now },
        progress: (String) -> Void = { _ in }
    ) async throws -> [EngineRun.Row] {
        var rows: [EngineRun.Row] = []
        for prompt in prompts {
            progress("\(prompt.name) prompt")
            let timeline = try model.makeTimeline(capacity: prompt.tokens + replyTokens)
            let tokens = EngineBenchmark.prompt(0..<prompt.tokens, vocabulary: model.description.vocabularySize)
            var (firstToken, decode): ([Double], [Double]) = ([], [])
            for repetition in 0...repetitions {
                let (first, rest) = try await withTaskExecutorPreference(model.executor) {
                    try await reply(to: tokens, on: timeline, now)
                }
                guard repetition > 0 else { continue }
                firstToken.append(first / .seconds(1))
                decode.append(Double(replyTokens - 1) / (rest / .seconds(1)))
            }
            rows.append(
                .init(
                    prompt: prompt.name, promptTokens: prompt.tokens, replyTokens: replyTokens,
                    firstToken: Samples(firstToken), decode: Samples(decode)))
        }
        return rows
    }

    /// A greedy reply: the time to its first token, and from there to its last.
    private func reply(
        to prompt: [TokenID], on timeline: any TokenTimeline, _ now: @Sendable () -> ContinuousClock.Instant
    ) async throws -> (first: Duration, rest: Duration) {
        timeline.rewind(to: 0)
        let logits = LogitRows()
        let start = now()
        try await timeline.step(TimelineStep(tokens: prompt), into: logits)
        var token = Sampler.largest(logits[0]) ?? 0
        let first = now()
        for _ in 1..<max(replyTokens, 2) {
            try await timeline.step(TimelineStep(tokens: [token]), into: logits)
            token = Sampler.largest(logits[0]) ?? 0
        }
        return (start.duration(to: first), first.duration(to: now()))
    }
}
