// SPDX-License-Identifier: Apache-2.0

import Foundation
package import ParleyJSON
package import ParleyRuntime

/// What is told about a reply.
package enum ReplyReport {
    /// One line for the terminal, at most 60 columns in all usual cases.
    package static func line(_ statistics: GenerationStatistics) -> String {
        let cached = statistics.cachedPromptTokens > 0 ? " (\(statistics.cachedPromptTokens) cached)" : ""
        var parts = [
            "\(statistics.promptTokens)\(cached) + \(statistics.completionTokens) tokens",
            "first \(seconds(statistics.timeToFirstToken))",
        ]
        if statistics.tokensPerSecond > 0 {
            parts.append(String(format: "%.1f tokens/s", statistics.tokensPerSecond))
        }
        return parts.joined(separator: " · ")
    }

    /// Several lines with everything, for `/stats`.
    package static func details(_ statistics: GenerationStatistics) -> String {
        """
        prompt            \(statistics.promptTokens) tokens, \(statistics.cachedPromptTokens) of them cached
        prompt speed      \(String(format: "%.1f", statistics.promptTokensPerSecond)) tokens/s
        first token after \(seconds(statistics.timeToFirstToken))
        reply             \(statistics.completionTokens) tokens
        reply speed       \(String(format: "%.1f", statistics.tokensPerSecond)) tokens/s
        """
    }

    /// What a reader should know of the end of a reply; nil where it ended by itself.
    package static func remark(_ finish: FinishReason) -> String? {
        switch finish {
        case .stop: nil
        case .length: "The reply reached --max-tokens."
        case .contextFull: "The context is full. /clear starts anew, --context gives more room."
        case .cancelled: "Stopped."
        case .timeout: "Time is up."
        }
    }

    /// The object that `--json` prints.
    package static func json(
        model: String, text: String, finish: FinishReason, statistics: GenerationStatistics
    ) -> JSONValue {
        [
            "model": .string(model), "text": .string(text), "finish_reason": .string(finish.rawValue),
            "prompt_tokens": .integer(statistics.promptTokens),
            "cached_prompt_tokens": .integer(statistics.cachedPromptTokens),
            "completion_tokens": .integer(statistics.completionTokens),
            "time_to_first_token": .number(statistics.timeToFirstToken / .seconds(1)),
            "tokens_per_second": .number(statistics.tokensPerSecond),
        ]
    }

    private static func seconds(_ duration: Duration) -> String {
        String(format: "%.2f s", duration / .seconds(1))
    }
}
