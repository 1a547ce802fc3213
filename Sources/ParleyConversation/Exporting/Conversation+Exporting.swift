// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import ParleyJSON

extension Conversation {
    /// The history as JSON (UTF-8): a list of messages in the form of OpenAI's chat completions.
    ///
    /// ```swift
    /// func copy(_ conversation: Conversation) throws -> Conversation {
    ///     try Conversation(importing: conversation.exportToJSON(), modelRunner: conversation.modelRunner)
    /// }
    /// ```
    ///
    /// Exporting what was imported gives the same bytes. Functions, and replies' raw output, are not in it.
    ///
    /// - Throws: ``ConversationError`` with code `serializationFailed` where an image is neither JPEG nor PNG.
    public func exportToJSON() throws -> Data {
        let messages = try history.map { try MessageWriter.json($0) }
        return Data(JSONValue.array(messages).text().utf8)
    }

    /// Continues a conversation that was exported.
    ///
    /// A message's content may also be a plain string.
    ///
    /// - Throws: ``ConversationError`` with code `serializationFailed` that names the message and what is wrong with
    ///   it.
    public convenience init(importing data: Data, modelRunner: any ModelRunner) throws {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: data)
        } catch {
            throw ConversationError(.serializationFailed, "The history is not JSON: \(error)", cause: error)
        }
        guard let messages = value.array else {
            throw ConversationError(.serializationFailed, "The history is no list of messages.")
        }
        let history = try messages.enumerated().map { index, message in
            try MessageReader(place: "Message \(index + 1)").message(message)
        }
        self.init(modelRunner: modelRunner, history: history)
    }
}
