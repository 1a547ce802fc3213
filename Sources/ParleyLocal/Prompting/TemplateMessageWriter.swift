// SPDX-License-Identifier: Apache-2.0

import OrderedCollections
import ParleyConversation
import ParleyJSON

/// Converts messages to the form that chat templates expect: OpenAI's format, with text content and arguments as
/// objects.
struct TemplateMessageWriter {
    /// Whether the template renders function calls and their results itself.
    var takesCalls: Bool
    /// Whether the template renders reasoning itself.
    var takesReasoning: Bool
    /// Whether the template writes the headers of messages within a reply. It then refuses them in a message's text,
    /// and shows reasoning, under another name, only in messages without text.
    var writesHeaders = false
    /// The placeholders for images in the text; nil to leave images out.
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
        if let reasoning = message.reasoningContent {
            members["reasoning_content"] = .string(reasoning)
            if writesHeaders, message.text.isEmpty { members["thinking"] = .string(reasoning) }
        }
        if takesCalls, let calls = message.functionCalls, !calls.isEmpty {
            members["tool_calls"] = .array(calls.map(json))
        }
        return .object(members)
    }

    /// The model's raw output, including tags, if the template would not render the message as the model wrote it.
    ///
    /// The next prompt then begins with the same tokens as before. Nil if the template renders such messages itself,
    /// which can write control tokens that the text of a message cannot contain.
    func replayed(_ message: ChatMessage) -> String? {
        guard message.role == .assistant, !writesHeaders, let raw = message.rawOutput else { return nil }
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
            // The model's own speech is not sent back to it, only its text.
            case .audio where message.role == .assistant: continue
            case .audio:
                throw ConversationError(
                    .invalidInput,
                    "This model hears nothing; leave sounds out of the messages, or load a speech model that writes them "
                        + "down (LocalModelRunner.hear).")
            }
        }
        return text
    }
}
