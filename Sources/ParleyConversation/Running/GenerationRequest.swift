// SPDX-License-Identifier: Apache-2.0

/// A request for a runner's reply.
public struct GenerationRequest: Sendable {
    /// The messages of the conversation, ending with the new message if there is one.
    public var messages: [ChatMessage]
    /// The functions that the model may call.
    public var functions: [Function]
    /// The options of the generation, such as sampling and limits.
    public var options: GenerationOptions
    /// What to do if the prompt does not fit into the context.
    public var contextPolicy: ContextPolicy
    /// The conversation that the request belongs to, which lets the runner reuse the cache of the previous turn.
    public var conversationID: ConversationID
    /// Whose cache the request may use besides that of its conversation: that of requests with the same name, so that the
    /// beginning of a prompt which another conversation has in common need not be read again.
    ///
    /// Whoever serves several people gives each a name of their own, because the time of a reply and the number of its
    /// cached tokens tell what has been read before.
    public var cacheScope: String

    /// Creates a request.
    public init(
        messages: [ChatMessage], functions: [Function] = [], options: GenerationOptions = GenerationOptions(),
        contextPolicy: ContextPolicy = .error, conversationID: ConversationID = ConversationID(),
        cacheScope: String = ""
    ) {
        self.messages = messages
        self.functions = functions
        self.options = options
        self.contextPolicy = contextPolicy
        self.conversationID = conversationID
        self.cacheScope = cacheScope
    }

    /// The ids of the function calls in the messages; new calls must have other ids.
    public var usedCallIDs: Set<String> {
        Set(messages.flatMap { $0.functionCalls ?? [] }.map(\.id))
    }
}
