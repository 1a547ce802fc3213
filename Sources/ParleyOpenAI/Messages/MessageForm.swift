// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
package import ParleyConversation
package import ParleyJSON

/// Reads and writes messages in the form of OpenAI's chat completions; no other code knows this form.
package enum MessageForm {
    /// The way in which the content of a message is written.
    package enum Content {
        /// Always an array of parts, which is read back as the same parts.
        case parts
        /// A single string if the content is only text, because every program understands that; otherwise an array of
        /// parts.
        case textWherePossible
    }

    // MARK: - Writing

    /// Converts a message to JSON.
    ///
    /// - Throws: ``OpenAIError`` if an image is neither JPEG nor PNG.
    package static func json(_ message: ChatMessage, content: Content) throws(OpenAIError) -> JSONValue {
        var members: JSONObject = ["role": .string(message.role.rawValue)]
        if let name = message.name { members["name"] = .string(name) }
        // Only the content of a reply may be null in a request.
        let isEmptyText = message.content.isEmpty && message.role != .assistant && content == .textWherePossible
        members["content"] = isEmptyText ? "" : try json(message.content, content)
        if let reasoning = message.reasoningContent { members["reasoning_content"] = .string(reasoning) }
        if let calls = message.functionCalls { members["tool_calls"] = .array(calls.map(json)) }
        if let id = message.functionCallID { members["tool_call_id"] = .string(id) }
        return .object(members)
    }

    /// Converts a call to JSON, with the arguments as a string of JSON, which preserves their order.
    static func json(_ call: FunctionCall) -> JSONValue {
        [
            "id": .string(call.id), "type": "function",
            "function": [
                "name": .string(call.name), "arguments": .string(JSONValue.object(call.arguments).text()),
            ],
        ]
    }

    private static func json(_ content: [ChatMessageContent], _ form: Content) throws(OpenAIError) -> JSONValue {
        if content.isEmpty { return .null }
        if case .textWherePossible = form {
            let texts = content.compactMap { part -> String? in if case .text(let text) = part { text } else { nil } }
            if texts.count == content.count { return .string(texts.joined()) }
        }
        var parts: [JSONValue] = []
        for part in content { parts.append(try json(part)) }
        return .array(parts)
    }

    private static func json(_ part: ChatMessageContent) throws(OpenAIError) -> JSONValue {
        switch part {
        case .text(let text): return ["type": "text", "text": .string(text)]
        case .image(let data):
            guard let kind = ImageKind(data)?.mediaType else {
                throw OpenAIError(
                    .invalidValue, "An image is neither a JPEG nor a PNG file; convert it before it is sent.")
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

    // MARK: - Reading

    /// Reads a message; a refusal is read as text.
    ///
    /// - Throws: ``OpenAIError`` that names the invalid field.
    static func message(
        _ field: Field, limits: WireLimits, id: UUID = UUID(), date: Date = Date()
    ) throws(OpenAIError) -> ChatMessage {
        try field.requireObject()
        var content = try content(field["content"], limits)
        if content.isEmpty, let refusal = try field["refusal"].string() { content = [.text(refusal)] }
        var calls: [FunctionCall]?
        if let list = try field["tool_calls"].elements(upTo: limits.parts) {
            calls = []
            for element in list { calls?.append(try call(element)) }
        }
        return ChatMessage(
            role: try role(field["role"]), content: content,
            reasoningContent: try field["reasoning_content"].string(), functionCalls: calls,
            functionCallID: try field["tool_call_id"].string(), name: try field["name"].string(), id: id, date: date)
    }

    /// Reads a function call.
    ///
    /// - Throws: ``OpenAIError`` that names the invalid field.
    static func call(_ field: Field) throws(OpenAIError) -> FunctionCall {
        if let type = try field["type"].string(), type != "function" {
            throw field["type"].failure(.unsupportedValue, "must be function")
        }
        let function = field["function"]
        return FunctionCall(
            id: try field["id"].requiredString(), name: try function["name"].requiredString(),
            arguments: try arguments(function["arguments"]))
    }

    /// Reads the arguments of a call, which are a string that contains a JSON object.
    static func arguments(_ field: Field) throws(OpenAIError) -> JSONObject {
        guard let object = arguments(try field.requiredString()) else {
            throw field.failure(.invalidValue, "is not the text of a JSON object")
        }
        return object
    }

    /// Parses the arguments of a call; an empty string counts as no arguments, because some models write that.
    static func arguments(_ text: String) -> JSONObject? {
        if text.isEmpty { return [:] }
        return try? JSONValue(parsing: text).object
    }

    private static func role(_ field: Field) throws(OpenAIError) -> ChatMessageRole {
        let name = try field.requiredString()
        guard let role = ChatMessageRole(rawValue: name) else {
            let known = ChatMessageRole.allCases.map(\.rawValue)
            throw field.failure(.unsupportedValue, "must be one of \(known.joined(separator: ", "))")
        }
        return role
    }

    private static func content(_ field: Field, _ limits: WireLimits) throws(OpenAIError) -> [ChatMessageContent] {
        if field.isMissing { return [] }
        if let text = field.value.string { return [.text(text)] }
        guard field.value.array != nil else { throw field.failure(.invalidType, "must be a string or a list of parts") }
        var content: [ChatMessageContent] = []
        for part in try field.requiredElements(upTo: limits.parts) { content.append(try self.part(part, limits)) }
        return content
    }

    private static func part(_ field: Field, _ limits: WireLimits) throws(OpenAIError) -> ChatMessageContent {
        switch try field["type"].requiredString() {
        case "text": return .text(try field["text"].requiredString())
        case "refusal": return .text(try field["refusal"].requiredString())
        case "image_url": return .image(try image(field["image_url"]["url"], limits))
        case "input_audio":
            let sound = field["input_audio"]
            guard try sound["format"].requiredString() == "wav" else {
                throw sound["format"].failure(.unsupportedValue, "must be wav")
            }
            guard let data = Data(base64Encoded: try sound["data"].requiredString()) else {
                throw sound["data"].failure(.invalidValue, "is not base64")
            }
            return .audio(data)
        default:
            throw field["type"].failure(.unsupportedValue, "must be one of text, image_url, input_audio, refusal")
        }
    }

    /// Reads an image, which is given by a data URL.
    ///
    /// - Throws: ``OpenAIError`` that names the field.
    static func image(_ field: Field, _ limits: WireLimits) throws(OpenAIError) -> Data {
        // Compares bytes, not characters: a comma followed by a combining mark is a different character.
        let url = try field.requiredString().utf8
        guard url.starts(with: "data:".utf8) else {
            throw field.failure(
                .remoteImageNotAllowed, "is no data URL; send the image itself, as data:image/png;base64,…")
        }
        guard let comma = url.firstIndex(of: UInt8(ascii: ",")), url.starts(with: "data:image/".utf8),
            url[..<comma].suffix(7).elementsEqual(";base64".utf8),
            let data = Data(base64Encoded: Data(url[comma...].dropFirst())), ImageKind(data) != nil
        else { throw field.failure(.invalidValue, "is no data URL of a JPEG or PNG file in base64") }
        try check(data, field, limits)
        return data
    }

    /// Reads an image, which is given by its bytes in base64.
    ///
    /// - Throws: ``OpenAIError`` that names the field.
    static func imageData(_ field: Field, _ limits: WireLimits) throws(OpenAIError) -> Data {
        guard let data = Data(base64Encoded: try field.requiredString()), ImageKind(data) != nil else {
            throw field.failure(.invalidValue, "is no JPEG or PNG file in base64")
        }
        try check(data, field, limits)
        return data
    }

    /// Throws if an image is too large to be decoded, or does not say how large it is.
    private static func check(_ data: Data, _ field: Field, _ limits: WireLimits) throws(OpenAIError) {
        guard limits.imagePixels < .max else { return }
        do {
            try ImageSize.check(data, limit: limits.imagePixels)
        } catch {
            throw field.failure(.invalidValue, error.description)
        }
    }
}
