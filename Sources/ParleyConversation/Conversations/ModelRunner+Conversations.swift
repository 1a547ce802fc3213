// SPDX-License-Identifier: Apache-2.0

extension ModelRunner {
    /// None.
    public func refusals(of functions: [Function]) -> [FunctionRefusal] { [] }

    /// Does nothing.
    public func conversationBegan(_ id: ConversationID) {}

    /// Does nothing.
    public func conversationEnded(_ id: ConversationID) {}

    /// Creates a conversation, optionally with a system prompt.
    public func createConversation(systemPrompt: String? = nil) -> Conversation {
        createConversationFromHistory(systemPrompt.map { [.system($0)] } ?? [])
    }

    /// Creates a conversation with earlier messages.
    public func createConversationFromHistory(_ history: [ChatMessage]) -> Conversation {
        Conversation(modelRunner: self, history: history)
    }

    /// Generates a reply to a conversation's history, with callbacks.
    ///
    /// The callbacks are called in order, on a thread that only this reply uses: any number of responses, then, as the
    /// last call, either ``MessageResponse/complete(_:)`` or `onError`; see
    /// ``Conversation/generateResponse(message:generationOptions:onResponse:onError:)``. If the conversation is busy,
    /// its ``Conversation/busyPolicy`` decides: `throw` calls `onError`; `ignore` calls `onResponse` with one
    /// `complete` of reason `stop`.
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
