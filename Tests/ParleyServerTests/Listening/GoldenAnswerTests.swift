// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON
import ParleyModels
import ParleyOpenAI
import ParleyServer
import ParleySystem
import ParleyTesting
import Testing

@Suite("Every kind of answer and error has the form that it had", .serialized)
struct GoldenAnswerTests {
    private static let weather: JSONValue = [
        "type": "function",
        "function": [
            "name": "weather", "description": "The weather.",
            "parameters": ["type": "object", "properties": ["city": ["type": "string"]]],
        ],
    ]

    /// A message with an image of one pixel.
    static let pictured: JSONValue = [
        "role": "user",
        "content": [["type": "image_url", "image_url": ["url": .string("data:image/png;base64," + pixel)]]],
    ]
    static let pixel =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

    /// The answer to the usual request of a chat with further members.
    private func chat(_ members: JSONObject) async throws -> JSONValue { try await chat("Hello there.", members) }

    private func chat(_ reply: ScriptedReply, _ members: JSONObject) async throws -> JSONValue {
        try await answer(reply) { try await $0.chat(members) }
    }

    /// The answer to the usual request of a text to continue with further members.
    private func text(_ members: JSONObject) async throws -> JSONValue {
        var body: JSONObject = ["model": "scripted", "prompt": "Hello"]
        body.merge(members) { $1 }
        let request = ServerTrial.post("/v1/completions", .object(body))
        return try await answer(" world again") { try await $0.ask(request) }
    }

    private func answer(
        _ reply: ScriptedReply = "Hello there.",
        configure: @escaping @Sendable (inout ServerConfiguration) -> Void = { _ in },
        _ ask: @escaping @Sendable (ServerTrial) async throws -> RawAnswer
    ) async throws -> JSONValue {
        var configuration = ScriptedRunner.Configuration()
        configuration.abilities = [.probabilities, .penalties, .logitBias, .continuing]
        configuration.contextTokens = 100
        let runner = ScriptedRunner(configuration, replies: [reply])
        return AnswerGoldens.form(try await ServerTrial.with(runner, configure: configure, ask))
    }

    @Test("Replies to conversations.")
    func chats() async throws {
        let usage: JSONObject = ["stream": true, "stream_options": ["include_usage": true]]
        let call = ScriptedReply("<tool_call>{\"name\": \"weather\", \"arguments\": {\"city\": \"Rome\"}}</tool_call>")
        func streamed(_ members: JSONObject) -> JSONObject { members.merging(usage) { $1 } }
        let probable: JSONObject = ["logprobs": true, "top_logprobs": 2]
        let answers: JSONObject = [
            "whole": try await chat([:]),
            "streamed": try await chat(usage),
            "streamed without usage": try await chat(["stream": true]),
            "reasoning": try await chat("<think>Easy.</think>Hello.", [:]),
            "reasoning, streamed": try await chat("<think>Easy.</think>Hello.", usage),
            "a call": try await chat(call, ["tools": [Self.weather]]),
            "a call, streamed": try await chat(call, streamed(["tools": [Self.weather]])),
            "a call that is cut": try await chat("<tool_call>{\"name\": ", ["tools": [Self.weather]]),
            "several": try await chat(["n": 2, "seed": 3]),
            "several, streamed": try await answer(configure: { $0.parallel = 1 }) { [members = streamed(["n": 2])] in
                try await $0.chat(members)
            },
            "a stop string": try await chat(["stop": ["there"]]),
            "a stop string, streamed": try await chat(streamed(["stop": "there"])),
            "no more tokens": try await chat(["max_completion_tokens": 1]),
            "no tokens": try await chat(["max_tokens": 0]),
            "probabilities": try await chat(probable),
            "probabilities, streamed": try await chat(streamed(probable)),
            "probabilities and a stop string": try await chat(probable.merging(["stop": "there"]) { $1 }),
            "penalties and biases": try await chat([
                "presence_penalty": 1, "frequency_penalty": -1, "logit_bias": ["5": -100],
            ]),
            "members that are not known": try await chat(["mystery": 1, "user": "someone"]),
            "a failure": try await chat(ScriptedReply(steps: [.fail(ConversationError(.generationFailed, "x"))]), [:]),
            "a failure, streamed": try await chat(
                ScriptedReply(steps: [.token("Hel"), .fail(ConversationError(.generationFailed, "x"))]), usage),
        ]
        try AnswerGoldens.compare(answers, in: "chats")
    }

    @Test("Continued texts.")
    func texts() async throws {
        let usage: JSONObject = ["stream": true, "stream_options": ["include_usage": true]]
        func streamed(_ members: JSONObject) -> JSONObject { members.merging(usage) { $1 } }
        let scored: JSONObject = ["echo": true, "logprobs": 1]
        let answers: JSONObject = [
            "whole": try await text([:]),
            "streamed": try await text(usage),
            "with the prompt": try await text(["echo": true]),
            "with the prompt, streamed": try await text(streamed(["echo": true])),
            "probabilities": try await text(["logprobs": 2]),
            "probabilities with the prompt": try await text(scored),
            "probabilities with the prompt, streamed": try await text(streamed(scored)),
            "the prompt's probabilities alone": try await text(scored.merging(["max_tokens": 0]) { $1 }),
            "several of several": try await text(["prompt": ["One", "Two words"], "n": 2]),
            "tokens": try await text(["prompt": [1, 2, 3]]),
            "a stop string": try await text(["stop": "again"]),
            "no prompt": try await text(["prompt": .null]),
            "an empty list": try await text(["prompt": []]),
            "a prompt of the wrong type": try await text(["prompt": [1, "a"]]),
            "too many prompts": try await text(["prompt": .array(Array(repeating: "a", count: 17))]),
            "best of others": try await text(["best_of": 3]),
            "a suffix for a model that cannot fill in": try await text(["suffix": "b"]),
            "a suffix with the prompt": try await text(["suffix": "b", "echo": true]),
            "tools": try await text(["tools": [Self.weather]]),
            "a prompt that does not fit": try await text([
                "prompt": .string(String(repeating: "a ", count: 200))
            ]),
        ]
        try AnswerGoldens.compare(answers, in: "texts")
    }

    @Test("Mistakes in requests for replies.")
    func mistakes() async throws {
        let remote: JSONValue = [
            ["role": "user", "content": [["type": "image_url", "image_url": ["url": "https://example.com/a.png"]]]]
        ]
        let answers: JSONObject = [
            "a model that is not there": try await chat(["model": "other"]),
            "no messages": try await chat(["messages": .null]),
            "an empty list of messages": try await chat(["messages": []]),
            "a role that is not known": try await chat(["messages": [["role": "wizard", "content": "a"]]]),
            "content of the wrong type": try await chat(["messages": [["role": "user", "content": 1]]]),
            "a remote image": try await chat(["messages": remote]),
            "an image for a model that sees none": try await chat(["messages": [Self.pictured]]),
            "too many replies": try await chat(["n": 9]),
            "a temperature below zero": try await chat(["temperature": -1]),
            "a penalty out of range": try await chat(["presence_penalty": 3]),
            "a bias that names no token": try await chat(["logit_bias": ["a": 1]]),
            "probabilities without logprobs": try await chat(["top_logprobs": 2]),
            "speech": try await chat(["audio": [:]]),
            "functions of the older form": try await chat(["functions": []]),
            "continuing a question": try await chat(["continue_final_message": true]),
            "a reasoning effort that is not known": try await chat(["reasoning_effort": "vast"]),
            "a prompt that does not fit": try await chat([
                "messages": [["role": "user", "content": .string(String(repeating: "a ", count: 200))]]
            ]),
        ]
        try AnswerGoldens.compare(answers, in: "mistakes")
    }

    @Test("Refusals before a request is read.")
    func refusals() async throws {
        let (key, secret) = AccessKey.make(name: "test", scopes: [.api])
        @Sendable func keyed(_ configuration: inout ServerConfiguration) { configuration.keys = KeyRing([key]) }
        let post = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
        let answers: JSONObject = [
            "no such path": try await answer { try await $0.ask(ServerTrial.get("/v2")) },
            "no such method": try await answer { try await $0.ask(ServerTrial.get("/v1/chat/completions")) },
            "a body that is too large": try await answer {
                try await $0.ask(post + "Content-Type: application/json\r\nContent-Length: 100000000\r\n\r\n")
            },
            "a body of another type": try await answer {
                try await $0.ask(post + "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}")
            },
            "a body that is no JSON": try await answer {
                try await $0.ask(post + "Content-Type: application/json\r\nContent-Length: 1\r\n\r\n{")
            },
            "a body that comes too slowly": try await answer {
                $0.limits.bodyTime = .milliseconds(100)
            } _: {
                try await $0.ask(post + "Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{")
            },
            "a head that is too long": try await answer {
                try await $0.ask(
                    ServerTrial.get("/health", fields: ["X-Long: " + String(repeating: "a", count: 20_000)]))
            },
            "too many fields": try await answer {
                try await $0.ask(ServerTrial.get("/health", fields: (0..<200).map { "X-\($0): 1" }))
            },
            "no HTTP": try await answer { try await $0.ask("nonsense\r\n\r\n") },
            "a foreign host": try await answer {
                try await $0.ask(ServerTrial.get("/v1/models", host: "evil.example"))
            },
            "a foreign page": try await answer {
                try await $0.ask(ServerTrial.get("/v1/models", fields: ["Origin: https://evil.example"]))
            },
            "no key": try await answer {
                keyed(&$0)
            } _: {
                try await $0.ask(ServerTrial.get("/v1/models"))
            },
            "a key that is not known": try await answer {
                keyed(&$0)
            } _: {
                try await $0.ask(ServerTrial.get("/v1/models", fields: ["Authorization: Bearer x"]))
            },
            "a key for other things": try await answer {
                keyed(&$0)
            } _: {
                try await $0.ask(ServerTrial.get("/metrics", fields: ["Authorization: Bearer \(secret)"]))
            },
        ]
        try AnswerGoldens.compare(answers, in: "refusals")
    }

    @Test("Answers of the other endpoints.")
    func others() async throws {
        @Sendable func bytes(_ path: String, _ body: JSONValue) async throws -> JSONValue {
            AnswerGoldens.form(
                try await ServerTrial.with(ByteRunner()) { try await $0.ask(ServerTrial.post(path, body)) })
        }
        let conversation: JSONValue = ["model": "scripted", "messages": [["role": "user", "content": "ab"]]]
        let answers: JSONObject = [
            "health": try await answer { try await $0.ask(ServerTrial.get("/health")) },
            "models": try await answer { try await $0.ask(ServerTrial.get("/v1/models")) },
            "a model": try await answer { try await $0.ask(ServerTrial.get("/v1/models/scripted")) },
            "a model that is not there": try await answer { try await $0.ask(ServerTrial.get("/v1/models/other")) },
            "the status": try await answer { try await $0.ask(ServerTrial.get("/parley/v1/status")) },
            "the document": try await answer { try await $0.ask(ServerTrial.get("/openapi.json")) },
            "tokens": try await bytes("/tokenize", ["content": "aé"]),
            "pieces": try await bytes("/tokenize", ["content": "aé", "with_pieces": true]),
            "no text": try await bytes("/tokenize", [:]),
            "a text": try await bytes("/detokenize", ["tokens": [97, 98]]),
            "tokens that are none": try await bytes("/detokenize", ["tokens": [300]]),
            "a prompt": try await bytes("/apply-template", conversation),
            "a count": try await bytes("/v1/chat/completions/input_tokens", conversation),
            "a model that does not tell tokens": try await answer {
                try await $0.ask(ServerTrial.post("/tokenize", ["content": "a"]))
            },
            "a model that only replies to messages": try await bytes(
                "/v1/completions", ["model": "scripted", "prompt": "a"]),
        ]
        try AnswerGoldens.compare(answers, in: "others")
    }
}
