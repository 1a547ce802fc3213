// SPDX-License-Identifier: Apache-2.0

/// A reply that is being generated: a sequence of its parts, which can be awaited as a whole and stopped.
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
/// The generation starts at once, or when its turn comes. Iterating yields any number of pieces, then exactly one
/// ``MessageResponse/complete(_:)``, and nothing after it; or it throws ``ConversationError``, and nothing comes after
/// that. Where the conversation was busy and ignores such requests (``BusyPolicy/ignore``), it yields nothing.
///
/// A reply may be iterated by several tasks; each response goes to one of them. It does not wait to be read: one that is
/// read late yields everything. Beyond a few hundred unread pieces, further ones are joined, so that they never take more
/// memory than the reply itself.
///
/// Cancelling a task that iterates the reply or waits for its completion stops it, as ``stop()`` and releasing the
/// reply do: it ends within one token, what was produced until then enters the history, and the completion still
/// arrives, of reason ``FinishReason/cancelled``.
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

    /// Waits for the whole reply. It may be read any number of times, whether or not the reply is iterated.
    ///
    /// - Throws: ``ConversationError``, with code `busy` where the conversation was generating another reply and its
    ///   requests do not queue.
    public var completion: MessageCompletion {
        get async throws {
            try await withTaskCancellationHandler {
                try await session.outcome()
            } onCancel: {
                stop()
            }
        }
    }

    /// Asks the generation to end; it does so within one token, or one chunk of the prompt. Returns at once; later
    /// calls do nothing.
    public func stop() { session.stop() }

    /// Iterates the reply.
    public func makeAsyncIterator() -> Iterator { Iterator(reply: self) }

    /// The position of a task in a reply.
    public struct Iterator: AsyncIteratorProtocol {
        let reply: Reply

        /// The next response, when it has come; nil after the last.
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
