// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConversation
import ParleyJSON

/// Writes messages as chat templates expect them: OpenAI's form, with a text for content and an object for arguments.
struct TemplateMessageWriter {
    /// Whether the template writes calls and results of functions itself.
    var takesCalls: Bool
    /// Whether the template writes reasoning itself.
    var takesReasoning: Bool
    /// The placeholders of the images in the text; nil leaves images out.
    var markers: ImageMarkers? = nil

    func json(_ message: ChatMessage) throws -> JSONValue {
        var members: JSONObject = ["role": .string(message.role.rawValue)]
        if let name = message.name { members["name"] = .string(name) }
        if let id = message.functionCallID { members["tool_call_id"] = .string(id) }
        if let raw = replayed(message) {
            members["content"] = .string(raw)
            return .object(members)
        }
        members["content"] = .string(try text(of: message))
        if let reasoning = message.reasoningContent { members["reasoning_content"] = .string(reasoning) }
        if takesCalls, let calls = message.functionCalls, !calls.isEmpty {
            members["tool_calls"] = .array(calls.map(json))
        }
        return .object(members)
    }

    /// The model's raw output, tags included, where the template would not write the same: so that the next prompt
    /// begins with the tokens that the model has seen. Otherwise nil: the template can write control tokens, which text
    /// cannot hold.
    func replayed(_ message: ChatMessage) -> String? {
        guard message.role == .assistant, let raw = message.rawOutput else { return nil }
        let writesCalls = takesCalls && !(message.functionCalls ?? []).isEmpty
        let writesReasoning = takesReasoning && message.reasoningContent != nil
        return writesCalls || writesReasoning ? nil : raw
    }

    private func json(_ call: FunctionCall) -> JSONValue {
        [
            "id": .string(call.id), "type": "function",
            "function": ["name": .string(call.name), "arguments": .object(call.arguments)],
        ]
    }

    private func text(of message: ChatMessage) throws -> String {
        var text = ""
        for part in message.content {
            switch part {
            case .text(let piece): text += piece
            case .image(let bytes): text += markers?.marker(of: bytes) ?? ""
            // The model's speech is not sent back to it; its text is.
            case .audio where message.role == .assistant: continue
            case .audio:
                throw ConversationError(.invalidInput, "This model hears nothing; leave sounds out of the messages.")
            }
        }
        return text
    }
}
