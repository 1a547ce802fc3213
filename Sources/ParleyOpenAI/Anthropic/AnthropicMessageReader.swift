// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON

/// Reads the messages of a request of `/v1/messages`.
///
/// The results of tools are parts of the user's messages there, and become messages of their own.
struct AnthropicMessageReader {
    private let limits: WireLimits
    private(set) var messages: [ChatMessage] = []
    private var images = 0

    init(_ limits: WireLimits) {
        self.limits = limits
    }

    /// Reads what stands before the messages: a string, or blocks of text.
    ///
    /// - Throws: ``OpenAIError`` that names the invalid field.
    mutating func readSystem(_ field: Field) throws(OpenAIError) {
        var texts: [ChatMessageContent] = []
        for block in try blocks(field) {
            guard try block["type"].requiredString() == "text" else {
                throw block["type"].failure(.unsupportedValue, "must be text")
            }
            texts.append(.text(try block["text"].requiredString()))
        }
        if !texts.isEmpty { messages.append(ChatMessage(role: .system, content: texts)) }
    }

    /// Reads the next message.
    ///
    /// - Throws: ``OpenAIError`` that names the invalid field.
    mutating func read(_ message: Field) throws(OpenAIError) {
        try message.requireObject()
        if message["content"].isMissing { throw message["content"].missing }
        switch try message["role"].requiredString() {
        case "user": try user(message["content"])
        case "assistant": try assistant(message["content"])
        default: throw message["role"].failure(.unsupportedValue, "must be user or assistant; system is a member")
        }
    }

    private mutating func user(_ field: Field) throws(OpenAIError) {
        var content: [ChatMessageContent] = []
        let blocks = try blocks(field)
        for block in blocks {
            guard try block["type"].requiredString() == "tool_result" else {
                content.append(try part(block, "tool_result"))
                continue
            }
            var result: [ChatMessageContent] = []
            if !block["content"].isMissing {
                for part in try self.blocks(block["content"]) { result.append(try self.part(part)) }
            }
            messages.append(
                ChatMessage(role: .tool, content: result, functionCallID: try block["tool_use_id"].requiredString()))
        }
        if !content.isEmpty || blocks.isEmpty { messages.append(ChatMessage(role: .user, content: content)) }
    }

    private mutating func assistant(_ field: Field) throws(OpenAIError) {
        var reply = ChatMessage(role: .assistant, content: [])
        for block in try blocks(field) {
            switch try block["type"].requiredString() {
            case "text": reply.content.append(.text(try block["text"].requiredString()))
            case "thinking":
                reply.reasoningContent = (reply.reasoningContent ?? "") + (try block["thinking"].requiredString())
            case "redacted_thinking": break
            case "tool_use":
                guard let arguments = try block["input"].object() else { throw block["input"].missing }
                let call = FunctionCall(
                    id: try block["id"].requiredString(), name: try block["name"].requiredString(),
                    arguments: arguments)
                reply.functionCalls = (reply.functionCalls ?? []) + [call]
            default:
                throw block["type"].failure(.unsupportedValue, "must be one of text, thinking, tool_use")
            }
        }
        messages.append(reply)
    }

    /// The blocks of a content; a string is one block of text.
    private func blocks(_ field: Field) throws(OpenAIError) -> [Field] {
        if field.value.string != nil {
            return [Field(["type": "text", "text": field.value], path: field.path)]
        }
        guard field.value.array != nil else {
            throw field.failure(.invalidType, "must be a string or a list of blocks")
        }
        return try field.requiredElements(upTo: limits.parts)
    }

    /// Reads a text or an image.
    private mutating func part(_ block: Field, _ other: String? = nil) throws(OpenAIError) -> ChatMessageContent {
        switch try block["type"].requiredString() {
        case "text": return .text(try block["text"].requiredString())
        case "image":
            images += 1
            guard images <= limits.images else {
                throw block.failure(.invalidValue, "is one image too many; \(limits.images) are taken")
            }
            let source = block["source"]
            switch try source["type"].requiredString() {
            case "base64": return .image(try MessageForm.imageData(source["data"], limits))
            case "url":
                throw source["url"].failure(
                    .remoteImageNotAllowed, "is not fetched; send the image itself, as a source of the type base64")
            default: throw source["type"].failure(.unsupportedValue, "must be base64")
            }
        default:
            let known = ["text", "image", other].compactMap(\.self).joined(separator: ", ")
            throw block["type"].failure(.unsupportedValue, "must be one of \(known)")
        }
    }
}
