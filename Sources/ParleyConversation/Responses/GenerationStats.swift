// SPDX-License-Identifier: Apache-2.0

/// Token counts and times of a generation.
public struct GenerationStats: Hashable, Sendable {
    /// The number of tokens of the prompt, including cached ones.
    public var promptTokens: Int
    /// The number of tokens of the prompt that were in the engine's cache.
    public var cachedPromptTokens: Int
    /// The number of generated tokens, including reasoning and function calls.
    public var completionTokens: Int
    /// The number of generated tokens that are reasoning.
    public var reasoningTokens: Int
    /// Generated tokens per second, from the first to the last; 0 if there were fewer than two.
    public var tokensPerSecond: Double
    /// The time from the start of the generation to the first token, including processing the prompt; nil if no token
    /// was generated.
    public var timeToFirstToken: Duration?

    /// Creates statistics.
    public init(
        promptTokens: Int, cachedPromptTokens: Int = 0, completionTokens: Int, reasoningTokens: Int = 0,
        tokensPerSecond: Double = 0, timeToFirstToken: Duration? = nil
    ) {
        self.promptTokens = promptTokens
        self.cachedPromptTokens = cachedPromptTokens
        self.completionTokens = completionTokens
        self.reasoningTokens = reasoningTokens
        self.tokensPerSecond = tokensPerSecond
        self.timeToFirstToken = timeToFirstToken
    }

    /// The number of tokens of prompt and completion together. Cached and reasoning tokens are included in these once.
    public var totalTokens: Int { promptTokens + completionTokens }
}
