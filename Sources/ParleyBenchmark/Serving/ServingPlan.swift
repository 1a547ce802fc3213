// SPDX-License-Identifier: Apache-2.0

/// The measurements to make of a server, or of any other runner that replies to several at a time.
package struct ServingPlan: Sendable, Hashable {
    /// The numbers of replies at a time whose speed is measured.
    package var streams = [1, 4, 16]
    /// The largest number of tokens in each of these replies.
    package var replyTokens = 128
    /// The number of tokens of a short prompt.
    package var shortPrompt = 32
    /// The number of tokens of the prompt whose first token is waited for alone; 0 to skip it.
    package var prompt = 512
    /// The number of tokens of the prompt that is read while others reply; 0 to skip this measurement.
    package var longPrompt = 4_096
    /// The number of replies that are generated beside it.
    package var companions = 8
    /// The number of tokens that many prompts have in common; 0 to skip this measurement.
    package var common = 1_024
    /// The number of these prompts, which are sent at once.
    package var crowd = 16
    /// The number of times that each measurement is made, after a warm-up that does not count.
    package var repetitions = 3
    /// How long a single reply may take.
    package var longestReply = Duration.seconds(300)

    /// Creates the usual plan.
    package init() {}

    /// The same plan without what does not fit into a context.
    ///
    /// - Parameter context: the number of tokens that a reply may have with its prompt; nil if it is not known.
    /// - Returns: the plan.
    package func fitting(context: Int?) -> ServingPlan {
        guard let context else { return self }
        var plan = self
        // Lengths are estimates, and templates add their own tokens.
        func fits(_ tokens: Int) -> Bool { tokens + tokens / 8 + 64 <= context }
        if !fits(longPrompt) { plan.longPrompt = 0 }
        if !fits(common + shortPrompt) { plan.common = 0 }
        if !fits(prompt) { plan.prompt = 0 }
        return plan
    }

    /// Checks the numbers.
    ///
    /// - Throws: ``BenchmarkError`` if one is too small or too large.
    func check() throws {
        let counts = streams + [companions, crowd, repetitions, replyTokens, shortPrompt]
        guard counts.allSatisfy({ (1...10_000).contains($0) }) else {
            throw BenchmarkError("The numbers of replies, tokens and repetitions must be from 1 to 10000.")
        }
        guard [prompt, longPrompt, common].allSatisfy({ (0...1_000_000).contains($0) }) else {
            throw BenchmarkError("The lengths of prompts must be from 0 to 1000000 tokens.")
        }
    }
}
