// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON
import ParleyOpenAI
import Testing

@Suite("Messages in Anthropic's form")
struct AnthropicTests {
    private let writer = AnthropicWriter(id: "1", model: "m")

    private func completion(
        _ message: ChatMessage, _ reason: FinishReason = .stop, stopString: String? = nil
    ) -> MessageCompletion {
        var info = GenerationInfo(
            finishReason: reason, stats: .init(promptTokens: 5, cachedPromptTokens: 3, completionTokens: 2))
        info.stopString = stopString
        return MessageCompletion(message: message, info: info)
    }

    private func request(_ members: JSONObject) throws -> ChatCompletionRequest {
        let body: JSONObject = [
            "model": "m", "max_tokens": 9, "messages": [["role": "user", "content": "Hello"]],
        ]
        return try AnthropicRequest(.object(body.merging(members) { $1 })).chat
    }

    @Test("the content of a message, sent back, is the message again", arguments: 0..<100 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = RandomWire(seed: seed)
        var reply = random.reply()
        // An empty text beside calls has no other form.
        if reply.text.isEmpty, reply.functionCalls != nil || reply.reasoningContent?.isEmpty == false {
            reply.content = []
        }
        if reply.reasoningContent == "" { reply.reasoningContent = nil }
        let content = try #require(writer.message(completion(reply))["content"])
        let messages: JSONValue = [
            ["role": "user", "content": "Hello"], ["role": "assistant", "content": content],
            ["role": "user", "content": "More"],
        ]
        let read = try request(["messages": messages]).messages
        #expect(read.count == 3)
        #expect(read[1] == reply)
    }

    @Test("any cutting of a reply gives the same joined deltas, in blocks that begin and end in their order")
    func cutting() throws {
        let (reasoning, text) = ("Let me think 🤔.", "Wie schön 🙂 das ist.")
        let calls = [FunctionCall(id: "c1", name: "look", arguments: ["at": "sky"])]
        let message = ChatMessage(
            role: .assistant, content: [.text(text)], reasoningContent: reasoning, functionCalls: calls)
        for size in 1...text.count {
            var writer = writer
            var events = writer.begin()
            for (kind, whole) in [(MessageResponse.reasoningChunk, reasoning), (MessageResponse.chunk, text)] {
                var rest = Array(whole)[...]
                while !rest.isEmpty {
                    events += writer.events(for: kind(String(rest.prefix(size))))
                    rest = rest.dropFirst(size)
                }
            }
            events += writer.events(for: .functionCall(calls))
            events += writer.end(completion(message, .functionCall))
            func joined(_ name: String) -> String { events.compactMap { $0["delta"]?[name]?.string }.joined() }
            #expect(joined("thinking") == reasoning)
            #expect(joined("text") == text)
            #expect(joined("partial_json") == "{\"at\":\"sky\"}")
            var marks: [String] = []
            for event in events where event["type"] != "content_block_delta" {
                let type = event["type"]?.string ?? ""
                marks.append(event["index"]?.integer.map { "\(type) \($0)" } ?? type)
            }
            let blocks = (0...2).flatMap { ["content_block_start \($0)", "content_block_stop \($0)"] }
            #expect(marks == ["message_start"] + blocks + ["message_delta", "message_stop"])
            let last = events[events.count - 2]
            #expect(last["delta"]?["stop_reason"] == "tool_use")
            #expect(last["usage"]?["input_tokens"] == 2)
            #expect(last["usage"]?["cache_read_input_tokens"] == 3)
        }
    }

    @Test(
        "why a reply ended has Anthropic's words",
        arguments: [
            (FinishReason.stop, nil, "end_turn"), (.stop, "END", "stop_sequence"), (.length, nil, "max_tokens"),
            (.contextFull, nil, "model_context_window_exceeded"), (.functionCall, nil, "tool_use"),
            (.timeout, nil, "max_tokens"), (.constraint, nil, "end_turn"),
        ] as [(FinishReason, String?, String)])
    func reasons(reason: FinishReason, stopString: String?, word: String) {
        let message = writer.message(completion(.assistant("Hi"), reason, stopString: stopString))
        #expect(message["stop_reason"]?.string == word)
        #expect(message["stop_sequence"]?.string == stopString)
    }

    @Test("a failure before the first event still begins with a message")
    func failure() {
        var writer = writer
        let events = writer.fail("No power.", status: 500)
        #expect(events.map { $0["type"]?.string } == ["message_start", "error"])
        #expect(events.last?["error"] == ["type": "api_error", "message": "No power."])
        #expect(writer.fail("Again.", status: 503).last?["error"]?["type"] == "overloaded_error")
    }

    @Test("options mean what they mean in a chat")
    func options() throws {
        let tools: JSONValue = [["name": "a", "input_schema": ["type": "object"]], ["name": "b", "type": "custom"]]
        let chat = try request([
            "system": "Be brief.", "tools": tools, "stop_sequences": ["x"], "temperature": 0.5, "top_k": 4,
            "tool_choice": ["type": "tool", "name": "b", "disable_parallel_tool_use": true],
            "thinking": ["type": "enabled", "budget_tokens": 2_000], "other": 1, "stop": ["y"],
            "output_config": ["format": ["type": "json_schema", "schema": ["type": "object"]]],
        ])
        #expect(chat.messages.map(\.role) == [.system, .user])
        #expect(chat.options.maxTokens == 9)
        #expect(chat.options.stop == ["x"])
        #expect(chat.options.topK == 4)
        #expect(chat.options.functionCalling == .named("b"))
        #expect(chat.parallelCalls == false)
        #expect(chat.options.reasoning == .on)
        #expect(chat.options.maxReasoningTokens == 2_000)
        #expect(chat.options.jsonSchemaConstraint != nil)
        #expect(chat.ignored == ["other", "stop"])
        #expect(!chat.continuesLastMessage)
        #expect(try request([:]).options.reasoning == .off)
        #expect(try request(["thinking": ["type": "adaptive"]]).options.reasoning == .automatic)
        let begun: JSONValue = [["role": "user", "content": "a"], ["role": "assistant", "content": "b"]]
        #expect(try request(["messages": begun]).continuesLastMessage)
    }

    @Test("results of tools are messages before what the user adds to them")
    func results() throws {
        let messages: JSONValue = [
            [
                "role": "user",
                "content": [
                    ["type": "tool_result", "tool_use_id": "t1", "content": "One."],
                    ["type": "tool_result", "tool_use_id": "t2", "content": [["type": "text", "text": "Two."]]],
                    ["type": "text", "text": "And now?"],
                ],
            ]
        ]
        let read = try request(["messages": messages]).messages
        #expect(read.map(\.role) == [.tool, .tool, .user])
        #expect(read.map(\.functionCallID) == ["t1", "t2", nil])
        #expect(read.map(\.text) == ["One.", "Two.", "And now?"])
    }

    @Test(
        "what cannot be done is refused by name",
        arguments: [
            (["max_tokens": .null], "max_tokens", "missing_parameter"),
            (["max_tokens": 0], "max_tokens", "invalid_value"),
            (["messages": []], "messages", "invalid_value"),
            (["stop_sequences": "a"], "stop_sequences", "invalid_type"),
            (["messages": [["role": "system", "content": "a"]]], "messages[0].role", "unsupported_value"),
            (["messages": [["role": "user"]]], "messages[0].content", "missing_parameter"),
            (
                ["messages": [["role": "user", "content": [["type": "document"]]]]], "messages[0].content[0].type",
                "unsupported_value"
            ),
            (
                ["messages": [["role": "user", "content": [["type": "tool_result"]]]]],
                "messages[0].content[0].tool_use_id", "missing_parameter"
            ),
            (
                ["messages": [["role": "assistant", "content": [["type": "tool_use", "id": "a", "name": "b"]]]]],
                "messages[0].content[0].input", "missing_parameter"
            ),
            (["system": [["type": "image"]]], "system[0].type", "unsupported_value"),
            (["tools": [["type": "bash_20250124", "name": "bash"]]], "tools[0].type", "unsupported_value"),
            (["tool_choice": ["type": "tool", "name": "a"]], "tool_choice.name", "invalid_value"),
            (["tool_choice": ["type": "any"]], "tool_choice", "invalid_value"),
            (["thinking": ["type": "enabled"]], "thinking.budget_tokens", "missing_parameter"),
            (["container": "c"], "container", "unsupported_parameter"),
            (["mcp_servers": [["url": "a"]]], "mcp_servers", "unsupported_parameter"),
        ] as [(JSONObject, String, String)])
    func refusals(members: JSONObject, param: String, code: String) throws {
        let error = #expect(throws: OpenAIError.self) { try request(members) }
        #expect(error?.param == param)
        #expect(error?.code?.rawValue == code)
    }
}
