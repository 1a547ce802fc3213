// SPDX-License-Identifier: Apache-2.0

/// A reply that is being generated, which can be iterated, awaited as a whole and stopped.
///
/// ```swift
/// func ask(_ conversation: Conversation) async throws {
///     let reply = conversation.reply(to: "What is the capital of France?")
///     for try await response in reply {
///         if case .chunk(let text) = response { show(text) }
///     }
///     show("\n\(try await reply.completion.finishReason)")
/// }
/// ```
///
/// The generation starts immediately, or when it is this request's turn. Iterating yields any number of pieces and then
/// exactly one ``MessageResponse/complete(_:)``, or throws ``ConversationError``; either ends the sequence. If the
/// conversation was busy and ignores requests in that case (``BusyPolicy/ignore``), the sequence is empty.
///
/// Several tasks may iterate a reply; each response goes to one of them. The generation does not wait for the reader:
/// a reply that is read late still yields everything. After a few hundred unread pieces, further ones are joined, so
/// that they never take more memory than the reply itself.
///
/// Cancelling a task that iterates the reply or waits for its completion stops the generation, and so do ``stop()``
/// and releasing the reply. The generation then ends within one token, what was produced until then enters the
/// history, and the completion still arrives, with reason ``FinishReason/cancelled``.
public final class Reply: AsyncSequence, GenerationHandler {
    /// The type of the responses.
    public typealias Element = MessageResponse

    let session: GenerationSession

    init(_ session: GenerationSession) {
        self.session = session
    }

    deinit {
        session.events.abandon()
        session.stop()
    }

    /// Waits for the whole reply; it can be read any number of times, whether or not the reply is iterated.
    ///
    /// - Throws: ``ConversationError``, with code `busy` if the conversation was generating another reply and does not
    ///   queue requests.
    public var completion: MessageCompletion {
        get async throws {
            try await withTaskCancellationHandler {
                try await session.outcome()
            } onCancel: {
                stop()
            }
        }
    }

    /// How far the reply is from its next piece: its place while it waits, then how much of the prompt has been read.
    ///
    /// Only runners that know it tell it. A reader that is late gets the newest alone. It ends with the reply; one task
    /// may read it, and cancelling that does not stop the reply.
    public var progress: AsyncStream<GenerationProgress> { session.progress }

    /// Asks the generation to end.
    ///
    /// It ends within one token, or within one chunk of the prompt. This function returns at once; later calls do
    /// nothing.
    public func stop() { session.stop() }

    /// Returns an iterator over the responses.
    public func makeAsyncIterator() -> Iterator { Iterator(reply: self) }

    /// The position of a task in a reply.
    public struct Iterator: AsyncIteratorProtocol {
        let reply: Reply

        /// Waits for the next response and returns it; nil after the last one.
        ///
        /// - Throws: ``ConversationError``.
        public mutating func next() async throws -> MessageResponse? {
            try await withTaskCancellationHandler {
                try await reply.session.events.next()
            } onCancel: { [reply] in
                reply.stop()
            }
        }
    }
}
