// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import OrderedCollections
import ParleyJSON

/// Writes messages in the form of OpenAI's chat completions.
enum MessageWriter {
    static func json(_ message: ChatMessage) throws -> JSONValue {
        var members: JSONObject = ["role": .string(message.role.rawValue)]
        if let name = message.name { members["name"] = .string(name) }
        members["content"] = message.content.isEmpty ? .null : .array(try message.content.map(part))
        if let reasoning = message.reasoningContent { members["reasoning_content"] = .string(reasoning) }
        if let calls = message.functionCalls { members["tool_calls"] = .array(calls.map(json)) }
        if let id = message.functionCallID { members["tool_call_id"] = .string(id) }
        return .object(members)
    }

    static func json(_ call: FunctionCall) -> JSONValue {
        [
            "id": .string(call.id), "type": "function",
            "function": [
                "name": .string(call.name), "arguments": .string(JSONValue.object(call.arguments).text()),
            ],
        ]
    }

    private static func part(_ content: ChatMessageContent) throws -> JSONValue {
        switch content {
        case .text(let text):
            return ["type": "text", "text": .string(text)]
        case .image(let data):
            guard let kind = imageType(data) else {
                throw ConversationError(
                    .serializationFailed, "An image is neither a JPEG nor a PNG file; convert it before it is sent.")
            }
            let url = "data:\(kind);base64,\(data.base64EncodedString())"
            return ["type": "image_url", "image_url": ["url": .string(url)]]
        case .audio(let data):
            return [
                "type": "input_audio",
                "input_audio": ["data": .string(data.base64EncodedString()), "format": "wav"],
            ]
        }
    }

    /// The media type that the first bytes of a file show.
    static func imageType(_ data: Data) -> String? {
        if data.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if data.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        return nil
    }
}
