// SPDX-License-Identifier: Apache-2.0

/// How a runner's generation ended.
public struct GenerationOutcome: Sendable {
    /// Why it ended. A reply that ended by itself after calling functions may say `stop` as well as `functionCall`.
    public var finishReason: FinishReason
    /// What it cost; nil where the runner does not know.
    public var stats: GenerationStats?
    /// The text as the model wrote it, tags included; nil where the runner does not know it.
    public var rawOutput: String?

    /// Creates an outcome.
    public init(_ finishReason: FinishReason, stats: GenerationStats? = nil, rawOutput: String? = nil) {
        self.finishReason = finishReason
        self.stats = stats
        self.rawOutput = rawOutput
    }
}
