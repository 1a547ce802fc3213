// SPDX-License-Identifier: Apache-2.0

extension ModelRunner {
    /// Does nothing.
    public func conversationEnded(_ id: ConversationID) {}

    /// Starts a conversation.
    public func createConversation(systemPrompt: String? = nil) -> Conversation {
        createConversationFromHistory(systemPrompt.map { [.system($0)] } ?? [])
    }

    /// Continues a conversation.
    public func createConversationFromHistory(_ history: [ChatMessage]) -> Conversation {
        Conversation(modelRunner: self, history: history)
    }

    /// Generates a reply to a conversation's history, with callbacks.
    ///
    /// The callbacks are called in order, on a thread of the reply's own: any number of responses, then either
    /// ``MessageResponse/complete(_:)`` or one call of `onError`, which is the last; see
    /// ``Conversation/generateResponse(message:generationOptions:onResponse:onError:)``. Where the conversation is
    /// busy, its ``Conversation/busyPolicy`` decides: `throw` calls `onError`, `ignore` answers with one `complete` of
    /// reason `stop`.
    ///
    /// - Returns: a handler that stops the generation.
    @discardableResult
    public func generateResponse(
        conversation: Conversation, generationOptions: GenerationOptions? = nil,
        onResponse: @escaping @Sendable (MessageResponse) -> Void,
        onError: (@Sendable (ConversationError) -> Void)? = nil
    ) -> any GenerationHandler {
        conversation.reply(nil, generationOptions, onResponse: onResponse, onError: onError, runner: self).reply
    }
}
