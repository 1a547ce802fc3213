// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
package import ParleyTokenizer

/// What to measure of a model.
package struct BenchmarkPlan: Sendable {
    /// The tokens of a prefill; 0 leaves it out.
    package var promptTokens = 512
    /// The tokens of each reply; 0 leaves out all that decodes.
    package var replyTokens = 128
    /// How many tokens a sequence holds already when decoding begins.
    package var depths = [0]
    /// The numbers of sequences that decode together, from the first of the depths.
    package var sequences: [Int] = []
    /// The tokens of a prompt that is read beside a growing reply; 0 leaves it out.
    package var joining = 0
    /// Texts, by name, whose replies are drawn with and without guesses.
    package var drafting: [(name: String, tokens: [TokenID])] = []
    /// Prompts of arbitrary tokens whose replies are timed from the first step on.
    package var prompts: [Prompt] = []
    /// How often each is measured, after one time that does not count.
    package var repetitions = 5

    /// A prompt of some length.
    package struct Prompt: Sendable, Hashable {
        /// What reports call it.
        package var name: String
        /// Its length in tokens.
        package var tokens: Int

        /// Creates a prompt.
        package init(name: String, tokens: Int) {
            self.name = name
            self.tokens = tokens
        }
    }

    /// Creates the usual plan for one model.
    package init() {}

    /// The plan that engines are compared by: replies to prompts of three lengths, and nothing else.
    package static var comparison: BenchmarkPlan {
        var plan = BenchmarkPlan()
        plan.promptTokens = 0
        plan.depths = []
        plan.prompts = [
            Prompt(name: "short", tokens: 32), Prompt(name: "medium", tokens: 512),
            Prompt(name: "very long", tokens: 4_096),
        ]
        return plan
    }

    /// The longest sequence that occurs, in tokens, apart from the texts in ``drafting``.
    package var context: Int {
        let before = (depths + prompts.map(\.tokens)).max() ?? 0
        let decoding = replyTokens > 0 ? before + replyTokens : 0
        let beside = joining > 0 ? max(joining, EngineBenchmark.longestReplyBeside) : 0
        return max(promptTokens, decoding, beside, 1)
    }

    /// Leaves out the prompts that, with their replies, are longer than a model was trained for.
    package mutating func fit(trainedContext: Int) {
        prompts.removeAll { $0.tokens + replyTokens > trainedContext }
    }

    /// Runs the plan on a loaded model, where its replies run.
    ///
    /// - Parameters:
    ///   - benchmark: measures the model.
    ///   - progress: told what is measured next.
    /// - Returns: what was measured; what the plan leaves out is empty.
    /// - Throws: ``BenchmarkError`` where the plan has a number that is too small, what the engine throws, and
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
        let tokens = [promptTokens, replyTokens, joining] + depths + prompts.map(\.tokens)
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
            progress("\(prompt.name) prompt")
            results.prompts.append(
                try await benchmark.reply(to: prompt, count: replyTokens, repetitions: repetitions))
        }
        return results
    }
}

/// What was measured, in tokens per second where nothing else is said.
package struct BenchmarkResults: Sendable {
    /// The prefill.
    package var prefill: Samples?
    /// The decode of one sequence at each depth.
    package var decode: [(depth: Int, speed: Samples)] = []
    /// The sum over sequences that decode together.
    package var batch: [(sequences: Int, speed: Samples)] = []
    /// A prompt beside a reply.
    package var joining: JoiningResult?
    /// Replies with and without guesses.
    package var drafting: [(name: String, result: DraftingResult)] = []
    /// Replies to prompts, in the order of the plan.
    package var prompts: [PromptResult] = []

    /// Creates empty results.
    package init() {}
}
