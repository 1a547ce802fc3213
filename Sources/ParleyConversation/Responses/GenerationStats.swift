// SPDX-License-Identifier: Apache-2.0

/// What a generation cost.
public struct GenerationStats: Hashable, Sendable {
    /// The tokens of the prompt, those found in the cache included.
    public var promptTokens: Int
    /// The tokens of the prompt that the engine held already.
    public var cachedPromptTokens: Int
    /// The tokens generated, reasoning and function calls included.
    public var completionTokens: Int
    /// Of these, the tokens of reasoning.
    public var reasoningTokens: Int
    /// Tokens a second after the first; 0 where there were fewer than two.
    public var tokensPerSecond: Double
    /// From the start to the first token, the prompt's processing included; nil where there was none.
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

    /// Prompt and completion together; cached and reasoning tokens count once.
    public var totalTokens: Int { promptTokens + completionTokens }
}
