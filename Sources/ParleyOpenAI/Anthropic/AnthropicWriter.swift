// SPDX-License-Identifier: Apache-2.0

package import ParleyConversation
package import ParleyJSON

/// Creates the events of one streamed message of `/v1/messages`, and the message that they lead to.
///
/// The events of a message are, in this order: that it is begun; for each block of its content that it is begun, its
/// parts as they arrive, and that it has ended; why the message ended, with the number of tokens; and its end.
package struct AnthropicWriter: Sendable {
    /// The block whose parts are arriving.
    private struct OpenBlock {
        var isThinking: Bool
        var text = ""
    }

    private let id: String
    private let model: String
    private var content: [JSONValue] = []
    private var open: OpenBlock?
    private var hasBegun = false
    /// The number of tokens in the prompt, as far as it is known when the message begins.
    package var promptTokens = 0

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - id: the message's id without its prefix.
    ///   - model: the name of the model, as the request has it.
    package init(id: String, model: String) {
        self.id = id
        self.model = model
    }

    /// The whole message.
    ///
    /// - Parameters:
    ///   - completion: the reply.
    ///   - others: members that Anthropic's API does not define.
    /// - Returns: the message.
    package func message(_ completion: MessageCompletion, others: JSONObject = [:]) -> JSONValue {
        var writer = self
        let message = completion.message
        _ = writer.events(for: .reasoningChunk(message.reasoningContent ?? ""))
        _ = writer.events(for: .chunk(message.text))
        _ = writer.events(for: .functionCall(message.functionCalls ?? []))
        _ = writer.end(completion)
        return writer.message(Self.stop(completion), Self.usage(completion.stats), others)
    }

    // MARK: - Events

    /// The first event.
    package mutating func begin() -> [JSONValue] {
        hasBegun = true
        let stop: JSONObject = ["stop_reason": .null, "stop_sequence": .null]
        let usage = Self.usage(GenerationStats(promptTokens: promptTokens, completionTokens: 0))
        return [["type": "message_start", "message": message(stop, usage)]]
    }

    /// The events for a piece of the reply.
    package mutating func events(for response: MessageResponse) -> [JSONValue] {
        switch response {
        case .chunk(let text): text.isEmpty ? [] : part(text, isThinking: false)
        case .reasoningChunk(let text): text.isEmpty ? [] : part(text, isThinking: true)
        case .functionCall(let calls): calls.reduce(into: []) { $0 += self.events(for: $1) }
        case .audioSample, .complete: []
        }
    }

    /// The last events of a message.
    ///
    /// - Parameters:
    ///   - completion: the reply.
    ///   - others: members that Anthropic's API does not define.
    /// - Returns: the events.
    package mutating func end(_ completion: MessageCompletion, others: JSONObject = [:]) -> [JSONValue] {
        var events = close()
        // Programs look for the first block without asking whether there is one.
        if content.isEmpty { events += begin(OpenBlock(isThinking: false)) + close() }
        var members: JSONObject = [
            "type": "message_delta", "delta": .object(Self.stop(completion)), "usage": Self.usage(completion.stats),
        ]
        members.merge(others) { own, _ in own }
        return events + [.object(members), ["type": "message_stop"]]
    }

    /// The last event of a message that cannot be completed.
    package mutating func fail(_ message: String, status: Int) -> [JSONValue] {
        (hasBegun ? [] : begin()) + [AnthropicErrorForm.json(message, status: status)]
    }

    // MARK: - Blocks

    private mutating func part(_ text: String, isThinking: Bool) -> [JSONValue] {
        var events: [JSONValue] = []
        if open?.isThinking != isThinking { events = close() + begin(OpenBlock(isThinking: isThinking)) }
        open?.text += text
        let delta: JSONValue =
            isThinking
            ? ["type": "thinking_delta", "thinking": .string(text)] : ["type": "text_delta", "text": .string(text)]
        return events + [self.delta(delta)]
    }

    private mutating func begin(_ block: OpenBlock) -> [JSONValue] {
        open = block
        return [start(Self.json(block))]
    }

    /// Ends the open block, if there is one.
    private mutating func close() -> [JSONValue] {
        guard let block = open else { return [] }
        open = nil
        return [stop(Self.json(block))]
    }

    private mutating func events(for call: FunctionCall) -> [JSONValue] {
        func block(_ input: JSONObject) -> JSONValue {
            ["type": "tool_use", "id": .string(call.id), "name": .string(call.name), "input": .object(input)]
        }
        let input: JSONValue = [
            "type": "input_json_delta", "partial_json": .string(JSONValue.object(call.arguments).text()),
        ]
        return close() + [start(block([:])), delta(input), stop(block(call.arguments))]
    }

    private func start(_ block: JSONValue) -> JSONValue {
        ["type": "content_block_start", "index": .integer(content.count), "content_block": block]
    }

    private func delta(_ delta: JSONValue) -> JSONValue {
        ["type": "content_block_delta", "index": .integer(content.count), "delta": delta]
    }

    private mutating func stop(_ block: JSONValue) -> JSONValue {
        defer { content.append(block) }
        return ["type": "content_block_stop", "index": .integer(content.count)]
    }

    // MARK: - JSON

    private static func json(_ block: OpenBlock) -> JSONValue {
        block.isThinking
            ? ["type": "thinking", "thinking": .string(block.text), "signature": ""]
            : ["type": "text", "text": .string(block.text)]
    }

    private func message(_ stop: JSONObject, _ usage: JSONValue, _ others: JSONObject = [:]) -> JSONValue {
        var members: JSONObject = [
            "id": .string("msg_" + id), "type": "message", "role": "assistant", "model": .string(model),
            "content": .array(content),
        ]
        members.merge(stop) { own, _ in own }
        members["usage"] = usage
        members.merge(others) { own, _ in own }
        return .object(members)
    }

    /// Why a reply ended.
    private static func stop(_ completion: MessageCompletion) -> JSONObject {
        let sequence = completion.info.stopString
        let reason =
            switch completion.finishReason {
            case .stop: sequence == nil ? "end_turn" : "stop_sequence"
            case .constraint, .cancelled: "end_turn"
            case .length, .timeout: "max_tokens"
            case .contextFull: "model_context_window_exceeded"
            case .functionCall: "tool_use"
            }
        let isSequence = reason == "stop_sequence"
        return [
            "stop_reason": .string(reason),
            "stop_sequence": isSequence ? sequence.map(JSONValue.string) ?? .null : .null,
        ]
    }

    /// The numbers of tokens; those that were cached are not among the input's there.
    private static func usage(_ stats: GenerationStats?) -> JSONValue {
        let cached = stats?.cachedPromptTokens ?? 0
        return [
            "input_tokens": .integer(max((stats?.promptTokens ?? 0) - cached, 0)), "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": .integer(cached), "output_tokens": .integer(stats?.completionTokens ?? 0),
        ]
    }
}
