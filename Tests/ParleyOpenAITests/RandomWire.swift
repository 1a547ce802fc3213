// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyJSON
import ParleyOpenAI

import struct ParleyRuntime.SplitMix64

/// Random messages, options and replies, which read back as they were written.
struct RandomWire {
    var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    static let texts = [
        "", "a", "é", "e\u{301}", "\u{0}", "\"\\/\n\r\t", "日本語", "🧑‍🚀", "</tool_call>", "data: [DONE]\n\n", "{\"a\": 1}",
    ]

    mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func oneIn(_ count: Int) -> Bool { int(1...count) == 1 }

    mutating func pick<Element>(_ list: [Element]) -> Element { list[int(0...list.count - 1)] }

    mutating func text() -> String { (0...int(0...2)).map { _ in pick(Self.texts) }.joined() }

    mutating func maybe<Value>(_ make: (inout Self) -> Value) -> Value? { oneIn(2) ? make(&self) : nil }

    mutating func object(depth: Int = 3) -> JSONObject {
        var members: JSONObject = [:]
        for _ in 0..<int(0...3) { members[text()] = value(depth: depth) }
        return members
    }

    private mutating func value(depth: Int) -> JSONValue {
        switch int(0...(depth > 0 ? 6 : 4)) {
        case 0: .null
        case 1: .bool(oneIn(2))
        case 2: .integer(int(.min ... .max))
        case 3: .number(Double(int(-1_000...1_000)) / 7)
        case 4: .string(text())
        case 5: .array((0..<int(0...3)).map { _ in value(depth: depth - 1) })
        default: .object(object(depth: depth - 1))
        }
    }

    mutating func call() -> FunctionCall {
        FunctionCall(id: "call_\(int(0 ... .max))", name: pick(["look", "hear", "get_weather"]), arguments: object())
    }

    mutating func reply() -> ChatMessage {
        ChatMessage(
            role: .assistant, content: [.text(text())], reasoningContent: maybe { $0.text() },
            functionCalls: maybe { one in (0...one.int(0...2)).map { _ in one.call() } })
    }

    mutating func message() -> ChatMessage {
        switch int(0...4) {
        case 0: return .system(text())
        case 1: return reply()
        case 2: return .functionResult(text(), for: call())
        default:
            let bytes = (0..<int(0...12)).map { _ in UInt8(int(0...255)) }
            // What states the size of one pixel.
            let image: [UInt8] =
                oneIn(2)
                ? [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 1, 0, 1]
                : [
                    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0,
                    0, 0, 1,
                ]
            let parts: [ChatMessageContent] = [.text(text()), .image(Data(image + bytes)), .audio(Data(bytes))]
            let content = oneIn(2) ? [.text(text())] : parts.shuffled(using: &random)
            return ChatMessage(role: .user, content: content, name: maybe { $0.text() })
        }
    }

    mutating func finishReason() -> FinishReason { pick(FinishReason.allCases) }

    mutating func stats() -> GenerationStats {
        GenerationStats(
            promptTokens: int(0...9_999), cachedPromptTokens: int(0...99), completionTokens: int(0...9_999),
            reasoningTokens: int(0...99))
    }

    mutating func request() -> ChatCompletionRequest {
        let functions = [
            Function(name: "look", description: text(), parameters: JSONSchema(.object(object()))),
            Function(name: "hear", description: text(), parameters: [.init(name: "pitch", type: .number())]),
        ]
        var options = GenerationOptions(
            temperature: maybe { Float($0.int(0...20)) / 10 }, topK: maybe { $0.int(0...100) },
            topP: maybe { Float($0.int(1...100)) / 100 }, minP: maybe { Float($0.int(0...100)) / 100 },
            repetitionPenalty: maybe { Float($0.int(1...30)) / 10 }, seed: maybe { $0.random.next() },
            maxTokens: maybe { $0.int(0...9_999) }, stop: Array(["x", "\n", "é"].prefix(int(0...3))),
            reasoning: pick([.automatic, .on, .off]),
            functionCalling: pick([.automatic, .none, .required, .named("look")]))
        let effort: ReasoningEffort? = maybe { $0.pick(ReasoningEffort.allCases) }
        if let effort { (options.reasoning, options.maxReasoningTokens) = (effort.mode, effort.maxTokens) }
        let schema = JSONSchema(.object(object()))
        let formats: [ResponseFormat] = [
            .text, .jsonObject, .jsonSchema(schema),
            .jsonSchema(schema, name: "a", description: "b", isStrict: true),
        ]
        return ChatCompletionRequest(
            model: text(), messages: (0...int(0...5)).map { _ in message() } + [reply()], functions: functions,
            options: options,
            responseFormat: pick(formats), reasoningEffort: effort, stream: oneIn(2), includesUsage: oneIn(2),
            choices: int(1...8),
            parallelCalls: maybe { $0.oneIn(2) }, logprobs: maybe { $0.int(0...20) },
            frequencyPenalty: Double(int(-4...4)) / 2, presencePenalty: Double(int(-4...4)) / 2,
            logitBias: oneIn(2) ? [:] : [int(0...9): Double(int(-100...100))], continuesLastMessage: oneIn(2),
            cacheKey: maybe { $0.text() })
    }

    /// The events of one reply, and the message that they make.
    mutating func events() -> (events: [MessageResponse], completion: MessageCompletion) {
        var message = reply()
        var events: [MessageResponse] = []
        func pieces(_ text: String, _ event: (String) -> MessageResponse) -> [MessageResponse] {
            text.unicodeScalars.map { event(String($0)) }
        }
        events += pieces(message.reasoningContent ?? "") { .reasoningChunk($0) }
        events += pieces(message.text) { .chunk($0) }
        for call in message.functionCalls ?? [] { events.append(.functionCall([call])) }
        if message.reasoningContent == "" { message.reasoningContent = nil }
        let info = GenerationInfo(finishReason: finishReason(), stats: maybe { $0.stats() })
        let completion = MessageCompletion(message: message, info: info)
        return (events + [.complete(completion)], completion)
    }
}
