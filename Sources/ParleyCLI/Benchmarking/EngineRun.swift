// SPDX-License-Identifier: Apache-2.0

/// What one engine did with one model: how long loading took, and how fast it read and answered prompts.
package struct EngineRun: Sendable, Hashable {
    /// A prompt and the reply to it.
    package struct Row: Sendable, Hashable {
        /// The prompt's name.
        package var prompt: String
        /// Its length.
        package var promptTokens: Int
        /// The tokens of the reply.
        package var replyTokens: Int
        /// Seconds from the first step to the first token, one for each repetition.
        package var firstToken: Samples
        /// Tokens of the reply per second after the first.
        package var decode: Samples

        /// Creates a row.
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

    /// The engine's name.
    package var engine: String
    /// Why it failed; nil where it did not.
    package var failure: String?
    /// Seconds from the file to a model that is ready.
    package var loadSeconds = 0.0
    /// The most memory of the process, in bytes.
    package var peakMemory = 0
    /// The prompts, in the order of the plan.
    package var rows: [Row] = []

    /// Creates a run without results.
    package init(engine: String, failure: String? = nil) {
        self.engine = engine
        self.failure = failure
    }
}
