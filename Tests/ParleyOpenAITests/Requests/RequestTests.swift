// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyJSON
import ParleyOpenAI
import Testing

@Suite("Chat completion requests")
struct RequestTests {
    private func read(_ members: String, limits: WireLimits = .standard) throws -> ChatCompletionRequest {
        let messages = members.contains(#""messages""#) ? "" : #", "messages": [{"role": "user", "content": "Hi"}]"#
        let text = #"{"model": "m"\#(messages)\#(members.isEmpty ? "" : ", " + members)}"#
        return try ChatCompletionRequest(reading: text.utf8, limits: limits)
    }

    @Test("OpenAI's own examples are read, but for images at addresses")
    func examples() throws {
        var count = 0
        for example in try Example.all() {
            guard let json = example.request else { continue }
            count += 1
            if example.title == "Image input" {
                let error = #expect(throws: OpenAIError.self) { try ChatCompletionRequest(json) }
                #expect(error?.code == .remoteImageNotAllowed)
                #expect(error?.param == "messages[0].content[1].image_url.url")
                continue
            }
            let request = try ChatCompletionRequest(json)
            #expect(request.ignored.isEmpty)
            #expect(request.messages.last?.role == .user)
            #expect(request.stream == (example.title == "Streaming"))
            #expect(request.logprobs == (example.title == "Logprobs" ? 2 : nil))
            #expect(request.functions.map(\.name) == (example.title == "Functions" ? ["get_current_weather"] : []))
            #expect(try ChatCompletionRequest(request.json()) == request)
        }
        #expect(count == 5)
    }

    @Test("what is written is read as the same request", arguments: 0..<200 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = RandomWire(seed: seed)
        let request = random.request()
        let text = try request.json().text()
        #expect(try ChatCompletionRequest(reading: text.utf8) == request, "\(text)")
    }

    @Test("A stop that is neither a string nor a list is told what it may be")
    func stops() {
        let error = #expect(throws: OpenAIError.self) { try read(#""stop": 5"#) }
        #expect(error?.message == "stop must be a string or a list of strings.")
    }

    @Test("A result that says nothing is written as an empty text, since only a reply's content may be null")
    func emptyResult() throws {
        let call = FunctionCall(id: "c", name: "f", arguments: [:])
        let request = ChatCompletionRequest(
            model: "m",
            messages: [
                .user("u"), ChatMessage(role: .assistant, content: [], functionCalls: [call]),
                ChatMessage(role: .tool, content: [], functionCallID: "c"),
            ])
        let json = try request.json()
        #expect(json["messages"]?.array?.map { $0["content"] } == ["u", .null, ""])
        #expect(try ChatCompletionRequest(json).messages.count == 3)
    }

    @Test("each option is read")
    func options() throws {
        let request = try read(
            #"""
            "temperature": 0.5, "top_p": 0.25, "top_k": 7, "min_p": 0.125, "repeat_penalty": 1.5, "seed": -1, "stop": "x",
            "max_tokens": 3, "max_completion_tokens": 4, "n": 2, "stream": true, "stream_options": {"include_usage": true},
            "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "integer"}}},
            "reasoning_effort": "none", "user": "u", "metadata": {}, "foo": 1, "logit_bias": {"5": -100}
            """#)
        #expect(
            request.options.sampling
                == .init(temperature: 0.5, topK: 7, topP: 0.25, minP: 0.125, repetitionPenalty: 1.5, seed: .max))
        #expect(request.options.stop == ["x"])
        #expect(request.options.maxTokens == 4)
        #expect(request.options.jsonSchemaConstraint == JSONSchema(["type": "integer"]))
        #expect(request.options.reasoning == .off)
        #expect(request.choices == 2)
        #expect(request.stream && request.includesUsage)
        #expect(request.logitBias == [5: -100])
        #expect(request.ignored == ["foo"])
        #expect(try read(#""response_format": {"type": "json_object"}"#).options.jsonSchemaConstraint != nil)
        #expect(try read(#""chat_template_kwargs": {"enable_thinking": false}"#).options.reasoning == .off)
    }

    @Test("numbers at the ends of the ranges of OpenAI's document are taken")
    func extremes() throws {
        let least = try read(#""temperature": 0, "top_p": 0, "frequency_penalty": -2, "presence_penalty": -2"#)
        #expect(least.options.sampling == .init(temperature: 0, topP: 0))
        #expect(least.frequencyPenalty == -2 && least.presencePenalty == -2)
        let most = try read(
            #""temperature": 2, "top_p": 1, "frequency_penalty": 2, "logprobs": true, "top_logprobs": 20"#)
        #expect(most.options.sampling == .init(temperature: 2, topP: 1))
        #expect(most.frequencyPenalty == 2 && most.logprobs == 20)
    }

    @Test("-1 is no limit, as other local servers have it")
    func unlimited() throws {
        let request = try read(#""max_tokens": -1, "max_completion_tokens": -1, "top_k": -1"#)
        #expect(request.options.maxTokens == nil)
        #expect(request.options.topK == 0)
        #expect(try read(#""max_tokens": 3, "max_completion_tokens": -1"#).options.maxTokens == nil)
        #expect(try read(#""max_tokens": 3, "max_completion_tokens": null"#).options.maxTokens == 3)
    }

    @Test("only allowed tools are offered")
    func allowedTools() throws {
        let tools = ["a", "b"].map { #"{"type": "function", "function": {"name": "\#($0)"}}"# }.joined(separator: ", ")
        let request = try read(
            #"""
            "tools": [\#(tools)], "tool_choice": {"type": "allowed_tools", "allowed_tools":
            {"mode": "required", "tools": [{"type": "function", "function": {"name": "b"}}]}}
            """#)
        #expect(request.functions.map(\.name) == ["b"])
        #expect(request.options.functionCalling == .required)
    }

    @Test(
        "what is wrong is named by its path",
        arguments: [
            (#""messages": 3"#, "messages", .invalidType), (#""messages": []"#, "messages", .invalidValue),
            (#""messages": null"#, "messages", .missingParameter),
            (#""messages": [3]"#, "messages[0]", .invalidType),
            (#""messages": [{"role": "king", "content": ""}]"#, "messages[0].role", .unsupportedValue),
            (#""messages": [{"role": "user"}]"#, "messages[0].content", .missingParameter),
            (#""messages": [{"role": "user", "content": {}}]"#, "messages[0].content", .invalidType),
            (#""messages": [{"role": "tool", "content": ""}]"#, "messages[0].tool_call_id", .missingParameter),
            (
                #""messages": [{"role": "user", "content": [{"type": "file"}]}]"#, "messages[0].content[0].type",
                .unsupportedValue
            ),
            (
                #""messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:text/plain,a"}}]}]"#,
                "messages[0].content[0].image_url.url", .invalidValue
            ),
            (
                #""messages": [{"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "[]"}}]}]"#,
                "messages[0].tool_calls[0].function.arguments", .invalidValue
            ),
            (
                #""messages": [{"role": "assistant", "tool_calls": [{"id": "1", "type": "custom"}]}]"#,
                "messages[0].tool_calls[0].type", .unsupportedValue
            ),
            (
                #""messages": [{"role": "assistant", "content": null, "audio": {"id": "a"}}]"#, "messages[0].audio",
                .unsupportedParameter
            ),
            (
                #""messages": [{"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}}]"#,
                "messages[0].function_call", .unsupportedParameter
            ),
            (#""temperature": -1"#, "temperature", .invalidValue),
            (#""temperature": "1""#, "temperature", .invalidType),
            (#""top_p": -0.1"#, "top_p", .invalidValue), (#""top_k": 1.5"#, "top_k", .invalidType),
            (#""min_p": 2"#, "min_p", .invalidValue), (#""seed": 1.5"#, "seed", .invalidType),
            (#""n": 9"#, "n", .invalidValue), (#""n": 0"#, "n", .invalidValue),
            (#""max_tokens": 100000000000000000000"#, "max_tokens", .invalidValue),
            (#""response_format": "json""#, "response_format", .invalidType),
            (#""max_tokens": -2"#, "max_tokens", .invalidValue), (#""top_k": -2"#, "top_k", .invalidValue),
            (#""stop": [1]"#, "stop[0]", .invalidType),
            (#""stop": """#, "stop", .invalidValue), (#""stream": 1"#, "stream", .invalidType),
            (#""top_logprobs": 1"#, "top_logprobs", .invalidValue),
            (#""logprobs": true, "top_logprobs": 21"#, "top_logprobs", .invalidValue),
            (#""presence_penalty": 3"#, "presence_penalty", .invalidValue),
            (#""logit_bias": {"a": 1}"#, "logit_bias", .invalidValue),
            (#""logit_bias": {"1": 101}"#, "logit_bias.1", .invalidValue),
            (#""tools": [{"type": "custom"}]"#, "tools[0].type", .unsupportedValue),
            (
                #""tools": [{"type": "function", "function": {"name": "a b"}}]"#, "tools[0].function.name",
                .invalidValue
            ),
            (#""tool_choice": "required""#, "tool_choice", .invalidValue),
            (
                #""tool_choice": {"type": "function", "function": {"name": "f"}}"#, "tool_choice.function.name",
                .invalidValue
            ),
            (#""response_format": {"type": "xml"}"#, "response_format.type", .unsupportedValue),
            (
                #""response_format": {"type": "json_schema", "json_schema": {}}"#,
                "response_format.json_schema.schema", .missingParameter
            ),
            (#""reasoning_effort": "heroic""#, "reasoning_effort", .unsupportedValue),
            (#""audio": {}"#, "audio", .unsupportedParameter),
            (#""functions": []"#, "functions", .unsupportedParameter),
            (#""modalities": ["text", "audio"]"#, "modalities[1]", .unsupportedValue),
            (#""verbosity": "low""#, "verbosity", .unsupportedValue),
            (#""continue_final_message": true"#, "continue_final_message", .invalidValue),
        ] as [(String, String, OpenAIError.Code)])
    func faults(members: String, param: String, code: OpenAIError.Code) {
        let error = #expect(throws: OpenAIError.self) { try read(members) }
        #expect(error?.param == param)
        #expect(error?.code == code)
        #expect(error?.type == .invalidRequest)
        #expect(error?.message.hasPrefix(param) == true)
    }

    @Test("what an engine cannot do is refused by name")
    func features() throws {
        for (members, param) in [
            (#""n": 2"#, "n"), (#""logprobs": true"#, "logprobs"), (#""frequency_penalty": 1"#, "frequency_penalty"),
            (#""logit_bias": {"1": 1}"#, "logit_bias"),
        ] {
            let request = try read(members)
            let error = #expect(throws: OpenAIError.self) { try request.requireSupport(for: []) }
            #expect(error?.param == param)
            #expect(error?.code == .unsupportedParameter)
            try request.requireSupport(for: [.choices, .logprobs, .penalties, .logitBias, .continuing])
        }
        try read("").requireSupport(for: [])
    }

    @Test("more than the limits is refused")
    func limits() {
        var small = WireLimits()
        (small.messages, small.images, small.tools, small.stops, small.schemaBytes) = (2, 1, 1, 1, 20)
        small.callBytes = 10
        let image = #"{"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,/9j/wAALCAABAAE="}}"#
        let call = #"{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{\"a\":1}"}}"#
        for (members, param) in [
            (#""messages": [{}, {}, {}]"#, "messages"),
            (#""messages": [{"role": "user", "content": [\#(image), \#(image)]}]"#, "messages[0].content"),
            (
                #""messages": [{"role": "assistant", "tool_calls": [\#(call), \#(call)]}]"#, "messages[0].tool_calls"
            ),
            (#""tools": [{}, {}]"#, "tools"), (#""stop": ["a", "b"]"#, "stop"),
            (
                #""tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "a": "b"}}}]"#,
                "tools[0].function.parameters"
            ),
        ] {
            let error = #expect(throws: OpenAIError.self) { try read(members, limits: small) }
            #expect(error?.param == param)
            #expect(error?.code == .invalidValue)
        }
        for text in ["", "[", #"{"model": "\#(String(repeating: "[", count: 100))"#, "\u{FF}"] {
            #expect(throws: OpenAIError.self) { try ChatCompletionRequest(reading: text.utf8) }
        }
        let tiny = String(repeating: "1,", count: 4 << 20)
        let many = #expect(throws: OpenAIError.self) { try read(#""metadata": [\#(tiny)1]"#) }
        #expect(many?.code == .invalidJSON)
        let deep = String(repeating: "[", count: 70) + String(repeating: "]", count: 70)
        let error = #expect(throws: OpenAIError.self) { try read(#""metadata": \#(deep)"#) }
        #expect(error?.code == .invalidJSON)
        let marks = String(repeating: "\u{316}\u{300}", count: 129)
        let marked = #expect(throws: OpenAIError.self) { try read(#""metadata": {"a\#(marks)": ""}"#) }
        #expect(marked?.code == .invalidJSON)
    }

    @Test("damaged requests are refused, and nothing worse", arguments: 0..<300 as Range<UInt64>)
    func damaged(seed: UInt64) throws {
        var random = RandomWire(seed: seed)
        var bytes = Array(try random.request().json().text().utf8)
        let pieces = [
            "null", "{", "}", "[", "]", "\"", ",", ":", "1e999", "-1", "true", "\"\"", "\\u0301",
            "99999999999999999999",
        ]
        for _ in 0...random.int(0...4) {
            let start = random.int(0...bytes.count - 1)
            let end = min(bytes.count, start + random.int(0...9))
            bytes.replaceSubrange(start..<end, with: Array(random.pick(pieces).utf8))
        }
        do {
            _ = try ChatCompletionRequest(reading: bytes).json()
        } catch {
            #expect(error.type == .invalidRequest)
            #expect(error.code != nil)
        }
    }

    @Test("a schema beside json_object holds, and a reply cannot be both continued and begun")
    func otherServers() throws {
        func request(_ members: JSONObject) throws -> ChatCompletionRequest {
            let body: JSONObject = ["model": "m", "messages": [["role": "assistant", "content": "a"]]]
            return try ChatCompletionRequest(.object(body.merging(members) { $1 }))
        }
        let typed = try request(["response_format": ["type": "json_object", "schema": ["const": "42"]]])
        #expect(typed.options.jsonSchemaConstraint?.value == ["const": "42"])
        let error = #expect(throws: OpenAIError.self) {
            try request(["response_format": ["type": "json_object", "schema": 123]])
        }
        #expect(error?.param == "response_format.schema")
        let both = #expect(throws: OpenAIError.self) {
            try request(["continue_final_message": true, "add_generation_prompt": true])
        }
        #expect(both?.param == "add_generation_prompt")
        #expect(try request(["continue_final_message": true, "add_generation_prompt": false]).ignored.isEmpty)
    }
}
