// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
public import ParleyConversation
package import ParleyJSON

extension ChatMessage: Codable {
    /// Decodes a message in the form of OpenAI's chat completions; it gets a new id and date if it has none.
    ///
    /// - Throws: ``ConversationError`` with code `serializationFailed` that names the invalid field; the decoder's
    ///   errors.
    public init(from decoder: any Decoder) throws {
        try self.init(saved: JSONTree(from: decoder).value, path: Self.path(of: decoder))
    }

    /// The place of a message in what is decoded, such as `messages[2]`.
    private static func path(of decoder: any Decoder) -> String {
        let path = decoder.codingPath.reduce(into: "") { path, key in
            path += key.intValue.map { "[\($0)]" } ?? (path.isEmpty ? "" : ".") + key.stringValue
        }
        return path.isEmpty ? "message" : path.hasPrefix("[") ? "messages" + path : path
    }

    /// Encodes the message in the form of OpenAI's chat completions, with additional members for its id, date and raw
    /// output.
    ///
    /// - Throws: ``ConversationError`` with code `serializationFailed` if an image is neither JPEG nor PNG; the
    ///   encoder's errors.
    public func encode(to encoder: any Encoder) throws {
        try JSONTree(saved()).encode(to: encoder)
    }

    /// Reads a message in the form in which ``saved()`` writes it; it gets a new id and date if it has none.
    ///
    /// - Parameters:
    ///   - value: the message.
    ///   - path: what errors call it.
    /// - Throws: ``ConversationError`` with code `serializationFailed` that names the invalid field.
    package init(saved value: JSONValue, path: String = "message") throws(ConversationError) {
        let field = Field(value, path: path)
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

    /// The message in the form of OpenAI's chat completions, with additional members for its id, date and raw output.
    ///
    /// - Throws: ``ConversationError`` with code `serializationFailed` if an image is neither JPEG nor PNG.
    package func saved() throws(ConversationError) -> JSONValue {
        var value: JSONValue
        do {
            value = try MessageForm.json(self, content: .parts)
        } catch {
            throw ConversationError(serializing: error)
        }
        if let rawOutput { value["raw_output"] = .string(rawOutput) }
        value["id"] = .string(id.uuidString)
        value["created"] = .number((date.timeIntervalSince1970 * 1_000).rounded() / 1_000)
        return value
    }
}

extension FunctionCall: Codable {
    /// Decodes a call in the form of OpenAI's chat completions.
    ///
    /// - Throws: ``ConversationError`` with code `serializationFailed`; the decoder's errors.
    public init(from decoder: any Decoder) throws {
        let field = Field(try JSONTree(from: decoder).value, path: "call")
        do {
            self = try MessageForm.call(field)
        } catch {
            throw ConversationError(serializing: error)
        }
    }

    /// Encodes the call in the form of OpenAI's chat completions, with the arguments as a string of JSON, which
    /// preserves their order.
    ///
    /// - Throws: the encoder's errors.
    public func encode(to encoder: any Encoder) throws {
        try JSONTree(MessageForm.json(self)).encode(to: encoder)
    }
}

extension ConversationError {
    /// Creates the error for a message that cannot be encoded or decoded.
    init(serializing error: OpenAIError) {
        self.init(.serializationFailed, error.message, cause: error)
    }
}
