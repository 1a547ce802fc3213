// SPDX-License-Identifier: Apache-2.0

import Foundation
package import ParleyConversation
package import ParleyJSON

/// Describes the token counts and times of a reply, and why it ended.
package enum ReplyReport {
    /// One line for the terminal, at most 60 columns in all usual cases.
    package static func line(_ stats: GenerationStats) -> String {
        let cached = stats.cachedPromptTokens > 0 ? " (\(stats.cachedPromptTokens) cached)" : ""
        var parts = [
            "\(stats.promptTokens)\(cached) + \(stats.completionTokens) tokens",
            "first \(seconds(stats.timeToFirstToken))",
        ]
        if stats.tokensPerSecond > 0 {
            parts.append(String(format: "%.1f tokens/s", stats.tokensPerSecond))
        }
        return parts.joined(separator: " · ")
    }

    /// Several lines with everything about the last reply, if there was one, for `/stats`.
    package static func details(of reply: MessageCompletion?) -> String {
        guard let reply else { return "There has been no reply yet." }
        guard let stats = reply.stats else { return "The server has told no token counts for the last reply." }
        return """
            prompt            \(tokens(stats.promptTokens)), \(stats.cachedPromptTokens) of them cached
            prompt speed      \(String(format: "%.1f", promptSpeed(stats))) tokens/s
            first token after \(seconds(stats.timeToFirstToken))
            reply             \(tokens(stats.completionTokens))
            reply speed       \(String(format: "%.1f", stats.tokensPerSecond)) tokens/s
            """
    }

    /// A remark about why a reply ended; nil if the model ended it. In a chat it may name commands of the chat.
    package static func remark(_ finish: FinishReason, inChat: Bool = false) -> String? {
        switch finish {
        case .stop: nil
        case .length: "The reply reached the limit of --max-tokens."
        case .contextFull:
            inChat
                ? "The context is full. /clear starts a new conversation; --context sets a longer context."
                : "The context is full, which cut the reply off; --context sets a longer one."
        case .cancelled: "Stopped."
        case .timeout: "The time limit was reached."
        case .functionCall: nil
        case .constraint: "The model could not continue as the schema requires."
        }
    }

    /// The object that `--json` prints.
    package static func json(
        model: String, reply: MessageCompletion
    ) -> JSONValue {
        let stats = reply.stats ?? GenerationStats(promptTokens: 0, completionTokens: 0)
        return [
            "model": .string(model), "text": .string(reply.message.text),
            "finish_reason": .string(JSONName.of(reply.finishReason.rawValue)),
            "prompt_tokens": .integer(stats.promptTokens),
            "cached_prompt_tokens": .integer(stats.cachedPromptTokens),
            "completion_tokens": .integer(stats.completionTokens),
            "time_to_first_token_seconds": .number((stats.timeToFirstToken ?? .zero) / .seconds(1)),
            "tokens_per_second": .number(stats.tokensPerSecond),
        ]
    }

    /// Uncached prompt tokens per second until the first token of the reply; 0 if there were none.
    private static func promptSpeed(_ stats: GenerationStats) -> Double {
        guard let time = stats.timeToFirstToken, time > .zero else { return 0 }
        return Double(stats.promptTokens - stats.cachedPromptTokens) / (time / .seconds(1))
    }

    /// A number of tokens in words.
    static func tokens(_ count: Int) -> String { count == 1 ? "1 token" : "\(count) tokens" }

    private static func seconds(_ duration: Duration?) -> String {
        String(format: "%.2f s", (duration ?? .zero) / .seconds(1))
    }
}
