// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

/// A conversation as it is saved: its id and its messages, with theirs.
///
/// ```swift
/// func save(_ conversation: Conversation) throws -> Data {
///     try JSONEncoder().encode(conversation.record)
/// }
///
/// func resume(_ data: Data, _ runner: any ModelRunner) throws -> Conversation {
///     Conversation(resuming: try JSONDecoder().decode(ConversationRecord.self, from: data), modelRunner: runner)
/// }
/// ```
///
/// Functions and policies are the app's, and are not in it. A list of messages, as
/// ``Conversation/exportToJSON()`` writes it, is read as well.
public struct ConversationRecord: Hashable, Sendable, Codable {
    /// The conversation's identity.
    public var id: ConversationID
    /// Its messages.
    public var messages: [ChatMessage]

    private enum CodingKeys: CodingKey { case id, messages }

    /// Creates a record.
    public init(id: ConversationID = ConversationID(), messages: [ChatMessage]) {
        self.id = id
        self.messages = messages
    }

    /// Reads a record, or a list of messages, which gets an id.
    ///
    /// - Throws: ``ConversationError`` with code `serializationFailed` that names what is wrong with a message, or what
    ///   the decoder throws.
    public init(from decoder: any Decoder) throws {
        let members: KeyedDecodingContainer<CodingKeys>
        do {
            members = try decoder.container(keyedBy: CodingKeys.self)
        } catch DecodingError.typeMismatch {
            self.init(messages: try [ChatMessage](from: decoder))
            return
        }
        self.init(
            id: try members.decode(ConversationID.self, forKey: .id),
            messages: try members.decode([ChatMessage].self, forKey: .messages))
    }
}

extension Conversation {
    /// The conversation as it can be saved.
    public var record: ConversationRecord { ConversationRecord(id: id, messages: history) }

    /// Continues a conversation that was saved; it has the same id.
    public convenience init(resuming record: ConversationRecord, modelRunner: any ModelRunner) {
        self.init(modelRunner: modelRunner, history: record.messages, id: record.id)
    }
}
