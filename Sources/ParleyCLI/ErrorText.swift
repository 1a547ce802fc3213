// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleySystem
import ParleyTemplate

/// The text of errors for a terminal.
enum ErrorText {
    /// The maximum number of characters shown; a template may raise an error of any length.
    private static let longest = 1_000

    /// The error's message. It may contain text from untrusted files, so control characters are removed.
    static func of(_ error: any Error) -> String {
        let text =
            switch error {
            case is TemplateError: "The chat template failed: \(error)"
            case let error as ConversationError where error.promptTokens != nil && error.cause == nil:
                """
                The prompt has \(error.promptTokens ?? 0) tokens and only \(error.contextTokens ?? 0) fit. Shorten it, \
                or give it a larger context with --context or a smaller --max-tokens.
                """
            default: "\(error)"
            }
        return String(PlainText.clean(text).prefix(longest))
    }
}
