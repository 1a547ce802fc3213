// SPDX-License-Identifier: Apache-2.0

package import ParleyConversation

/// Measures how fast a runner reads prompts and writes replies, one reply at a time.
///
/// It is for models that are in use, where the streams and crowds of ``ServingBenchmark`` would be in the way of others.
package struct ReplyBenchmark: Sendable {
    /// What is measured.
    package struct Plan: Sendable, Hashable {
        /// The numbers of tokens of the prompts.
        package var prompts = [512]
        /// The largest number of tokens of a reply.
        package var replyTokens = 64
        /// The number of times that each measurement is made, after a warm-up that does not count.
        package var repetitions = 3
        /// How long a single reply may take.
        package var longestReply = Duration.seconds(600)

        /// Creates the usual plan.
        package init() {}

        /// The number of replies that are asked for.
        package var replies: Int { prompts.count * repetitions + 2 }

        func check() throws {
            guard prompts.allSatisfy({ (1...1_000_000).contains($0) }) else {
                throw BenchmarkError("The lengths of prompts must be from 1 to 1000000 tokens.")
            }
            guard (2...10_000).contains(replyTokens), (1...1_000).contains(repetitions) else {
                throw BenchmarkError("A reply has 2 to 10000 tokens, and there are 1 to 1000 repetitions.")
            }
        }
    }

    /// What was measured with prompts of one length, in tokens per second.
    package struct Row: Sendable, Hashable {
        /// The number of tokens that was asked for.
        package var prompt: Int
        /// How many tokens the prompts had, in the middle.
        package var promptTokens: Int?
        /// The seconds to the first token.
        package var firstToken: Samples?
        /// How fast prompts were read, those tokens apart that were in the cache.
        package var read: Samples?
        /// How fast replies were written, from their first token on; nil as long as all had fewer than two.
        package var written: Samples?
    }

    private let runner: any ModelRunner
    private let plan: Plan

    /// Creates the measurements of a runner.
    package init(_ runner: any ModelRunner, plan: Plan = Plan()) { (self.runner, self.plan) = (runner, plan) }

    /// Makes the measurements.
    ///
    /// - Parameter progress: receives the number of replies so far and the row that is being measured, after each reply.
    /// - Returns: a row for each length.
    /// - Throws: ``BenchmarkError``, what the runner throws, and `CancellationError`.
    package func run(progress: @Sendable (_ replies: Int, Row?) async -> Void = { _, _ in }) async throws -> [Row] {
        try plan.check()
        // Other prompts than those of an earlier run, whose beginnings may be in a cache.
        var words = PromptWords(seed: .random(in: 0...(.max)))
        var lengths: [(words: Int, tokens: Int)] = []
        for count in [16, 64] {
            let reply = try await reply(to: words.text(words: count), 4)
            lengths.append((count, reply.promptTokens))
            await progress(lengths.count, nil)
        }
        words.learn(lengths[0], lengths[1])
        var (rows, count): ([Row], Int) = ([], lengths.count)
        for prompt in plan.prompts {
            var replies: [ServedReply] = []
            for _ in 0..<plan.repetitions {
                let reply = try await reply(to: words.text(promptTokens: prompt), plan.replyTokens)
                guard reply.readTokensPerSecond != nil else { throw BenchmarkError("A reply had no text at all.") }
                replies.append(reply)
                count += 1
                await progress(count, Self.row(prompt, replies))
            }
            rows.append(Self.row(prompt, replies))
        }
        return rows
    }

    private static func row(_ prompt: Int, _ replies: [ServedReply]) -> Row {
        func samples(_ value: (ServedReply) -> Double?) -> Samples? {
            let values = replies.compactMap(value)
            return values.isEmpty ? nil : Samples(values)
        }
        return Row(
            prompt: prompt, promptTokens: samples { Double($0.promptTokens) }.map { Int($0.median) },
            firstToken: samples(\.waited), read: samples(\.readTokensPerSecond),
            written: samples(\.writtenTokensPerSecond))
    }

    private func reply(to prompt: String, _ maxTokens: Int) async throws -> ServedReply {
        let reply = try await ServedReply.measure(
            runner, prompt, maxTokens: maxTokens, longest: plan.longestReply)
        // A runner may end a reply instead of throwing.
        try Task.checkCancellation()
        return reply
    }
}
