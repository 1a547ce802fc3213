// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON
import ParleyOpenAI
import ParleyServer
import ParleyTesting
import Testing

@Suite("Answers in the form of OpenAI's responses and in Anthropic's form", .serialized)
struct OtherFormTests {
    private static let call = ScriptedReply(
        "<tool_call>{\"name\": \"weather\", \"arguments\": {\"city\": \"Rome\"}}</tool_call>")
    private static let failing = ScriptedReply(
        steps: [.token("Hel"), .fail(ConversationError(.generationFailed, "x"))])

    private func answer(_ reply: ScriptedReply, _ path: String, _ body: JSONObject) async throws -> RawAnswer {
        var configuration = ScriptedRunner.Configuration()
        configuration.abilities = [.probabilities, .penalties, .logitBias, .continuing]
        configuration.contextTokens = 100
        let request = ServerTrial.post(path, .object(body))
        return try await ServerTrial.with(ScriptedRunner(configuration, replies: [reply])) { try await $0.ask(request) }
    }

    /// The answer to a usual request of `/v1/responses` with further members.
    private func response(_ reply: ScriptedReply = "Hello there.", _ members: JSONObject = [:]) async throws
        -> JSONValue
    {
        var body: JSONObject = ["model": "scripted", "input": "Hello!"]
        body.merge(members) { $1 }
        return AnswerGoldens.form(try await answer(reply, "/v1/responses", body))
    }

    @Test("Responses.")
    func responses() async throws {
        let weather: JSONValue = [
            "type": "function", "name": "weather", "parameters": ["type": "object"], "strict": true,
        ]
        let turns: JSONValue = [
            ["role": "developer", "content": "Be brief."], ["role": "user", "content": "Weather?"],
            [
                "type": "reasoning", "id": "rs_1", "summary": [],
                "content": [["type": "reasoning_text", "text": "Hm."]],
            ],
            ["type": "function_call", "call_id": "c1", "name": "weather", "arguments": "{}"],
            ["type": "function_call_output", "call_id": "c1", "output": "Sunny."],
        ]
        let answers: JSONObject = [
            "whole": try await response(),
            "streamed": try await response("Hello there.", ["stream": true]),
            "reasoning": try await response("<think>Easy.</think>Hello."),
            "reasoning, streamed": try await response("<think>Easy.</think>Hello.", ["stream": true]),
            "a call": try await response(Self.call, ["tools": [weather], "tool_choice": "auto"]),
            "a call, streamed": try await response(Self.call, ["tools": [weather], "stream": true]),
            "items": try await response(
                "Hello there.", ["input": turns, "tools": [weather], "instructions": "Be kind."]),
            "a schema": try await response(
                "{}",
                [
                    "text": [
                        "format": ["type": "json_schema", "name": "a", "schema": ["type": "object"], "strict": true]
                    ]
                ]),
            "no more tokens": try await response("Hello there.", ["max_output_tokens": 1]),
            "no more tokens, streamed": try await response("Hello there.", ["max_output_tokens": 1, "stream": true]),
            "probabilities": try await response(
                "Hello there.", ["include": ["message.output_text.logprobs"], "top_logprobs": 2]),
            "what is repeated": try await response(
                "Hello there.",
                [
                    "temperature": 0.5, "top_p": 0.9, "metadata": ["a": "b"], "truncation": "auto", "store": true,
                    "reasoning": ["effort": "low"], "prompt_cache_key": "k", "mystery": 1,
                ]),
            "a failure": try await response(Self.failing),
            "a failure, streamed": try await response(Self.failing, ["stream": true]),
            "an earlier response": try await response("a", ["previous_response_id": "resp_1"]),
            "a conversation that is kept": try await response("a", ["conversation": "conv_1"]),
            "in the background": try await response("a", ["background": true]),
            "a prompt that is kept": try await response("a", ["prompt": ["id": "p"]]),
            "a tool of the server": try await response(
                "a", ["tools": [["type": "web_search"]], "tool_choice": "required"]),
            "a remote image": try await response(
                "a",
                [
                    "input": [
                        [
                            "role": "user",
                            "content": [["type": "input_image", "image_url": "https://example.com/a.png"]],
                        ]
                    ]
                ]),
            "an item that is kept": try await response("a", ["input": [["type": "item_reference", "id": "msg_1"]]]),
            "no input": try await response("a", ["input": .null]),
        ]
        try AnswerGoldens.compare(answers, in: "responses")
    }

    /// The answer to a usual request of `/v1/messages` with further members.
    private func message(_ reply: ScriptedReply = "Hello there.", _ members: JSONObject = [:]) async throws -> JSONValue
    {
        AnswerGoldens.form(try await answer(reply, "/v1/messages", Self.asked(members)))
    }

    private static func asked(_ members: JSONObject) -> JSONObject {
        let body: JSONObject = [
            "model": "scripted", "max_tokens": 50, "messages": [["role": "user", "content": "Hello!"]],
        ]
        return body.merging(members) { $1 }
    }

    @Test("Messages in Anthropic's form.")
    func messages() async throws {
        let weather: JSONValue = ["name": "weather", "input_schema": ["type": "object"]]
        let turns: JSONValue = [
            ["role": "user", "content": "Weather?"],
            [
                "role": "assistant",
                "content": [
                    ["type": "thinking", "thinking": "Hm.", "signature": ""], ["type": "text", "text": "I look."],
                    ["type": "tool_use", "id": "t1", "name": "weather", "input": [:]],
                ],
            ],
            [
                "role": "user",
                "content": [
                    ["type": "tool_result", "tool_use_id": "t1", "content": "Sunny."],
                    ["type": "text", "text": "And now?"],
                ],
            ],
        ]
        let thinks: JSONObject = ["thinking": ["type": "enabled", "budget_tokens": 1_024]]
        let remote: JSONValue = [
            "type": "image", "source": ["type": "url", "url": "https://example.com/a.png"],
        ]
        let seen: JSONValue = [
            "type": "image",
            "source": ["type": "base64", "media_type": "image/png", "data": .string(GoldenAnswerTests.pixel)],
        ]
        let answers: JSONObject = [
            "whole": try await message(),
            "streamed": try await message("Hello there.", ["stream": true]),
            "thinking": try await message("<think>Easy.</think>Hello.", thinks),
            "thinking, streamed": try await message(
                "<think>Easy.</think>Hello.", thinks.merging(["stream": true]) { $1 }),
            "a call": try await message(Self.call, ["tools": [weather]]),
            "a call, streamed": try await message(Self.call, ["tools": [weather], "stream": true]),
            "several turns": try await message(
                "Hello there.",
                ["messages": turns, "tools": [weather], "system": [["type": "text", "text": "Be kind."]]]),
            "a stop sequence": try await message("Hello there.", ["stop_sequences": ["there"]]),
            "no more tokens": try await message("Hello there.", ["max_tokens": 1]),
            "no text": try await message("", [:]),
            "a member that is not known": try await message("Hello there.", ["mystery": 1, "cache_control": .null]),
            "a failure": try await message(Self.failing),
            "a failure, streamed": try await message(Self.failing, ["stream": true]),
            "no length": try await message("a", ["max_tokens": .null]),
            "a remote image": try await message("a", ["messages": [["role": "user", "content": [remote]]]]),
            "an image for a model that sees none": try await message(
                "a", ["messages": [["role": "user", "content": [seen]]]]),
            "a tool of the server": try await message(
                "a", ["tools": [["type": "web_search_20250305", "name": "web_search"]]]),
            "a model that is not there": try await message("a", ["model": "other"]),
            "a prompt that does not fit": try await message(
                "a", ["messages": [["role": "user", "content": .string(String(repeating: "a ", count: 200))]]]),
            "a count": AnswerGoldens.form(
                try await ServerTrial.with(ByteRunner()) {
                    try await $0.ask(
                        ServerTrial.post(
                            "/v1/messages/count_tokens",
                            ["model": "scripted", "messages": [["role": "user", "content": "ab"]]]))
                }),
        ]
        try AnswerGoldens.compare(answers, in: "messages")
    }

    @Test(
        "The events of a stream are named by their types.",
        arguments: [("/v1/responses", ["input": "Hello!"] as JSONObject), ("/v1/messages", asked([:]))])
    func names(path: String, members: JSONObject) async throws {
        let common: JSONObject = ["model": "scripted", "stream": true]
        let answer = try await answer("Hello there.", path, members.merging(common) { $1 })
        let types = try answer.events.map { try JSONValue(parsing: $0)["type"]?.string }
        #expect(types.count > 5)
        #expect(answer.eventNames == types)
    }

    @Test("A message that is streamed begins with the length of its prompt.")
    func promptLength() async throws {
        let answer = try await answer("Hello there.", "/v1/messages", Self.asked(["stream": true]))
        let events = try answer.events.map { try JSONValue(parsing: $0) }
        let first = try #require(events.first?["message"]?["usage"]?["input_tokens"]?.integer)
        #expect(first > 0)
        let last = events.first { $0["type"] == "message_delta" }
        #expect(last?["usage"]?["input_tokens"]?.integer == first)
        let long: JSONValue = [["role": "user", "content": .string(String(repeating: "a ", count: 200))]]
        let refused = try await self.answer("a", "/v1/messages", Self.asked(["stream": true, "messages": long]))
        #expect(refused.status == 400)
    }

    @Test("A message may fill the context: max_tokens is the most that is wanted, and not what a prompt has to leave.")
    func filling() async throws {
        let long: JSONValue = [["role": "user", "content": .string(String(repeating: "a ", count: 60))]]
        let oneCall: JSONObject = ["tool_choice": ["type": "auto", "disable_parallel_tool_use": true]]
        for members in [[:], ["stream": true], oneCall] as [JSONObject] {
            let answer = try await answer(
                ScriptedReply(String(repeating: "word ", count: 60)), "/v1/messages",
                Self.asked(members.merging(["messages": long]) { own, _ in own }))
            #expect(answer.status == 200)
            #expect(answer.body.contains("\"model_context_window_exceeded\""), "\(answer.body)")
        }
        let refused = try await answer(
            "a", "/v1/chat/completions", ["model": "scripted", "messages": long, "max_tokens": 50])
        #expect(refused.json["error"]?["code"] == "context_length_exceeded")
    }

    @Test("Errors under /v1/messages have Anthropic's form with the request's id, also before there is a route.")
    func errors() async throws {
        let (key, _) = AccessKey.make(name: "test", scopes: [.api])
        try await ServerTrial.with(ScriptedRunner(replies: ["a"])) {
            $0.keys = KeyRing([key])
        } _: { trial in
            for (request, status, type) in [
                (ServerTrial.get("/v1/messages"), 405, "invalid_request_error"),
                (ServerTrial.get("/v1/messages/other"), 404, "not_found_error"),
                (ServerTrial.post("/v1/messages", [:]), 401, "authentication_error"),
                (ServerTrial.post("/v1/messages", [:], fields: ["Origin: https://a.example"]), 403, "permission_error"),
            ] {
                let answer = try await trial.ask(request)
                #expect(answer.status == status)
                #expect(answer.json["type"] == "error")
                #expect(answer.json["error"]?["type"]?.string == type)
                #expect(answer.json["request_id"]?.string == answer["request-id"])
                #expect(answer["request-id"]?.hasPrefix("req_") == true)
            }
            #expect(try await trial.ask(ServerTrial.get("/v1/other")).json["type"] == nil)
        }
    }

    @Test("Anthropic's clients send their key as x-api-key.")
    func key() async throws {
        let (key, secret) = AccessKey.make(name: "test", scopes: [.api])
        let statuses = try await ServerTrial.with(ScriptedRunner(replies: ["a"])) {
            $0.keys = KeyRing([key])
        } _: { trial in
            let body = JSONValue.object(Self.asked([:]))
            return [
                try await trial.ask(ServerTrial.post("/v1/messages", body, fields: ["x-api-key: \(secret)"])).status,
                try await trial.ask(ServerTrial.post("/v1/messages", body, fields: ["x-api-key: x"])).status,
            ]
        }
        #expect(statuses == [200, 401])
    }
}
