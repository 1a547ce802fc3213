// SPDX-License-Identifier: Apache-2.0

/// A request for a runner's reply.
public struct GenerationRequest: Sendable {
    /// The conversation, the new message included where there is one.
    public var messages: [ChatMessage]
    /// The functions that the model may call.
    public var functions: [Function]
    /// How to generate.
    public var options: GenerationOptions
    /// What to do where the prompt does not fit.
    public var contextPolicy: ContextPolicy
    /// The conversation of the request, so that the runner can use the cache of its last turn.
    public var conversationID: ConversationID

    /// Creates a request.
    public init(
        messages: [ChatMessage], functions: [Function] = [], options: GenerationOptions = GenerationOptions(),
        contextPolicy: ContextPolicy = .error, conversationID: ConversationID = ConversationID()
    ) {
        self.messages = messages
        self.functions = functions
        self.options = options
        self.contextPolicy = contextPolicy
        self.conversationID = conversationID
    }

    /// The ids of the calls in the messages, which new calls may not repeat.
    public var usedCallIDs: Set<String> {
        Set(messages.flatMap { $0.functionCalls ?? [] }.map(\.id))
    }
}
