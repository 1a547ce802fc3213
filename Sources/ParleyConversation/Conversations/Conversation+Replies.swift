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
    ///   - generationOptions: the options of the generation; nil for the defaults.
    ///   - functions: functions that the model may call in this reply, in addition to the conversation's own. They
    ///     replace those with the same name.
    /// - Returns: the reply, whose generation has been requested. If the conversation is busy, ``busyPolicy`` decides.
    public func reply(
        to text: String, generationOptions: GenerationOptions? = nil, functions: [Function] = []
    ) -> Reply {
        reply(to: .user(text), generationOptions: generationOptions, functions: functions)
    }

    /// Generates a reply to a message, or without one to the history as it is, such as after the result of a function.
    ///
    /// - Parameters:
    ///   - message: the message, which is added to the history; nil for none.
    ///   - generationOptions: the options of the generation; nil for the defaults.
    ///   - functions: functions that the model may call in this reply, in addition to the conversation's own. They
    ///     replace those with the same name.
    /// - Returns: the reply, whose generation has been requested. If the conversation is busy, ``busyPolicy`` decides.
    public func reply(
        to message: ChatMessage?, generationOptions: GenerationOptions? = nil, functions: [Function] = []
    ) -> Reply {
        reply(to: message, generationOptions, functions: functions, series: nil)
    }

    /// Generates a reply, as the next one of a series if there is one.
    func reply(
        to message: ChatMessage?, _ options: GenerationOptions?, functions: [Function], series: ReplySeries?
    ) -> Reply {
        let session = session(message, options, functions: functions, series: series)
        switch admit(session) {
        case .launch, .wait: break
        case .ignore: session.ignore()
        case .refuse: session.fail(.busy)
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
    /// The callbacks are called in order, one at a time. The last call is either `onResponse` with
    /// ``MessageResponse/complete(_:)`` or `onError`. They run on a thread that only this reply uses, with the
    /// task-local values of the caller. A slow callback delays only this reply, because a reply is never more than a
    /// few pieces ahead of its callbacks. A callback may wait for other replies, or for a model to be unloaded.
    /// Stopping and unloading do not wait for a callback to return; what was written until then is still delivered
    /// afterwards.
    ///
    /// Without `onError`, nothing is called if the generation fails.
    ///
    /// - Returns: a handler that stops the generation; nil if the conversation is busy. In that case `onError` is
    ///   called; if the policy is to ignore such requests, or there is no `onError`, `onResponse` is called with one
    ///   `complete` of reason `stop` instead.
    @discardableResult
    public func generateResponse(
        message: ChatMessage, generationOptions: GenerationOptions? = nil,
        onResponse: @escaping @Sendable (MessageResponse) -> Void,
        onError: (@Sendable (ConversationError) -> Void)? = nil
    ) -> (any GenerationHandler)? {
        let (reply, isAdmitted) = reply(message, generationOptions, onResponse: onResponse, onError: onError)
        return isAdmitted ? reply : nil
    }

    /// Generates a reply with callbacks. They are called even if the request is refused, so that the caller always
    /// receives an end.
    func reply(
        _ message: ChatMessage?, _ options: GenerationOptions?,
        onResponse: @escaping @Sendable (MessageResponse) -> Void, onError: (@Sendable (ConversationError) -> Void)?,
        runner: (any ModelRunner)? = nil
    ) -> (reply: Reply, isAdmitted: Bool) {
        // At most three events may be undelivered: enough that the engine need not wait for a thread to wake, and few
        // enough that stopping from a callback takes effect soon.
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
        case .refuse where onError != nil: session.fail(.busy)
        case .ignore, .refuse: session.complete(.nothing(.stop))
        }
        return (reply, false)
    }
}

extension ConversationError {
    /// The error for a request that a conversation refuses because it is generating.
    static var busy: ConversationError {
        ConversationError(
            .busy,
            "The conversation is generating a reply, or runs functions for one; wait for the end, or let requests queue "
                + "(BusyPolicy).")
    }
}
