// SPDX-License-Identifier: Apache-2.0

import ParleyConversation

/// The events of a typed reply: any number of partial values, then the whole value or function calls; see
/// ``Conversation/streamResponse(to:generating:generationOptions:)-(String,_,_)``.
public struct TypedResponses<Value: Generatable>: AsyncSequence, Sendable {
    private let reply: Reply

    init(_ reply: Reply) {
        self.reply = reply
    }

    /// Asks the generation to end, as ``Reply/stop()`` does. The stream then throws unless the value was complete; what
    /// was generated is in the history.
    public func stop() { reply.stop() }

    /// Creates an iterator over the events.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reply.makeAsyncIterator())
    }

    /// An iterator over the events of a typed reply.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var responses: Reply.Iterator
        private var reader = TypedReplyReader<Value>()

        init(_ responses: Reply.Iterator) {
            self.responses = responses
        }

        /// The next event; nil after the last.
        ///
        /// - Throws: ``ConversationError``.
        public mutating func next() async throws -> TypedResponse<Value>? {
            while true {
                if let partial = reader.next() { return partial }
                guard let response = try await responses.next() else { return nil }
                if let event = try reader.read(response) { return event }
            }
        }
    }
}
