// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension Conversation {
    /// The size of the prompt that would be sent, functions and schema included.
    ///
    /// - Parameter message: a message to add to the history for this.
    /// - Throws: ``ConversationError``.
    public func promptTokenCount(
        adding message: ChatMessage? = nil, generationOptions: GenerationOptions? = nil
    ) async throws -> Int {
        let (history, functions) = state.withLock { ($0.history, $0.functions) }
        return try await modelRunner.promptTokenCount(
            messages: history + (message.map { [$0] } ?? []), functions: functions, options: generationOptions)
    }
}
