// SPDX-License-Identifier: Apache-2.0

import ParleyJSON

extension ChatMessage: Codable {
    /// Reads a message in the form of OpenAI's chat completions.
    ///
    /// - Throws: ``ConversationError`` with code `serializationFailed` that names an unknown role or part, or what the
    ///   decoder throws.
    public init(from decoder: any Decoder) throws {
        let value = try JSONTree(from: decoder).value
        let reader = MessageReader(place: "A message")
        self = try reader.message(value)
        rawOutput = try reader.string(value, "raw_output")
    }

    /// Writes the message in the form of OpenAI's chat completions, with its raw output beside it.
    public func encode(to encoder: any Encoder) throws {
        var value = try MessageWriter.json(self)
        if let rawOutput { value["raw_output"] = .string(rawOutput) }
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

    /// Writes the call in the form of OpenAI's chat completions: the arguments are a JSON text, and so keep their order.
    public func encode(to encoder: any Encoder) throws {
        try JSONTree(MessageWriter.json(self)).encode(to: encoder)
    }
}
