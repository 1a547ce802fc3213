// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyRuntime

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

extension ConversationError {
    /// The error of a model that an engine could not run.
    init(_ error: RuntimeError) {
        let code: Code =
            switch error.code {
            case .invalidInput: .invalidInput
            case .insufficientMemory: .insufficientMemory
            default: .generationFailed
            }
        self.init(code, error.message, cause: error)
    }
}

extension GenerationRequest {
    /// Whose request it is: engines divide their time evenly over clients.
    var client: Int { cacheScope.hashValue }
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
