// SPDX-License-Identifier: Apache-2.0

/// Who hears of a reply.
enum ResponseSink: Sendable {
    case stream(AsyncThrowingStream<MessageResponse, any Error>.Continuation)
    case callbacks(
        onResponse: @Sendable (MessageResponse) -> Void, onError: (@Sendable (ConversationError) -> Void)?)

    func send(_ response: MessageResponse) {
        switch self {
        case .stream(let continuation): continuation.yield(response)
        case .callbacks(let onResponse, _): onResponse(response)
        }
    }

    /// Ends with the last event of a generation.
    func complete(_ completion: MessageCompletion) {
        send(.complete(completion))
        if case .stream(let continuation) = self { continuation.finish() }
    }

    func fail(_ error: ConversationError) {
        switch self {
        case .stream(let continuation): continuation.finish(throwing: error)
        case .callbacks(_, let onError): onError?(error)
        }
    }

    /// Ends without a generation. Callbacks are told so that nobody waits in vain.
    func dismiss(_ reason: FinishReason) {
        switch self {
        case .stream(let continuation): continuation.finish()
        case .callbacks(let onResponse, _):
            let nothing = ChatMessage(role: .assistant, content: [])
            onResponse(.complete(MessageCompletion(message: nothing, info: GenerationInfo(finishReason: reason))))
        }
    }

    /// Ends a request that was refused because the conversation is busy.
    func refuse() {
        if case .callbacks(_, nil) = self { return dismiss(.stop) }
        fail(
            ConversationError(
                .busy, "The conversation is generating a reply; wait for its end, or let requests queue (BusyPolicy)."))
    }
}
