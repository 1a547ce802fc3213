// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
package import ParleyTokenizer

/// What `parley bench` measures.
package struct BenchmarkPlan: Sendable {
    /// The tokens of a prefill; 0 leaves it out.
    package var promptTokens = 512
    /// The tokens of a decode; 0 leaves it out.
    package var replyTokens = 128
    /// How many tokens a sequence holds already when decoding begins.
    package var depths = [0]
    /// The numbers of sequences that decode together, from the first of the depths.
    package var sequences: [Int] = []
    /// The tokens of a prompt that is read beside a growing reply; 0 leaves it out.
    package var joining = 0
    /// Prompts, by name, whose replies are drawn with and without guesses.
    package var prompts: [(name: String, tokens: [TokenID])] = []
    /// How often each is measured, after one time that does not count.
    package var repetitions = 5

    /// Creates the usual plan.
    package init() {}

    /// The longest sequence that occurs.
    package var context: Int {
        let decoding = replyTokens > 0 ? (depths.max() ?? 0) + replyTokens : 0
        let beside = joining > 0 ? max(joining, JoiningBenchmark.longestReply) : 0
        return max(promptTokens, decoding, beside, 1)
    }

    /// Runs the plan on a loaded model, where its replies run.
    ///
    /// - Parameters:
    ///   - benchmark: measures the model.
    ///   - progress: told what is measured next.
    /// - Returns: what was measured; what the plan leaves out is empty.
    /// - Throws: what the engine throws, and `CancellationError`.
    package func run(
        on benchmark: EngineBenchmark, progress: (String) -> Void = { _ in }
    ) async throws -> BenchmarkResults {
        try await withTaskExecutorPreference(benchmark.model.executor) {
            try await measure(benchmark, progress)
        }
    }

    private func measure(_ benchmark: EngineBenchmark, _ progress: (String) -> Void) async throws -> BenchmarkResults {
        var results = BenchmarkResults()
        if promptTokens > 0 {
            progress("prefill of \(promptTokens) tokens")
            results.prefill = try await benchmark.prefill(promptTokens, repetitions: repetitions)
        }
        guard replyTokens > 0 else { return results }
        for depth in depths {
            progress("decode at depth \(depth)")
            let speed = try await benchmark.decode(replyTokens, depth: depth, repetitions: repetitions)
            results.decode.append((depth, speed))
        }
        for count in sequences {
            progress("\(count) sequences together")
            let speed = try await benchmark.decode(
                replyTokens, depth: depths.first ?? 0, sequences: count, repetitions: repetitions)
            results.batch.append((count, speed))
        }
        if joining > 0 {
            progress("a prompt of \(joining) tokens beside a reply")
            results.joining = try await JoiningBenchmark(model: benchmark.model)
                .measure(joining, repetitions: repetitions)
        }
        for (name, tokens) in prompts {
            progress("reply to \(name)")
            let drafting = DraftingBenchmark(model: benchmark.model)
            let result = try await drafting.measure(tokens, count: replyTokens, repetitions: repetitions)
            results.drafting.append((name, result))
        }
        return results
    }
}

/// What was measured, in tokens per second.
package struct BenchmarkResults: Sendable {
    /// The prefill.
    package var prefill: Samples?
    /// The decode of one sequence at each depth.
    package var decode: [(depth: Int, speed: Samples)] = []
    /// The sum over sequences that decode together.
    package var batch: [(sequences: Int, speed: Samples)] = []

    /// Replies with and without guesses.
    package var drafting: [(name: String, result: DraftingResult)] = []

    /// A prompt beside a reply.
    package var joining: JoiningResult?

    /// Creates empty results.
    package init() {}
}
