// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

/// A conversation in the form in which it is saved: its id, and its messages with their ids.
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
/// Functions and policies belong to the app and are not included. An array of messages as written by
/// ``Conversation/exportToJSON()`` can be decoded too.
public struct ConversationRecord: Hashable, Sendable, Codable {
    /// The conversation's id.
    public var id: ConversationID
    /// The conversation's messages.
    public var messages: [ChatMessage]

    private enum CodingKeys: CodingKey { case id, messages }

    /// Creates a record.
    public init(id: ConversationID = ConversationID(), messages: [ChatMessage]) {
        self.id = id
        self.messages = messages
    }

    /// Decodes a record, or an array of messages, which gets a new id.
    ///
    /// - Throws: ``ConversationError`` with code `serializationFailed` if a message is invalid; the decoder's errors.
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
    /// The conversation's id and messages, for saving.
    public var record: ConversationRecord { ConversationRecord(id: id, messages: history) }

    /// Creates a conversation that continues a saved one and has its id.
    public convenience init(resuming record: ConversationRecord, modelRunner: any ModelRunner) {
        self.init(modelRunner: modelRunner, history: record.messages, id: record.id)
    }
}
