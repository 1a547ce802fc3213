// SPDX-License-Identifier: Apache-2.0

/// What a generation cost.
package struct GenerationStatistics: Sendable, Hashable {
    /// The tokens of the prompt, those found in the cache included.
    package var promptTokens: Int
    /// The tokens of the prompt that the timeline already held.
    package var cachedPromptTokens: Int
    /// The tokens generated, the end-of-generation token not counted.
    package var completionTokens = 0
    /// From the start to the first token, the prompt's processing included.
    package var timeToFirstToken: Duration = .zero
    /// From the first token to the last.
    package var decodingTime: Duration = .zero

    /// Creates the statistics of a generation that has produced nothing yet.
    package init(promptTokens: Int, cachedPromptTokens: Int) {
        self.promptTokens = promptTokens
        self.cachedPromptTokens = cachedPromptTokens
    }

    /// Prompt and completion together; cached tokens count once.
    package var totalTokens: Int { promptTokens + completionTokens }

    /// Tokens a second after the first; 0 where there were fewer than two.
    package var tokensPerSecond: Double {
        completionTokens > 1 && decodingTime > .zero ? Double(completionTokens - 1) / (decodingTime / .seconds(1)) : 0
    }

    /// New prompt tokens a second until the first token of the reply; 0 where there were none.
    package var promptTokensPerSecond: Double {
        timeToFirstToken > .zero ? Double(promptTokens - cachedPromptTokens) / (timeToFirstToken / .seconds(1)) : 0
    }
}
