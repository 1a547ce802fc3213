// SPDX-License-Identifier: Apache-2.0

/// How a runner's generation ended.
public struct GenerationOutcome: Sendable {
    /// Why it ended; a reply that ended normally after calling functions may say `stop` instead of `functionCall`.
    public var finishReason: FinishReason
    /// The token counts and times of the generation; nil if the runner does not know them.
    public var stats: GenerationStats?
    /// The text exactly as the model wrote it, including tags; nil if the runner does not know it.
    public var rawOutput: String?
    /// The ids of the generated tokens, those of tags and of the end included; nil if the runner does not know them.
    public var tokens: [Int32]?
    /// The stop string that ended the reply; nil if none did, or the runner does not know it.
    public var stopString: String?

    /// Creates an outcome.
    public init(_ finishReason: FinishReason, stats: GenerationStats? = nil, rawOutput: String? = nil) {
        self.finishReason = finishReason
        self.stats = stats
        self.rawOutput = rawOutput
    }
}
