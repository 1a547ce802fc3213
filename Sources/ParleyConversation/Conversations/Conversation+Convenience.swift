// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension Conversation {
    /// Generates a reply and waits for the whole of it.
    ///
    /// ```swift
    /// func capital(_ conversation: Conversation) async throws -> String {
    ///     try await conversation.reply(to: "What is the capital of France?").message.text
    /// }
    /// ```
    ///
    /// - Throws: ``ConversationError``, with code `busy` where another reply is being generated and requests do not
    ///   queue; `CancellationError` where the task is cancelled, after which the generation ends soon.
    public func reply(to text: String, generationOptions: GenerationOptions? = nil) async throws -> MessageCompletion {
        try await reply(to: .user(text), generationOptions: generationOptions)
    }

    /// Generates a reply and waits for the whole of it; without a message, a reply to what stands in the history.
    ///
    /// - Throws: as ``reply(to:generationOptions:)`` with a text.
    public func reply(
        to message: ChatMessage?, generationOptions: GenerationOptions? = nil
    ) async throws -> MessageCompletion {
        let responses =
            if let message {
                generateResponse(message: message, generationOptions: generationOptions)
            } else {
                generateResponse(generationOptions: generationOptions)
            }
        for try await response in responses {
            if case .complete(let completion) = response { return completion }
        }
        try Task.checkCancellation()
        throw ConversationError(
            .busy, "The conversation is generating another reply; wait for its end, or let requests queue.")
    }

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
