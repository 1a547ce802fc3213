// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON
import ParleyOpenAI
import Testing

@Suite("Responses")
struct ResponsesTests {
    private func writer() throws -> ResponsesWriter {
        ResponsesWriter(try ResponsesRequest(["model": "m", "input": "Hello"]), id: "1", created: 7)
    }

    private func completion(_ message: ChatMessage, _ reason: FinishReason = .stop) -> MessageCompletion {
        MessageCompletion(
            message: message,
            info: .init(finishReason: reason, stats: .init(promptTokens: 5, cachedPromptTokens: 3, completionTokens: 2))
        )
    }

    @Test("the items of a response, sent back, are the message again", arguments: 0..<100 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = RandomWire(seed: seed)
        var reply = random.reply()
        // A call whose name the template needs, and empty texts, have no other form.
        if reply.text.isEmpty, reply.functionCalls != nil { reply.content = [] }
        if reply.reasoningContent == "" { reply.reasoningContent = nil }
        let output = try #require(try writer().response(completion(reply))["output"]?.array)
        let items: [JSONValue] =
            [["role": "user", "content": "Hello"]] + output + [["role": "user", "content": "More"]]
        let read = try ResponsesRequest(["model": "m", "input": .array(items)]).chat.messages
        #expect(read.count == 3)
        #expect(read[1] == reply)
    }

    @Test("any cutting of a reply leads to the same response, whose events are numbered without a gap")
    func cutting() throws {
        let (reasoning, text) = ("Let me think 🤔.", "Wie schön 🙂 das ist.")
        let calls = [FunctionCall(id: "c1", name: "look", arguments: ["at": "sky"])]
        let message = ChatMessage(
            role: .assistant, content: [.text(text)], reasoningContent: reasoning, functionCalls: calls)
        let whole = try writer().response(completion(message))
        for size in 1...text.count {
            var writer = try writer()
            var events = writer.begin()
            for (kind, whole) in [(MessageResponse.reasoningChunk, reasoning), (MessageResponse.chunk, text)] {
                var rest = Array(whole)[...]
                while !rest.isEmpty {
                    events += writer.events(for: kind(String(rest.prefix(size))))
                    rest = rest.dropFirst(size)
                }
            }
            events += writer.events(for: .functionCall(calls))
            events += writer.end(completion(message))
            #expect(events.map { $0["sequence_number"]?.integer } == Array(0..<events.count))
            #expect(events.last?["response"] == whole)
            func joined(_ type: String) -> String {
                events.filter { $0["type"]?.string == type }.compactMap { $0["delta"]?.string }.joined()
            }
            #expect(joined("response.output_text.delta") == text)
            #expect(joined("response.reasoning_text.delta") == reasoning)
            #expect(joined("response.function_call_arguments.delta") == "{\"at\":\"sky\"}")
            let done = events.filter { $0["type"] == "response.output_item.done" }
            #expect(done.compactMap { $0["item"] } == whole["output"]?.array)
            #expect(done.compactMap { $0["output_index"]?.integer } == [0, 1, 2])
        }
    }

    @Test(
        "a reply that was cut is incomplete, and no other is",
        arguments: [
            (FinishReason.stop, "completed"), (.functionCall, "completed"), (.constraint, "completed"),
            (.length, "incomplete"), (.contextFull, "incomplete"), (.timeout, "incomplete"),
        ])
    func status(reason: FinishReason, status: String) throws {
        let response = try writer().response(completion(.assistant("Hi"), reason))
        #expect(response["status"]?.string == status)
        #expect(response["output"]?[0]?["status"]?.string == status)
        #expect((response["incomplete_details"]?["reason"] == "max_output_tokens") == (status == "incomplete"))
        #expect(response["usage"]?["input_tokens"] == 5)
        #expect(response["usage"]?["input_tokens_details"]?["cached_tokens"] == 3)
    }

    @Test("a failure before the first event still begins with a response")
    func failure() throws {
        var writer = try writer()
        let events = writer.fail(OpenAIError(nil, "No power.", type: .server))
        #expect(
            events.map { $0["type"]?.string } == [
                "response.created", "response.in_progress", "response.failed",
            ])
        #expect(events.last?["response"]?["error"]?["code"] == "server_error")
        #expect(writer.fail(OpenAIError(nil, "Again.", type: .server)).count == 1)
    }

    @Test("instructions come before the input, options mean what they mean in a chat")
    func request() throws {
        let request = try ResponsesRequest([
            "model": "m", "instructions": "Be brief.", "input": [["role": "user", "content": "Hi"]],
            "max_output_tokens": 7, "temperature": 0.5, "truncation": "auto", "reasoning": ["effort": "low"],
            "include": ["message.output_text.logprobs", "reasoning.encrypted_content"], "top_logprobs": 3,
            "text": ["format": ["type": "json_schema", "name": "n", "schema": ["type": "object"]]],
            "tools": [["type": "function", "name": "a"], ["type": "function", "name": "b"]],
            "tool_choice": [
                "type": "allowed_tools", "mode": "required", "tools": [["type": "function", "name": "b"]],
            ],
            "store": true, "other": 1,
        ])
        let chat = request.chat
        #expect(chat.messages.map(\.role) == [.system, .user])
        #expect(chat.options.maxTokens == 7)
        #expect(chat.options.temperature == 0.5)
        #expect(chat.options.maxReasoningTokens == 512)
        #expect(chat.options.functionCalling == .required)
        #expect(chat.functions.map(\.name) == ["b"])
        #expect(chat.dropsOldestTurns)
        #expect(chat.logprobs == 3)
        #expect(chat.options.jsonSchemaConstraint != nil)
        #expect(chat.ignored == ["other"])
        #expect(request.repeated["store"] == false)
        #expect(request.repeated["tools"]?.array?.count == 2)
    }

    @Test(
        "what cannot be done is refused by name",
        arguments: [
            (["previous_response_id": "r"], "previous_response_id", "unsupported_parameter"),
            (["conversation": "c"], "conversation", "unsupported_parameter"),
            (["background": true], "background", "unsupported_parameter"),
            (["prompt": ["id": "p"]], "prompt", "unsupported_parameter"),
            (["input": 1], "input", "invalid_type"), (["input": []], "input", "invalid_value"),
            (["input": [["type": "item_reference", "id": "a"]]], "input[0].type", "unsupported_value"),
            (["input": [["role": "tool", "content": "a"]]], "input[0].role", "unsupported_value"),
            (["input": [["role": "user"]]], "input[0].content", "missing_parameter"),
            (["input": [["type": "function_call_output", "output": "a"]]], "input[0].call_id", "missing_parameter"),
            (
                ["input": [["type": "function_call", "call_id": "a", "name": "b", "arguments": "{"]]],
                "input[0].arguments", "invalid_value"
            ),
            (["tools": [["type": "web_search"]], "tool_choice": "required"], "tool_choice", "invalid_value"),
            (
                ["tools": [["type": "web_search"]], "tool_choice": ["type": "web_search"]], "tool_choice.type",
                "unsupported_value"
            ),
            (["tools": [["name": "a"]]], "tools[0].type", "missing_parameter"),
            (["tool_choice": ["type": "function", "name": "a"]], "tool_choice.name", "invalid_value"),
            (["include": ["everything"]], "include[0]", "unsupported_value"),
            (["max_output_tokens": 0], "max_output_tokens", "invalid_value"),
            (["text": ["verbosity": "low"]], "text.verbosity", "unsupported_value"),
            (["truncation": "middle"], "truncation", "unsupported_value"),
        ] as [(JSONObject, String, String)])
    func refusals(members: JSONObject, param: String, code: String) throws {
        let body: JSONObject = ["model": "m", "input": "Hello"]
        let error = #expect(throws: OpenAIError.self) {
            try ResponsesRequest(.object(body.merging(members) { $1 }))
        }
        #expect(error?.param == param)
        #expect(error?.code?.rawValue == code)
    }

    @Test("of the tools that are allowed, those that were left out count for nothing", arguments: ["auto", "required"])
    func allowedOthers(mode: String) throws {
        func function(_ name: String) -> JSONValue { ["type": "function", "name": .string(name)] }
        func request(_ allowed: [JSONValue]) throws -> ResponsesRequest {
            try ResponsesRequest([
                "model": "m", "input": "Hello",
                "tools": [["type": "web_search"], function("a"), function("b")],
                "tool_choice": ["type": "allowed_tools", "mode": .string(mode), "tools": .array(allowed)],
            ])
        }
        let both = try request([["type": "web_search"], function("b")])
        #expect(both.chat.functions.map(\.name) == ["b"])
        let none = Result { try request([["type": "web_search"]]).chat.functions }
        if mode == "auto" {
            #expect(try none.get().isEmpty)
        } else {
            #expect(throws: OpenAIError.self) { try none.get() }
        }
    }

    @Test("tools that only OpenAI's own server has are left out beside functions, and named once each")
    func otherTools() throws {
        let request = try ResponsesRequest([
            "model": "m", "input": "Hello", "other": 1,
            "tools": [
                ["type": "web_search", "external_web_access": false], ["type": "function", "name": "a"],
                ["type": "namespace", "name": "x", "tools": []], ["type": "namespace", "name": "y", "tools": []],
                ["type": "custom", "name": "apply_patch", "format": ["type": "grammar"]],
            ],
        ])
        #expect(request.chat.functions.map(\.name) == ["a"])
        #expect(request.chat.ignored == ["other", "tools.web_search", "tools.namespace", "tools.custom"])
        #expect(request.repeated["tools"]?.array?.map { $0["name"]?.string } == ["a"])
    }

    @Test("the arguments of all calls together have a limit")
    func callBytes() throws {
        var limits = WireLimits()
        limits.callBytes = 10
        let call: JSONValue = ["type": "function_call", "call_id": "1", "name": "f", "arguments": "{\"a\":1}"]
        let body: JSONObject = ["model": "m", "input": [call]]
        #expect(try ResponsesRequest(.object(body), limits: limits).chat.messages.count == 1)
        let error = #expect(throws: OpenAIError.self) {
            try ResponsesRequest(.object(body.merging(["input": [call, call]]) { $1 }), limits: limits)
        }
        #expect(error?.param == "input[1].arguments")
    }
}
