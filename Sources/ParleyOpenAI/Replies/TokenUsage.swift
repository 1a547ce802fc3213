// SPDX-License-Identifier: Apache-2.0

package import ParleyConversation
import ParleyJSON

extension GenerationStats {
    /// No tokens.
    package static let nothing = GenerationStats(promptTokens: 0, completionTokens: 0)

    /// The sum with those of another reply, whose prompt is not counted where it is the same.
    package func adding(_ other: GenerationStats, sharesPrompt: Bool) -> GenerationStats {
        var sum = self
        if !sharesPrompt {
            sum.promptTokens += other.promptTokens
            sum.cachedPromptTokens += other.cachedPromptTokens
        }
        sum.completionTokens += other.completionTokens
        sum.reasoningTokens += other.reasoningTokens
        return sum
    }

    /// Reads the numbers of tokens that a server reports; nil if it reports none. Numbers that are missing are taken as
    /// 0.
    ///
    /// - Throws: ``OpenAIError`` that names the invalid field.
    init?(_ field: Field) throws(OpenAIError) {
        if field.isMissing { return nil }
        let counts = 0...(1 << 40)
        self.init(
            promptTokens: try field["prompt_tokens"].integer(in: counts) ?? 0,
            cachedPromptTokens: try field["prompt_tokens_details"]["cached_tokens"].integer(in: counts) ?? 0,
            completionTokens: try field["completion_tokens"].integer(in: counts) ?? 0,
            reasoningTokens: try field["completion_tokens_details"]["reasoning_tokens"].integer(in: counts) ?? 0)
    }

    /// The numbers of tokens in the form of OpenAI's `usage`; cached and reasoning tokens are also part of the totals.
    var usage: JSONValue {
        [
            "prompt_tokens": .integer(promptTokens), "completion_tokens": .integer(completionTokens),
            "total_tokens": .integer(totalTokens),
            "prompt_tokens_details": ["cached_tokens": .integer(cachedPromptTokens)],
            "completion_tokens_details": ["reasoning_tokens": .integer(reasoningTokens)],
        ]
    }
}
