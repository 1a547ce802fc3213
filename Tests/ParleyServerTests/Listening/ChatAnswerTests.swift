// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyJSON
import ParleyOpenAI
import ParleyServer
import ParleyTesting
import Testing

@Suite("Answers of /v1/chat/completions", .serialized)
struct ChatAnswerTests {
    private let weather: JSONValue = [
        "type": "function",
        "function": [
            "name": "weather", "description": "The weather.",
            "parameters": ["type": "object", "properties": ["city": ["type": "string"]]],
        ],
    ]

    @Test("An image reaches a model that sees images, and is refused for one that does not.", arguments: [true, false])
    func images(_ sees: Bool) async throws {
        var configuration = ScriptedRunner.Configuration()
        if sees { configuration.abilities = .images }
        let runner = ScriptedRunner(configuration, replies: ["A dot."])
        let answer = try await ServerTrial.with(runner) {
            try await $0.chat(["messages": [GoldenAnswerTests.pictured], "stream": true])
        }
        #expect(answer.status == (sees ? 200 : 400))
        #expect(answer.json["error"]?["code"] == (sees ? nil : "model_not_capable"))
        #expect(runner.requests.count == (sees ? 1 : 0))
    }

    @Test("A whole answer has the form of OpenAI's and Parley's own members.")
    func whole() async throws {
        let answer = try await ServerTrial.with(ScriptedRunner(replies: ["Hello there."])) {
            try await $0.chat([:])
        }
        #expect(answer.status == 200)
        #expect(answer["x-request-id"]?.hasPrefix("req_") == true)
        var json = try #require(answer.json.object)
        #expect(json["id"]?.string?.hasPrefix("chatcmpl-") == true)
        #expect(json["created"]?.integer != nil)
        for name in ["id", "created", "timings"] { json[name] = nil }
        let expected = try JSONValue(
            parsing: """
                {"object": "chat.completion", "model": "scripted", "choices": [{"index": 0, "message": {"role":
                "assistant", "content": "Hello there.", "refusal": null}, "logprobs": null, "finish_reason": "stop",
                "stop_reason": null}], "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5,
                "prompt_tokens_details": {"cached_tokens": 0}, "completion_tokens_details": {"reasoning_tokens": 0}},
                "system_fingerprint": "parley-test", "parley": {"dropped_turns": 0, "dropped_images": 0,
                "rejected_calls": []}}
                """)
        #expect(JSONValue.object(json) == expected)
    }

    @Test("A streamed answer joins to the whole one, and ends with its reason, usage and the mark.")
    func streamed() async throws {
        let runner = ScriptedRunner(replies: ["<think>Easy.</think>Hello there."])
        let answer = try await ServerTrial.with(runner) {
            try await $0.chat(["stream": true, "stream_options": ["include_usage": true]])
        }
        #expect(answer.status == 200)
        #expect(answer["content-type"] == "text/event-stream")
        #expect(answer.events.last == "[DONE]")
        let chunks = try answer.events.dropLast().map { try JSONValue(parsing: $0.utf8) }
        #expect(Set(chunks.map { $0["id"]?.string }).count == 1)
        let deltas = chunks.compactMap { $0["choices"]?[0]?["delta"] }
        #expect(deltas.first?["role"] == "assistant")
        #expect(deltas.compactMap { $0["content"]?.string }.joined() == "Hello there.")
        #expect(deltas.compactMap { $0["reasoning_content"]?.string }.joined() == "Easy.")
        #expect(chunks.dropLast().last?["choices"]?[0]?["finish_reason"] == "stop")
        #expect(chunks.last?["choices"] == [])
        #expect(chunks.last?["usage"]?["total_tokens"]?.integer ?? 0 > 0)
    }

    @Test("Calls are told whole and as deltas, with ids, and one alone where several are not wanted.")
    func calls() async throws {
        let two = """
            <tool_call>{"name": "weather", "arguments": {"city": "Paris"}}</tool_call>
            <tool_call>{"name": "weather", "arguments": {"city": "Rome"}}</tool_call>
            """
        let tools: JSONObject = ["tools": [weather]]
        let (whole, streamed, single) = try await ServerTrial.with(
            ScriptedRunner(replies: [ScriptedReply(two)])
        ) { trial in
            (
                try await trial.chat(tools),
                try await trial.chat(tools.merging(["stream": true]) { $1 }),
                try await trial.chat(tools.merging(["parallel_tool_calls": false]) { $1 })
            )
        }
        let choice = whole.json["choices"]?[0]
        #expect(choice?["finish_reason"] == "tool_calls")
        #expect(choice?["message"]?["tool_calls"]?.array?.count == 2)
        #expect(choice?["message"]?["tool_calls"]?[1]?["function"]?["arguments"] == #"{"city":"Rome"}"#)
        let deltas = try streamed.events.dropLast().flatMap {
            try JSONValue(parsing: $0.utf8)["choices"]?[0]?["delta"]?["tool_calls"]?.array ?? []
        }
        #expect(deltas.map { $0["index"]?.integer } == [0, 1])
        #expect(deltas.allSatisfy { $0["id"]?.string != nil && $0["type"] == "function" })
        let only = single.json["choices"]?[0]
        #expect(only?["message"]?["tool_calls"]?.array?.count == 1)
        #expect(only?["finish_reason"] == "tool_calls")
    }

    @Test("A call that cannot be read is among the rejected ones.")
    func rejected() async throws {
        let runner = ScriptedRunner(replies: [ScriptedReply("<tool_call>{\"name\": ")])
        let answer = try await ServerTrial.with(runner) { [weather] in try await $0.chat(["tools": [weather]]) }
        #expect(answer.json["choices"]?[0]?["message"]?["tool_calls"] == nil)
        #expect(answer.json["parley"]?["rejected_calls"]?[0]?["reason"] == "cut")
    }

    @Test("Several replies have seeds of their own, and the prompt counts once.")
    func choices() async throws {
        let runner = ScriptedRunner(replies: ["One two.", "Three."])
        let (answer, streamed) = try await ServerTrial.with(runner) { trial in
            (try await trial.chat(["n": 2, "seed": 5]), try await trial.chat(["n": 2, "stream": true]))
        }
        #expect(runner.requests.prefix(2).map { $0.options.seed } == [5, 6])
        #expect(answer.json["choices"]?.array?.map { $0["index"]?.integer } == [0, 1])
        #expect(answer.json["usage"]?["prompt_tokens"] == 3)
        #expect(answer.json["usage"]?["completion_tokens"] == 3)
        let ends = try streamed.events.dropLast().filter {
            try JSONValue(parsing: $0.utf8)["choices"]?[0]?["finish_reason"] == "stop"
        }
        #expect(ends.count == 2)
    }

    @Test("Names of members that are not known are told in the head.")
    func ignored() async throws {
        let answer = try await ServerTrial.with(ScriptedRunner(replies: ["a"])) {
            try await $0.chat([
                "mystery": 1, "user": "x", "a\r\nb": 2,
                "chat_template_kwargs": ["enable_thinking": false, "mood": "calm"],
            ])
        }
        #expect(answer["x-parley-ignored"] == "mystery, ab, chat_template_kwargs.mood")
    }

    @Test("The last message of the assistant is continued where that is asked for and possible, and refused elsewhere.")
    func continuing() async throws {
        let messages: JSONValue = [
            ["role": "user", "content": "Hello!"], ["role": "assistant", "content": "Good"],
        ]
        for abilities in [RunnerAbilities.continuing, []] {
            var configuration = ScriptedRunner.Configuration()
            configuration.abilities = abilities
            let runner = ScriptedRunner(configuration, replies: [" day."])
            let answer = try await ServerTrial.with(runner) {
                try await $0.chat(["messages": messages, "continue_final_message": true])
            }
            let isAble = !abilities.isEmpty
            #expect(answer.status == (isAble ? 200 : 400))
            #expect(answer.json["error"]?["param"] == (isAble ? nil : "continue_final_message"))
            #expect(runner.requests.map(\.options.continuesLastMessage) == (isAble ? [true] : []))
        }
    }

    @Test("Turns of one conversation have the same identity, those of two clients' conversations do not.")
    func conversations() async throws {
        let runner = ScriptedRunner(replies: ["a"])
        try await ServerTrial.with(runner) { trial in
            _ = try await trial.chat([:])
            _ = try await trial.chat([
                "messages": [
                    ["role": "user", "content": "Hello!"], ["role": "assistant", "content": "a"],
                    ["role": "user", "content": "And?"],
                ]
            ])
            _ = try await trial.chat(["messages": [["role": "user", "content": "Other"]]])
            _ = try await trial.chat([:], fields: ["X-Conversation-Id: one"])
            _ = try await trial.chat(["prompt_cache_key": "one"])
        }
        let ids = runner.requests.map(\.conversationID)
        #expect(ids[0] == ids[1])
        #expect(ids[3] == ids[4])
        #expect(Set(ids).count == 3)
    }

    @Test(
        "What is wrong with a request is told with its place.",
        arguments: [
            (#"{"model": "scripted"}"#, 400, "missing_parameter", "messages"),
            (
                #"{"model": "scripted", "messages": [{"role": "user", "content": 1}]}"#, 400, "invalid_type",
                "messages[0].content"
            ),
            (#"{"model": "scripted", "messages": [], "n": 1}"#, 400, "invalid_value", "messages"),
            (#"{"model": "other", "messages": [{"role": "user", "content": "a"}]}"#, 404, "model_not_found", "model"),
            (
                #"{"model": "scripted", "messages": [{"role": "user", "content": "a"}], "n": 9}"#, 400, "invalid_value",
                "n"
            ),
            (
                #"{"model": "scripted", "messages": [{"role": "user", "content": "a"}], "logprobs": true}"#, 400,
                "unsupported_parameter", "logprobs"
            ),
            (
                #"{"model": "scripted", "messages": [{"role": "user", "content": "a"}], "audio": {}}"#, 400,
                "unsupported_parameter", "audio"
            ),
            (
                #"{"model": "scripted", "messages": [{"role": "user", "content": [{"type": "image_url", "image_url": "#
                    + #"{"url": "http://a/b.png"}}]}]}"#, 400, "remote_image_not_allowed",
                "messages[0].content[0].image_url.url"
            ),
            (#"{"model": "#, 400, "invalid_json", nil), (#"[]"#, 400, "invalid_type", nil),
        ] as [(String, Int, String, String?)])
    func mistakes(_ body: String, _ status: Int, _ code: String, _ param: String?) async throws {
        let request = [
            "POST /v1/chat/completions HTTP/1.1", "Host: localhost", "Content-Type: application/json",
            "Content-Length: \(body.utf8.count)", "", body,
        ].joined(separator: "\r\n")
        let answer = try await ServerTrial.with(ScriptedRunner(replies: ["a"])) { try await $0.ask(request) }
        #expect(answer.status == status)
        #expect(answer.json["error"]?["code"]?.string == code)
        #expect(answer.json["error"]?["param"]?.string == param)
        #expect(answer.json["error"]?["type"] == "invalid_request_error")
    }

    @Test("A prompt that does not fit is refused with both lengths, or loses its oldest turns where that is asked for.")
    func context() async throws {
        var configuration = ScriptedRunner.Configuration()
        configuration.contextTokens = 12
        let runner = ScriptedRunner(configuration) { _, _ in "a" }
        let messages: JSONValue = [
            ["role": "user", "content": "one two three four five six"], ["role": "assistant", "content": "seven"],
            ["role": "user", "content": "eight nine"],
        ]
        let (refused, streamed, cut, cutStream) = try await ServerTrial.with(runner) { trial in
            (
                try await trial.chat(["messages": messages]),
                try await trial.chat(["messages": messages, "stream": true]),
                try await trial.chat(["messages": messages, "truncation": "auto"]),
                try await trial.chat(["messages": messages, "truncation": "auto", "stream": true])
            )
        }
        #expect(cut.status == 200 && cutStream.status == 200)
        #expect(cut.json["parley"]?["dropped_turns"] == 1)
        let last = try JSONValue(parsing: try #require(cutStream.events.dropLast().last))
        #expect(last["parley"]?["dropped_turns"] == 1)
        #expect(runner.requests.map(\.contextPolicy) == [.error, .error, .dropOldestTurns, .dropOldestTurns])
        for answer in [refused, streamed] {
            #expect(answer.status == 400)
            #expect(answer.json["error"]?["code"] == "context_length_exceeded")
            #expect(answer.json["error"]?["n_prompt_tokens"] == 15)
            // The context is the model's; what the prompt has to fit into is what the reply leaves of it.
            #expect(answer.json["error"]?["n_ctx"] == 4_096)
            #expect(answer.json["error"]?["n_fit"]?.integer != nil)
        }
    }

    @Test("A failure before the answer is 500, one in a stream an event without the mark of the end.")
    func failures() async throws {
        struct Secret: Error {}
        let runner = ScriptedRunner { _, number in
            number == 0
                ? ScriptedReply(steps: [.fail(Secret())])
                : ScriptedReply(steps: [.token("Hel"), .fail(ConversationError(.generationFailed, "Secret words."))])
        }
        let (whole, streamed) = try await ServerTrial.with(runner) { trial in
            (try await trial.chat([:]), try await trial.chat(["stream": true]))
        }
        #expect(whole.status == 500)
        #expect(whole.json["error"]?["type"] == "server_error")
        #expect(streamed.status == 200)
        #expect(streamed.events.last != "[DONE]")
        let last = try JSONValue(parsing: try #require(streamed.events.last).utf8)
        #expect(last["error"]?["code"] == "engine_failed")
        #expect(!streamed.text.contains("Secret") && !whole.text.contains("Secret"))
    }
}
