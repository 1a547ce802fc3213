// SPDX-License-Identifier: Apache-2.0

extension Conversation {
    /// Generates a reply to a text.
    ///
    /// The generation starts at once. The stream yields any number of pieces, then exactly one
    /// ``MessageResponse/complete(_:)``, and nothing after it; or it throws ``ConversationError``, and nothing comes
    /// after that. Where the conversation is busy the stream is empty, unless ``busyPolicy`` says otherwise. Cancelling
    /// the task that iterates it, or letting go of it, stops the generation within one token; what was produced until
    /// then enters the history.
    ///
    /// The generation does not wait to be read: a stream that is read late yields the whole reply. From a few hundred
    /// pieces on those that wait are joined, so that they never take more memory than the reply itself.
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
    /// The callbacks come in order, one at a time, and the last is either `onResponse` with
    /// ``MessageResponse/complete(_:)`` or `onError`. They run on a thread that this reply alone has for them, with the
    /// task-local values of the caller: one that takes its time holds up this reply and no other, for a reply is at most
    /// a few pieces ahead of its callbacks. It may wait for other replies, or for a model to be unloaded. Stopping and
    /// unloading do not wait for a callback to return; what was written until then is still told after it.
    ///
    /// - Returns: what stops the generation; nil where the conversation is busy, after one `complete` of reason `stop`
    ///   (or, where the policy is to throw, after `onError`).
    @discardableResult
    public func generateResponse(
        message: ChatMessage, generationOptions: GenerationOptions? = nil,
        onResponse: @escaping @Sendable (MessageResponse) -> Void,
        onError: (@Sendable (ConversationError) -> Void)? = nil
    ) -> (any GenerationHandler)? {
        let start = start(message, generationOptions, onResponse: onResponse, onError: onError)
        return start.isAdmitted ? start.session : nil
    }

    private func stream(
        _ message: ChatMessage?, _ options: GenerationOptions?
    ) -> AsyncThrowingStream<MessageResponse, any Error> {
        let events = EventBuffer.forStream()
        let start = start(message, options, to: events)
        switch start.admission {
        case .launch, .wait: break
        case .ignore: events.finish()
        case .refuse: events.finish(throwing: Self.busy)
        }
        return AsyncThrowingStream(events) { start.session.stop() }
    }

    /// Makes a request whose events callbacks hear, also where it is turned away, so that nobody waits in vain.
    func start(
        _ message: ChatMessage?, _ options: GenerationOptions?,
        onResponse: @escaping @Sendable (MessageResponse) -> Void, onError: (@Sendable (ConversationError) -> Void)?,
        runner: (any ModelRunner)? = nil
    ) -> Start {
        let events = EventBuffer.forCallbacks(onResponse: onResponse, onError: onError)
        let start = start(message, options, to: events, runner: runner)
        switch start.admission {
        case .launch, .wait: break
        case .refuse where onError != nil: start.session.fail(Self.busy)
        case .ignore, .refuse: start.session.complete(.nothing(.stop))
        }
        return start
    }

    private static var busy: ConversationError {
        ConversationError(
            .busy, "The conversation is generating a reply; wait for its end, or let requests queue (BusyPolicy).")
    }
}
