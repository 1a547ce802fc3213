// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension Conversation {
    /// The size of the prompt that would be sent, functions and schema included.
    ///
    /// - Parameters:
    ///   - message: a message that is counted as if it were the last of the history.
    ///   - generationOptions: the options of the generation; nil takes the defaults.
    /// - Returns: the size in tokens.
    /// - Throws: ``ConversationError``.
    public func promptTokenCount(
        adding message: ChatMessage? = nil, generationOptions: GenerationOptions? = nil
    ) async throws -> Int {
        let (history, functions) = state.withLock { ($0.history, $0.functions) }
        return try await modelRunner.promptTokenCount(
            messages: history + (message.map { [$0] } ?? []), functions: functions, options: generationOptions)
    }
}
