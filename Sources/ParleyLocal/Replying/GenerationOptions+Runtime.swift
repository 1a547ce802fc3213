// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyRuntime

/// Conversions between the runtime's values and those of conversations.
extension GenerationOptions {
    /// The sampling that was asked for.
    var sampling: SamplingOptions.Partial {
        .init(temperature: temperature, topK: topK, topP: topP, minP: minP, repetitionPenalty: repetitionPenalty)
    }
}

extension FinishReason {
    init(_ reason: Generation.FinishReason) {
        self =
            switch reason {
            case .stop: .stop
            case .length: .length
            case .contextFull: .contextFull
            case .cancelled: .cancelled
            case .timeout: .timeout
            case .constraint: .constraint
            }
    }
}

extension GenerationStats {
    init(_ statistics: GenerationStatistics, reasoningTokens: Int) {
        self.init(
            promptTokens: statistics.promptTokens, cachedPromptTokens: statistics.cachedPromptTokens,
            completionTokens: statistics.completionTokens, reasoningTokens: reasoningTokens,
            tokensPerSecond: statistics.tokensPerSecond,
            timeToFirstToken: statistics.timeToFirstToken > .zero ? statistics.timeToFirstToken : nil)
    }
}
