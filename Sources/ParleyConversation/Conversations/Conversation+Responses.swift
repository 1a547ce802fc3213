// SPDX-License-Identifier: Apache-2.0

extension Conversation {
    /// Generates a reply to a text.
    ///
    /// The generation starts at once. The stream yields any number of pieces, then exactly one
    /// ``MessageResponse/complete(_:)``, and nothing after it; or it throws ``ConversationError``, and nothing comes
    /// after that. Where the conversation is busy the stream is empty, unless ``busyPolicy`` says otherwise. Cancelling
    /// the task that iterates it, or letting go of it, stops the generation within one token; what was produced until
    /// then enters the history.
    public func generateResponse(
        userTextMessage: String, generationOptions: GenerationOptions? = nil
    ) -> AsyncThrowingStream<MessageResponse, any Error> {
        stream(.user(userTextMessage), generationOptions)
    }

    /// Generates a reply to a message; see ``generateResponse(userTextMessage:generationOptions:)`` for the stream.
    public func generateResponse(
        message: ChatMessage, generationOptions: GenerationOptions? = nil
    ) -> AsyncThrowingStream<MessageResponse, any Error> {
        stream(message, generationOptions)
    }

    /// Generates a reply to what stands in the history, such as the result of a function; see
    /// ``generateResponse(userTextMessage:generationOptions:)`` for the stream.
    public func generateResponse(
        generationOptions: GenerationOptions? = nil
    ) -> AsyncThrowingStream<MessageResponse, any Error> {
        stream(nil, generationOptions)
    }

    /// Generates a reply to a message, with callbacks.
    ///
    /// The callbacks come in order, on no particular thread, and the last is either `onResponse` with
    /// ``MessageResponse/complete(_:)`` or `onError`.
    ///
    /// - Returns: what stops the generation; nil where the conversation is busy, after one `complete` of reason `stop`
    ///   (or, where the policy is to throw, after `onError`).
    @discardableResult
    public func generateResponse(
        message: ChatMessage, generationOptions: GenerationOptions? = nil,
        onResponse: @escaping @Sendable (MessageResponse) -> Void,
        onError: (@Sendable (ConversationError) -> Void)? = nil
    ) -> (any GenerationHandler)? {
        let start = start(message, generationOptions, sink: .callbacks(onResponse: onResponse, onError: onError))
        return start.isAdmitted ? start.session : nil
    }

    private func stream(
        _ message: ChatMessage?, _ options: GenerationOptions?
    ) -> AsyncThrowingStream<MessageResponse, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: MessageResponse.self)
        _ = start(message, options, sink: .stream(continuation))
        return stream
    }
}
