// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON

/// Reads the items of a request of `/v1/responses` as messages.
///
/// A reply is several items there: its reasoning, its text and each of its calls. They become one message again.
struct ResponseItemReader {
    private let limits: WireLimits
    private var messages: [ChatMessage] = []
    /// The reply whose items are being read.
    private var reply: ChatMessage?
    private var images = 0
    private var callBytes = 0

    init(_ limits: WireLimits) {
        self.limits = limits
    }

    /// Reads the next item.
    ///
    /// - Throws: ``OpenAIError`` that names the invalid field.
    mutating func read(_ item: Field) throws(OpenAIError) {
        try item.requireObject()
        switch try item["type"].string() ?? "message" {
        case "message": try message(item)
        case "reasoning":
            let texts = try texts(item["content"], "reasoning_text")
            let reasoning = (texts.isEmpty ? try self.texts(item["summary"], "summary_text") : texts).joined()
            close()
            // One whose content another server has encrypted says nothing here.
            if !reasoning.isEmpty {
                reply = ChatMessage(role: .assistant, content: [], reasoningContent: reasoning)
            }
        case "function_call":
            callBytes += item["arguments"].value.string?.utf8.count ?? 0
            guard callBytes <= limits.callBytes else {
                throw item["arguments"].failure(
                    .invalidValue, "brings more than \(limits.callBytes >> 20) MiB of arguments")
            }
            let call = FunctionCall(
                id: try item["call_id"].requiredString(), name: try item["name"].requiredString(),
                arguments: try MessageForm.arguments(item["arguments"]))
            var reply = reply ?? ChatMessage(role: .assistant, content: [])
            guard (reply.functionCalls?.count ?? 0) < limits.parts else {
                throw item.failure(.invalidValue, "is one call too many; \(limits.parts) are taken")
            }
            reply.functionCalls = (reply.functionCalls ?? []) + [call]
            self.reply = reply
        case "function_call_output":
            close()
            if item["output"].isMissing { throw item["output"].missing }
            messages.append(
                ChatMessage(
                    role: .tool, content: try content(item["output"]),
                    functionCallID: try item["call_id"].requiredString()))
        case "item_reference":
            throw item["type"].failure(
                .unsupportedValue,
                "names an item that would have to be kept, and none is; send the item, as programs do that are told not to "
                    + "store responses")
        default:
            throw item["type"].failure(
                .unsupportedValue, "must be one of message, reasoning, function_call, function_call_output")
        }
    }

    /// The messages of all items.
    mutating func finish() -> [ChatMessage] {
        close()
        return messages
    }

    private mutating func close() {
        if let reply { messages.append(reply) }
        reply = nil
    }

    private mutating func message(_ item: Field) throws(OpenAIError) {
        let name = try item["role"].requiredString()
        guard let role = ChatMessageRole(rawValue: name), role != .tool else {
            throw item["role"].failure(.unsupportedValue, "must be one of user, assistant, system, developer")
        }
        if item["content"].isMissing { throw item["content"].missing }
        let content = try content(item["content"])
        guard role == .assistant else {
            close()
            messages.append(ChatMessage(role: role, content: content))
            return
        }
        // Reasoning comes before the text that it led to.
        if let reply, !reply.content.isEmpty || reply.functionCalls != nil { close() }
        var reply = reply ?? ChatMessage(role: .assistant, content: [])
        reply.content = content
        self.reply = reply
    }

    private mutating func content(_ field: Field) throws(OpenAIError) -> [ChatMessageContent] {
        if let text = field.value.string { return [.text(text)] }
        guard field.value.array != nil else { throw field.failure(.invalidType, "must be a string or a list of parts") }
        var content: [ChatMessageContent] = []
        for part in try field.requiredElements(upTo: limits.parts) {
            switch try part["type"].requiredString() {
            case "input_text", "output_text", "text": content.append(.text(try part["text"].requiredString()))
            case "refusal": content.append(.text(try part["refusal"].requiredString()))
            case "input_image":
                guard part["file_id"].isMissing else {
                    throw part["file_id"].failure(.unsupportedParameter, "is not supported; send a data URL")
                }
                images += 1
                guard images <= limits.images else {
                    throw part.failure(.invalidValue, "is one image too many; \(limits.images) are taken")
                }
                content.append(.image(try MessageForm.image(part["image_url"], limits)))
            default:
                throw part["type"].failure(
                    .unsupportedValue, "must be one of input_text, output_text, refusal, input_image")
            }
        }
        return content
    }

    private func texts(_ field: Field, _ type: String) throws(OpenAIError) -> [String] {
        var texts: [String] = []
        for part in try field.elements(upTo: limits.parts) ?? [] {
            guard try part["type"].requiredString() == type else {
                throw part["type"].failure(.unsupportedValue, "must be \(type)")
            }
            texts.append(try part["text"].requiredString())
        }
        return texts
    }
}
