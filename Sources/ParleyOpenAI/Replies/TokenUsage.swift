// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON

extension GenerationStats {
    /// What a server says that a reply cost; nil where it does not say. Details that it leaves out are 0.
    ///
    /// - Throws: ``OpenAIError`` that names the field at fault.
    init?(_ field: Field) throws(OpenAIError) {
        if field.isMissing { return nil }
        let counts = 0...(1 << 40)
        self.init(
            promptTokens: try field["prompt_tokens"].integer(in: counts) ?? 0,
            cachedPromptTokens: try field["prompt_tokens_details"]["cached_tokens"].integer(in: counts) ?? 0,
            completionTokens: try field["completion_tokens"].integer(in: counts) ?? 0,
            reasoningTokens: try field["completion_tokens_details"]["reasoning_tokens"].integer(in: counts) ?? 0)
    }

    /// What a reply cost, as `usage`; cached tokens and tokens of reasoning are counted once.
    var usage: JSONValue {
        [
            "prompt_tokens": .integer(promptTokens), "completion_tokens": .integer(completionTokens),
            "total_tokens": .integer(totalTokens),
            "prompt_tokens_details": ["cached_tokens": .integer(cachedPromptTokens)],
            "completion_tokens_details": ["reasoning_tokens": .integer(reasoningTokens)],
        ]
    }
}
