// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import ParleyJSON

extension ChatMessage: Codable {
    /// Reads a message in the form of OpenAI's chat completions; without an id and a date it gets new ones.
    ///
    /// - Throws: ``ConversationError`` with code `serializationFailed` that names an unknown role or part, or what the
    ///   decoder throws.
    public init(from decoder: any Decoder) throws {
        let value = try JSONTree(from: decoder).value
        let reader = MessageReader(place: "A message")
        let created = value["created"]?.number.flatMap { $0.isFinite ? Date(timeIntervalSince1970: $0) : nil }
        self = try reader.message(
            value, id: value["id"]?.string.flatMap(UUID.init(uuidString:)) ?? UUID(), date: created ?? Date())
        rawOutput = try reader.string(value, "raw_output")
    }

    /// Writes the message in the form of OpenAI's chat completions, with its id, its date and its raw output beside it.
    ///
    /// - Throws: ``ConversationError`` with code `serializationFailed` where an image is neither JPEG nor PNG, or what
    ///   the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var value = try MessageWriter.json(self)
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
        self = try MessageReader(place: "A function call").call(try JSONTree(from: decoder).value)
    }

    /// Writes the call in the form of OpenAI's chat completions: the arguments are a JSON text, and so keep their
    /// order.
    ///
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        try JSONTree(MessageWriter.json(self)).encode(to: encoder)
    }
}
