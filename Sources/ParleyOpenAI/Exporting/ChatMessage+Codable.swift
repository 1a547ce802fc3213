// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
public import ParleyConversation
import ParleyJSON

extension ChatMessage: Codable {
    /// Reads a message in the form of OpenAI's chat completions; without an id and a date it gets new ones.
    ///
    /// - Throws: ``ConversationError`` with code `serializationFailed` that names the field at
    ///   fault, or what the decoder throws.
    public init(from decoder: any Decoder) throws {
        let value = try JSONTree(from: decoder).value
        let field = Field(value, path: "message")
        let created = value["created"]?.number.flatMap { $0.isFinite ? Date(timeIntervalSince1970: $0) : nil }
        do {
            self = try MessageForm.message(
                field, limits: .files, id: value["id"]?.string.flatMap(UUID.init(uuidString:)) ?? UUID(),
                date: created ?? Date())
            rawOutput = try field["raw_output"].string()
        } catch {
            throw ConversationError(serializing: error)
        }
    }

    /// Writes the message in the form of OpenAI's chat completions, with its id, its date and its raw output beside it.
    ///
    /// - Throws: ``ConversationError`` with code `serializationFailed` where an image is neither
    ///   JPEG nor PNG, or what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var value: JSONValue
        do {
            value = try MessageForm.json(self, content: .parts)
        } catch {
            throw ConversationError(serializing: error)
        }
        if let rawOutput { value["raw_output"] = .string(rawOutput) }
        value["id"] = .string(id.uuidString)
        value["created"] = .number((date.timeIntervalSince1970 * 1_000).rounded() / 1_000)
        try JSONTree(value).encode(to: encoder)
    }
}

extension FunctionCall: Codable {
    /// Reads a call in the form of OpenAI's chat completions.
    ///
    /// - Throws: ``ConversationError`` with code `serializationFailed`, or what the decoder throws.
    public init(from decoder: any Decoder) throws {
        let field = Field(try JSONTree(from: decoder).value, path: "call")
        do {
            self = try MessageForm.call(field)
        } catch {
            throw ConversationError(serializing: error)
        }
    }

    /// Writes the call in the form of OpenAI's chat completions: the arguments are a JSON text, and so keep their
    /// order.
    ///
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        try JSONTree(MessageForm.json(self)).encode(to: encoder)
    }
}

extension ConversationError {
    /// What is wrong with a message that is read or written.
    init(serializing error: OpenAIError) {
        self.init(.serializationFailed, error.message, cause: error)
    }
}
