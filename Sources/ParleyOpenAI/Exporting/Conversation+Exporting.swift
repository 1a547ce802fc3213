// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import ParleyConversation
import ParleyJSON

extension Conversation {
    /// The history as JSON in UTF-8: an array of messages in the form of OpenAI's chat completions.
    ///
    /// ```swift
    /// func copy(_ conversation: Conversation) throws -> Conversation {
    ///     try Conversation(importing: conversation.exportToJSON(), modelRunner: conversation.modelRunner)
    /// }
    /// ```
    ///
    /// Exporting an imported conversation again gives the same bytes. Functions and the raw output of replies are not
    /// included.
    ///
    /// - Throws: ``ConversationError`` with code `serializationFailed` if an image is neither JPEG nor PNG.
    public func exportToJSON() throws -> Data {
        do {
            let messages = try history.map { message throws(OpenAIError) in
                try MessageForm.json(message, content: .parts)
            }
            return Data(JSONValue.array(messages).text().utf8)
        } catch {
            throw ConversationError(serializing: error)
        }
    }

    /// Creates a conversation that continues an exported one.
    ///
    /// The content of a message may also be a plain string.
    ///
    /// - Throws: ``ConversationError`` with code `serializationFailed` that names the invalid field, such as
    ///   `messages[2].content`.
    public convenience init(importing data: Data, modelRunner: any ModelRunner) throws {
        let history: [ChatMessage]
        do {
            let messages = Field(try WireLimits.files.parse(data), path: "messages")
            history = try messages.requiredElements(upTo: .max).map { field throws(OpenAIError) in
                try MessageForm.message(field, limits: .files)
            }
        } catch {
            throw ConversationError(serializing: error)
        }
        self.init(modelRunner: modelRunner, history: history)
    }
}
