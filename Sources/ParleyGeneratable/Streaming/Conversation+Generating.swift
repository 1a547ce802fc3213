// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

extension Conversation {
    /// Generates a value in reply to a text, and delivers the partial value while it is being generated.
    ///
    /// ```swift
    /// func cook(_ conversation: Conversation) async throws {
    ///     for try await response in conversation.streamResponse(to: "Soup for two.", generating: Recipe.self) {
    ///         switch response {
    ///         case .partial(let recipe): show(recipe.name ?? "…")
    ///         case .complete(let recipe, _): show("\(recipe.name): \(recipe.minutes) minutes")
    ///         case .functionCall: break
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// The generation starts at once and is constrained by the type's schema. See ``Reply`` for the order of events,
    /// for cancelling, and for busy conversations. The stream throws ``ConversationError``, with code
    /// `generationFailed` if the reply ended before the value was complete; the reply is added to the history even
    /// then.
    public func streamResponse<T: Generatable>(
        to text: String, generating type: T.Type, generationOptions: GenerationOptions? = nil
    ) -> TypedResponses<T> {
        streamResponse(to: .user(text), generating: type, generationOptions: generationOptions)
    }

    /// Generates a value in reply to a message; see the method that takes a text.
    public func streamResponse<T: Generatable>(
        to message: ChatMessage, generating type: T.Type, generationOptions: GenerationOptions? = nil
    ) -> TypedResponses<T> {
        TypedResponses(reply(to: message, generationOptions: Self.options(generationOptions, for: type)))
    }

    /// Generates a value in reply to the history as it is, for example to the result of a function; see the method that
    /// takes a text.
    public func streamResponse<T: Generatable>(
        generating type: T.Type, generationOptions: GenerationOptions? = nil
    ) -> TypedResponses<T> {
        TypedResponses(reply(to: nil, generationOptions: Self.options(generationOptions, for: type)))
    }

    /// Generates a value in reply to a text and waits for it.
    ///
    /// ```swift
    /// func minutes(_ conversation: Conversation) async throws -> Int {
    ///     try await conversation.reply(to: "Soup for two.", generating: Recipe.self).minutes
    /// }
    /// ```
    ///
    /// - Throws: ``ConversationError``, with code `generationFailed` if the reply ended before the value was complete
    ///   or the model called a function, and `busy` if another reply is being generated; `CancellationError`.
    public func reply<T: Generatable>(
        to text: String, generating type: T.Type, generationOptions: GenerationOptions? = nil
    ) async throws -> T {
        try await reply(to: .user(text), generating: type, generationOptions: generationOptions)
    }

    /// Generates a value in reply to a message, or to the history as it is if there is no message, and waits for it;
    /// see the method that takes a text.
    ///
    /// - Throws: ``ConversationError`` and `CancellationError`.
    public func reply<T: Generatable>(
        to message: ChatMessage?, generating type: T.Type, generationOptions: GenerationOptions? = nil
    ) async throws -> T {
        let completion = try await reply(to: message, generationOptions: Self.options(generationOptions, for: type))
            .completion
        try Task.checkCancellation()
        return try TypedReplyReader<T>.value(of: completion)
    }

    private static func options<T: Generatable>(_ given: GenerationOptions?, for type: T.Type) -> GenerationOptions {
        var options = given ?? GenerationOptions()
        options.setResponseFormat(type: type)
        return options
    }
}

extension GenerationOptions {
    /// Constrains the reply to values of a type, by setting ``GenerationOptions/jsonSchemaConstraint`` to its schema.
    ///
    /// ```swift
    /// func text(_ conversation: Conversation) async throws -> String {
    ///     var options = GenerationOptions(temperature: 0)
    ///     options.setResponseFormat(type: Recipe.self)
    ///     let reply = conversation.reply(to: "Soup for two.", generationOptions: options)
    ///     return try await reply.completion.message.text
    /// }
    /// ```
    public mutating func setResponseFormat<T: Generatable>(type: T.Type) {
        jsonSchemaConstraint = T.jsonSchema
    }
}
