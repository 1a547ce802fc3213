// SPDX-License-Identifier: Apache-2.0

/// The token counts and times of a generation.
package struct GenerationStatistics: Sendable, Hashable {
    /// The number of tokens in the prompt, including cached ones.
    package var promptTokens: Int
    /// The number of prompt tokens that were already in the timeline.
    package var cachedPromptTokens: Int
    /// The number of generated tokens, without the token that ends the model's turn.
    package var completionTokens = 0
    /// The time from the start to the first token, including processing of the prompt.
    package var timeToFirstToken: Duration = .zero
    /// The time from the first token to the last.
    package var decodingTime: Duration = .zero

    /// Creates the statistics of a generation that has produced no tokens yet.
    package init(promptTokens: Int, cachedPromptTokens: Int) {
        self.promptTokens = promptTokens
        self.cachedPromptTokens = cachedPromptTokens
    }

    /// The number of tokens in prompt and reply; cached tokens are counted like any other.
    package var totalTokens: Int { promptTokens + completionTokens }

    /// The tokens per second after the first token; 0 if there were fewer than two.
    package var tokensPerSecond: Double {
        completionTokens > 1 && decodingTime > .zero ? Double(completionTokens - 1) / (decodingTime / .seconds(1)) : 0
    }
}
