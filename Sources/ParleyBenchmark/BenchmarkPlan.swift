// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
package import ParleyTokenizer

/// The measurements to make of a model.
package struct BenchmarkPlan: Sendable {
    /// The number of tokens of the prefill measurement; 0 to skip it.
    package var promptTokens = 512
    /// The number of tokens in each reply; 0 to skip all measurements of decoding.
    package var replyTokens = 128
    /// The numbers of tokens that a sequence contains before decoding begins.
    package var depths = [0]
    /// The numbers of sequences to decode at the same time, at the first of the depths.
    package var sequences: [Int] = []
    /// The number of tokens of a prompt that is processed while a reply is being generated; 0 to skip this measurement.
    package var joining = 0
    /// The prompts, by name, whose replies are generated with and without guessed tokens.
    package var drafting: [(name: String, tokens: [TokenID])] = []
    /// The lengths of prompts of arbitrary tokens; the time to the first token and the speed of their replies are
    /// measured.
    package var prompts: [Int] = []
    /// The number of times that each measurement is made, after a warm-up that does not count.
    package var repetitions = 5

    /// Creates the usual plan for one model.
    package init() {}

    /// The plan for comparing engines: only replies to prompts of these lengths in tokens.
    package static func comparison(of prompts: [Int]) -> BenchmarkPlan {
        var plan = BenchmarkPlan()
        plan.promptTokens = 0
        plan.depths = []
        plan.prompts = prompts
        return plan
    }

    /// The longest sequence that is needed, in tokens, apart from the prompts in ``drafting``.
    package var context: Int {
        let before = (depths + prompts).max() ?? 0
        let decoding = replyTokens > 0 ? before + replyTokens : 0
        let beside = joining > 0 ? max(joining, EngineBenchmark.longestReplyBeside) : 0
        return max(promptTokens, decoding, beside, 1)
    }

    /// Removes the prompts that, together with their replies, are longer than the model's trained context.
    package mutating func fit(trainedContext: Int) {
        prompts.removeAll { $0 + replyTokens > trainedContext }
    }

    /// Runs the plan on a loaded model, on the executor on which its replies run.
    ///
    /// - Parameters:
    ///   - benchmark: measures the model.
    ///   - progress: receives a description of the next measurement.
    /// - Returns: the results; those of skipped measurements are empty.
    /// - Throws: ``BenchmarkError`` if a number in the plan is too small, any error of the engine, and
    ///   `CancellationError`.
    package func run(
        on benchmark: EngineBenchmark, progress: (String) -> Void = { _ in }
    ) async throws -> BenchmarkResults {
        try check()
        return try await withTaskExecutorPreference(benchmark.model.executor) {
            try await measure(benchmark, progress)
        }
    }

    private func check() throws(BenchmarkError) {
        let tokens = [promptTokens, replyTokens, joining] + depths + prompts
        guard tokens.allSatisfy({ $0 >= 0 }) else { throw BenchmarkError("No number of tokens is below 0.") }
        guard sequences.allSatisfy({ $0 > 0 }), repetitions > 0 else {
            throw BenchmarkError("Sequences and repetitions are 1 or more.")
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
            results.joining = try await benchmark.joining(joining, repetitions: repetitions)
        }
        for (name, tokens) in drafting {
            progress("reply to \(name)")
            let result = try await benchmark.drafting(tokens, count: replyTokens, repetitions: repetitions)
            results.drafting.append((name, result))
        }
        for prompt in prompts {
            progress("reply to \(prompt) tokens")
            results.prompts.append(
                try await benchmark.reply(toPromptOf: prompt, count: replyTokens, repetitions: repetitions))
        }
        return results
    }
}

/// The results of a plan, in tokens per second unless stated otherwise.
package struct BenchmarkResults: Sendable {
    /// The speed of prefill.
    package var prefill: Samples?
    /// The speed of decoding one sequence at each depth.
    package var decode: [(depth: Int, speed: Samples)] = []
    /// The total speed of sequences that are decoded at the same time.
    package var batch: [(sequences: Int, speed: Samples)] = []
    /// The result of processing a prompt during a reply.
    package var joining: JoiningResult?
    /// The results of replies with and without guessed tokens.
    package var drafting: [(name: String, result: DraftingResult)] = []
    /// The results of replies to prompts, in the order of the plan.
    package var prompts: [PromptResult] = []

    /// Creates empty results.
    package init() {}
}
