// SPDX-License-Identifier: Apache-2.0

extension Conversation {
    /// Generates a reply to a text.
    ///
    /// ```swift
    /// func capital(_ conversation: Conversation) async throws -> String {
    ///     try await conversation.reply(to: "What is the capital of France?").completion.message.text
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - text: the user's message.
    ///   - generationOptions: how to generate; nil takes the defaults.
    ///   - functions: functions that the model may call in this reply, beside the conversation's own. They replace
    ///     those of the same name.
    /// - Returns: the reply, which is being generated. Where the conversation is busy, ``busyPolicy`` decides.
    public func reply(
        to text: String, generationOptions: GenerationOptions? = nil, functions: [Function] = []
    ) -> Reply {
        reply(to: .user(text), generationOptions: generationOptions, functions: functions)
    }

    /// Generates a reply to a message; without one, to the history as it is, such as the result of a function.
    ///
    /// - Parameters:
    ///   - message: the message, which becomes part of the history; nil for none.
    ///   - generationOptions: how to generate; nil takes the defaults.
    ///   - functions: functions that the model may call in this reply, beside the conversation's own. They replace
    ///     those of the same name.
    /// - Returns: the reply, which is being generated. Where the conversation is busy, ``busyPolicy`` decides.
    public func reply(
        to message: ChatMessage?, generationOptions: GenerationOptions? = nil, functions: [Function] = []
    ) -> Reply {
        let session = session(message, generationOptions, functions: functions)
        switch admit(session) {
        case .launch, .wait: break
        case .ignore: session.ignore()
        case .refuse: session.fail(Self.busy)
        }
        return Reply(session)
    }

    // MARK: LEAP's names

    /// Generates a reply to a text: LEAP's name of ``reply(to:generationOptions:functions:)-(String,_,_)``.
    public func generateResponse(userTextMessage: String, generationOptions: GenerationOptions? = nil) -> Reply {
        reply(to: userTextMessage, generationOptions: generationOptions)
    }

    /// Generates a reply to a message: LEAP's name of ``reply(to:generationOptions:functions:)-(ChatMessage?,_,_)``.
    public func generateResponse(message: ChatMessage, generationOptions: GenerationOptions? = nil) -> Reply {
        reply(to: message, generationOptions: generationOptions)
    }

    /// Generates a reply to the history as it is: LEAP's name of
    /// ``reply(to:generationOptions:functions:)-(ChatMessage?,_,_)``.
    public func generateResponse(generationOptions: GenerationOptions? = nil) -> Reply {
        reply(to: nil, generationOptions: generationOptions)
    }

    /// Generates a reply to a message, with callbacks.
    ///
    /// The callbacks are called in order, one at a time, and the last is either `onResponse` with
    /// ``MessageResponse/complete(_:)`` or `onError`. They run on a thread of this reply's own, with the task-local
    /// values of the caller: a slow one delays this reply and no other, as a reply is at most a few pieces ahead of its
    /// callbacks. It may wait for other replies, or for a model to be unloaded. Stopping and unloading do not wait for
    /// a callback to return; what was written until then is still delivered after it.
    ///
    /// Without `onError` nothing is called where the generation fails.
    ///
    /// - Returns: a handler that stops the generation; nil where the conversation is busy: then `onError` is called, or
    ///   `onResponse` with one `complete` of reason `stop` where the policy is to ignore, or there is no `onError`.
    @discardableResult
    public func generateResponse(
        message: ChatMessage, generationOptions: GenerationOptions? = nil,
        onResponse: @escaping @Sendable (MessageResponse) -> Void,
        onError: (@Sendable (ConversationError) -> Void)? = nil
    ) -> (any GenerationHandler)? {
        let (reply, isAdmitted) = reply(message, generationOptions, onResponse: onResponse, onError: onError)
        return isAdmitted ? reply : nil
    }

    /// Generates a reply with callbacks, which are also called where it is refused, so that the caller always gets an
    /// end.
    func reply(
        _ message: ChatMessage?, _ options: GenerationOptions?,
        onResponse: @escaping @Sendable (MessageResponse) -> Void, onError: (@Sendable (ConversationError) -> Void)?,
        runner: (any ModelRunner)? = nil
    ) -> (reply: Reply, isAdmitted: Bool) {
        // At most three events ahead of the one being delivered: enough for an engine not to wait for a thread to
        // wake, and few enough that stopping from a callback stops soon.
        let session = session(message, options, ahead: 3, runner: runner)
        let reply = Reply(session)
        Task(executorPreference: CallbackQueue()) {
            do {
                for try await response in reply { onResponse(response) }
            } catch let error as ConversationError {
                onError?(error)
            }
        }
        switch admit(session) {
        case .launch, .wait: return (reply, true)
        case .refuse where onError != nil: session.fail(Self.busy)
        case .ignore, .refuse: session.complete(.nothing(.stop))
        }
        return (reply, false)
    }

    private static var busy: ConversationError {
        ConversationError(
            .busy, "The conversation is generating a reply; wait for its end, or let requests queue (BusyPolicy).")
    }
}
