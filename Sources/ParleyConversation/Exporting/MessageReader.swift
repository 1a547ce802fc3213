// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import ParleyJSON

/// Reads messages in the form of OpenAI's chat completions.
struct MessageReader {
    /// What is being read, for errors: "Message 3".
    let place: String

    func message(_ value: JSONValue, id: UUID = UUID(), date: Date = Date()) throws -> ChatMessage {
        guard value.object != nil else { throw failure("is no object") }
        let roleName = try string(value, "role") ?? ""
        guard let role = ChatMessageRole(rawValue: roleName) else {
            let known = ChatMessageRole.allCases.map(\.rawValue).joined(separator: ", ")
            throw failure("has the unknown role \"\(roleName)\"; known are \(known)")
        }
        var calls: [FunctionCall]?
        if let list = value["tool_calls"], !list.isNull {
            guard let elements = list.array else { throw failure("has tool_calls that are no list") }
            calls = try elements.map(call)
        }
        return ChatMessage(
            role: role, content: try content(value["content"] ?? .null),
            reasoningContent: try string(value, "reasoning_content"), functionCalls: calls,
            functionCallID: try string(value, "tool_call_id"), name: try string(value, "name"), id: id,
            date: date)
    }

    func call(_ value: JSONValue) throws -> FunctionCall {
        guard let id = value["id"]?.string, let name = value["function"]?["name"]?.string,
            let text = value["function"]?["arguments"]?.string
        else { throw failure("has a call without id, name or arguments") }
        guard let arguments = try? JSONValue(parsing: text).object else {
            throw failure("has a call whose arguments are no JSON object")
        }
        return FunctionCall(id: id, name: name, arguments: arguments)
    }

    private func content(_ value: JSONValue) throws -> [ChatMessageContent] {
        switch value {
        case .null: return []
        case .string(let text): return [.text(text)]
        case .array(let parts): return try parts.map(part)
        default: throw failure("has content that is neither text nor a list of parts")
        }
    }

    private func part(_ value: JSONValue) throws -> ChatMessageContent {
        let type = value["type"]?.string ?? ""
        switch type {
        case "text":
            guard let text = value["text"]?.string else { throw failure("has a text part without text") }
            return .text(text)
        case "image_url":
            // By bytes: as a character, a comma with a combining mark after it would not be found.
            let url = (value["image_url"]?["url"]?.string ?? "").utf8
            guard let comma = url.firstIndex(of: UInt8(ascii: ",")), url.starts(with: "data:image/".utf8),
                url[..<comma].suffix(7).elementsEqual(";base64".utf8),
                let data = Data(base64Encoded: Data(url[comma...].dropFirst())),
                MessageWriter.imageType(data) != nil
            else { throw failure("has an image_url that is no data URL of a JPEG or PNG file") }
            return .image(data)
        case "input_audio":
            let sound = value["input_audio"] ?? .null
            guard sound["format"]?.string == "wav", let text = sound["data"]?.string,
                let data = Data(base64Encoded: text)
            else { throw failure("has an input_audio that is no WAV file in base64") }
            return .audio(data)
        default:
            throw failure("has a part of the unknown type \"\(type)\"; known are text, image_url, input_audio")
        }
    }

    /// A member that is a string, null or missing.
    func string(_ value: JSONValue, _ name: String) throws -> String? {
        switch value[name] {
        case nil, .null?: return nil
        case .string(let text)?: return text
        default: throw failure("has a member \"\(name)\" that is no string")
        }
    }

    private func failure(_ what: String) -> ConversationError {
        ConversationError(.serializationFailed, "\(place) \(what).")
    }
}
