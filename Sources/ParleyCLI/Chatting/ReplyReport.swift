// SPDX-License-Identifier: Apache-2.0

import Foundation
package import ParleyConversation
package import ParleyJSON

/// Describes the token counts and times of a reply, and why it ended.
package enum ReplyReport {
    /// One line for the terminal, at most 60 columns in all usual cases.
    package static func line(_ stats: GenerationStats) -> String {
        let cached = stats.cachedPromptTokens > 0 ? " (\(stats.cachedPromptTokens) cached)" : ""
        var parts = ["\(stats.promptTokens)\(cached) + \(stats.completionTokens) tokens"]
        if let first = firstToken(stats) { parts.append("first \(seconds(first))") }
        if stats.tokensPerSecond > 0 {
            parts.append(String(format: "%.1f tokens/s", stats.tokensPerSecond))
        }
        return parts.joined(separator: " · ")
    }

    /// Several lines with everything that is known of the last reply, if there was one, for `/stats`.
    package static func details(of reply: MessageCompletion?) -> String {
        guard let reply else { return "There has been no reply yet." }
        guard let stats = reply.stats else { return "The server has told no token counts for the last reply." }
        var lines = ["prompt            \(tokens(stats.promptTokens)), \(stats.cachedPromptTokens) of them cached"]
        if let first = firstToken(stats) {
            let speed = Double(stats.promptTokens - stats.cachedPromptTokens) / (first / .seconds(1))
            lines.append("prompt speed      \(String(format: "%.1f", speed)) tokens/s")
            lines.append("first token after \(seconds(first))")
        }
        lines.append("reply             \(tokens(stats.completionTokens))")
        if stats.tokensPerSecond > 0 {
            lines.append("reply speed       \(String(format: "%.1f", stats.tokensPerSecond)) tokens/s")
        }
        return lines.joined(separator: "\n")
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

    /// The time to the first token; nil if none was waited for, as in a reply that was stopped before it.
    private static func firstToken(_ stats: GenerationStats) -> Duration? {
        stats.timeToFirstToken.flatMap { $0 > .zero ? $0 : nil }
    }

    /// A number of tokens in words.
    static func tokens(_ count: Int) -> String { count == 1 ? "1 token" : "\(count) tokens" }

    private static func seconds(_ duration: Duration) -> String {
        String(format: "%.2f s", duration / .seconds(1))
    }
}
