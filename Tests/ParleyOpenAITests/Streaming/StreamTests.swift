// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyJSON
import ParleyOpenAI
import Testing

@Suite("Streamed chat completions")
struct StreamTests {
    /// What parts add up to.
    private struct Sum: Equatable {
        var text = ""
        var reasoning = ""
        var calls: [FunctionCall] = []
        var rejections: [FunctionCallRejection.Reason] = []

        init(_ parts: [ResponsePart]) {
            for part in parts {
                switch part {
                case .text(let piece): text += piece
                case .reasoning(let piece): reasoning += piece
                case .functionCalls(let more): calls += more
                case .rejectedFunctionCall(let rejection): rejections.append(rejection.reason)
                case .audio: break
                }
            }
        }
    }

    private func read(_ chunks: [ChatCompletionChunk], choice: Int = 0) throws -> (Sum, GenerationOutcome) {
        var reader = ChatCompletionStreamReader(choice: choice)
        var parts: [ResponsePart] = []
        for chunk in chunks {
            parts += try reader.read(ChatCompletionChunk(reading: chunk.json.text().utf8))
        }
        let (last, outcome) = reader.finish()
        return (Sum(parts + last), outcome)
    }

    @Test("OpenAI's own examples are read")
    func examples() throws {
        for example in try Example.all() where example.answers.first?["object"] == "chat.completion.chunk" {
            let chunks = try example.answers.map { try ChatCompletionChunk($0) }
            #expect(chunks.count == 3)
            #expect(try chunks.map { try ChatCompletionChunk($0.json) } == chunks)
            let (sum, outcome) = try read(chunks)
            #expect(sum.text == "Hello")
            #expect(outcome.finishReason == .stop)
        }
    }

    @Test("what a reply goes on with arrives whole, two replies side by side", arguments: 0..<100 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = RandomWire(seed: seed)
        var writer = ChatCompletionStreamWriter(id: "chatcmpl-1", created: 7, model: "m", includesUsage: true)
        var chunks = [writer.begin(choice: 0), writer.begin(choice: 1)]
        var replies = [random.events(), random.events()]
        let completions = replies.map(\.completion)
        while let choice = replies.indices.filter({ !replies[$0].events.isEmpty }).randomElement(using: &random.random)
        {
            if let chunk = writer.chunk(for: replies[choice].events.removeFirst(), choice: choice) {
                chunks.append(chunk)
            }
        }
        let last = writer.finish()
        chunks += [last].compactMap(\.self)
        #expect(chunks.dropLast(last == nil ? 0 : 1).allSatisfy { $0.usage == .pending })
        for (choice, completion) in completions.enumerated() {
            let (sum, outcome) = try read(chunks, choice: choice)
            #expect(sum.text == completion.message.text)
            #expect(sum.reasoning == completion.message.reasoningContent ?? "")
            #expect(sum.calls == completion.message.functionCalls ?? [])
            #expect(outcome.finishReason == completion.finishReason)
        }
    }

    @Test("calls come in pieces, by index")
    func pieces() throws {
        func chunk(_ calls: [ChatCompletionChunk.CallDelta], _ reason: FinishReason? = nil) -> ChatCompletionChunk {
            ChatCompletionChunk(id: "", created: 0, model: "", deltas: [.init(calls: calls, finishReason: reason)])
        }
        let (sum, outcome) = try read([
            chunk([.init(index: 0, id: "a", name: "f")]), chunk([.init(index: 0, arguments: #"{"x""#)]),
            chunk([.init(index: 1, id: "a", name: "g", arguments: "{"), .init(index: 0, arguments: ":1}")]),
            chunk([.init(index: 1, arguments: "}"), .init(index: 2, name: "h", arguments: "[]")]),
            chunk([.init(index: 3, id: "d")], .functionCall),
        ])
        #expect(sum.calls.map(\.name) == ["f", "g"])
        #expect(sum.calls.first?.arguments == ["x": 1])
        #expect(Set(sum.calls.map(\.id)).count == 2, "ids differ, also where the server's do not")
        #expect(sum.rejections == [.invalidArguments, .missingName])
        #expect(outcome.finishReason == .functionCall)
    }

    @Test("a stream that breaks off says so, and its open call was cut")
    func brokenOff() throws {
        let (sum, outcome) = try read([
            ChatCompletionChunk(
                id: "", created: 0, model: "",
                deltas: [.init(content: "Hi", calls: [.init(index: 0, id: "a", name: "f", arguments: "{")])])
        ])
        #expect(sum.text == "Hi")
        #expect(sum.rejections == [.cut])
        #expect(outcome.finishReason == .cancelled)
    }

    @Test("the form is OpenAI's")
    func form() {
        var writer = ChatCompletionStreamWriter(id: "c", created: 7, model: "m")
        #expect(
            writer.begin().json.text() == """
                {"id":"c","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":\
                {"role":"assistant","content":""},"logprobs":null,"finish_reason":null,"stop_reason":null}]}
                """)
        let call = FunctionCall(id: "1", name: "f", arguments: ["a": 1])
        #expect(
            writer.chunk(for: .functionCall([call]))?.json["choices"]?[0]?["delta"]?.text() == """
                {"tool_calls":[{"index":0,"id":"1","type":"function","function":{"name":"f","arguments":"{\\"a\\":1}"}}]}
                """)
        #expect(writer.finish() == nil)
    }

    @Test(
        "a long call without an id is read in linear time, also where each part repeats the name",
        .timeLimit(.minutes(15)), arguments: [nil, "f"])
    func longCall(repeated: String?) throws {
        var reader = ChatCompletionStreamReader()
        func add(_ arguments: String, name: String? = nil) throws {
            let call = ChatCompletionChunk.CallDelta(index: 0, name: name, arguments: arguments)
            _ = try reader.read(
                ChatCompletionChunk(id: "", created: 0, model: "", deltas: [.init(calls: [call])]))
        }
        try add(#"{"a":""#, name: "f")
        for _ in 0..<250_000 { try add("word", name: repeated) }
        try add(#""}"#, name: repeated)
        let sum = Sum(reader.finish().parts)
        #expect(sum.calls.first?.arguments["a"]?.string?.utf8.count == 1_000_000 && sum.calls.count == 1)
    }

    @Test("calls without end are refused")
    func bounds() {
        var limits = WireLimits()
        (limits.calls, limits.argumentBytes) = (2, 10)
        func delta(_ call: ChatCompletionChunk.CallDelta) -> ChatCompletionChunk {
            ChatCompletionChunk(id: "", created: 0, model: "", deltas: [.init(calls: [call])])
        }
        var reader = ChatCompletionStreamReader(limits: limits)
        #expect(throws: OpenAIError.self) {
            for index in 0..<3 { _ = try reader.read(delta(.init(index: index, id: "a", name: "f"))) }
        }
        #expect(throws: OpenAIError.self) {
            for _ in 0..<3 { _ = try reader.read(delta(.init(index: 0, arguments: "12345"))) }
        }
        #expect(throws: OpenAIError.self) {
            let text = #"{"choices": [{"delta": {"tool_calls": [{"index": 9999999}]}}]}"#
            _ = try ChatCompletionChunk(reading: text.utf8)
        }
    }
}
