// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension Conversation {
    /// The number of tokens in the prompt that would be sent, including functions and the answer's schema.
    ///
    /// - Parameters:
    ///   - message: a message to count as if it were the last of the history; nil for none.
    ///   - generationOptions: the options of the generation; nil for the defaults.
    /// - Returns: the number of tokens.
    /// - Throws: ``ConversationError``.
    public func promptTokenCount(
        adding message: ChatMessage? = nil, generationOptions: GenerationOptions? = nil
    ) async throws -> Int {
        let (history, functions) = state.withLock { ($0.history, $0.functions) }
        return try await modelRunner.promptTokenCount(
            messages: history + (message.map { [$0] } ?? []), functions: functions, options: generationOptions)
    }
}
