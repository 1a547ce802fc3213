// SPDX-License-Identifier: Apache-2.0

import ParleyConversation

/// A typed reply as it comes: any number of partial values, then the whole value; see
/// ``Conversation/streamResponse(to:generating:generationOptions:)-(String,_,_)``.
public struct TypedResponses<Value: Generatable>: AsyncSequence, Sendable {
    private let reply: Reply

    init(_ reply: Reply) {
        self.reply = reply
    }

    /// Iterates over the reply.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reply.makeAsyncIterator())
    }

    /// Iterates over a typed reply.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var responses: Reply.Iterator
        private var reader = TypedReplyReader<Value>()
        /// Events that have not been taken yet, the next one last.
        private var waiting: [TypedResponse<Value>] = []

        init(_ responses: Reply.Iterator) {
            self.responses = responses
        }

        /// The next event; nil after the last.
        ///
        /// - Throws: ``ConversationError``.
        public mutating func next() async throws -> TypedResponse<Value>? {
            while waiting.isEmpty {
                guard let response = try await responses.next() else { return nil }
                waiting = try reader.read(response).reversed()
            }
            return waiting.popLast()
        }
    }
}
