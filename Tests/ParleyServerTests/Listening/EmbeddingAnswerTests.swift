// SPDX-License-Identifier: Apache-2.0

import Foundation
import InMemoryLogging
import Logging
import ParleyConversation
import ParleyJSON
import ParleyServer
import ParleyTesting
import Testing

@Suite("Embeddings over HTTP", .serialized)
struct EmbeddingAnswerTests {
    /// Makes vectors of the length of texts; one that is too long has more than ten words.
    private final class Counting: TextEmbedding {
        let modelID = "counting"
        let dimensions = 4
        let contextSize = 10
        let gate: Gate?
        private let ends = AsyncStream<Bool>.makeStream()

        init(gate: Gate? = nil) {
            self.gate = gate
        }

        func embed(_ inputs: [EmbeddingInput], truncates: Bool) async throws -> [Embedding] {
            defer { ends.continuation.yield(Task.isCancelled) }
            try await gate?.wait()
            return try inputs.map { input in
                let count =
                    switch input {
                    case .text(let text): text.split(separator: " ").count
                    case .tokens(let tokens): tokens.count
                    }
                guard count <= contextSize || truncates else {
                    throw ConversationError.textExceedsContext("The text", tokens: count, contextTokens: contextSize)
                }
                return Embedding(
                    vector: [Float(count), 0.5, -0.1, 0], tokenCount: min(count, contextSize),
                    isTruncated: count > contextSize)
            }
        }

        func unload() async {}

        /// Whether the next call ends cancelled.
        func endsCancelled() async -> Bool? {
            for await isCancelled in ends.stream { return isCancelled }
            return nil
        }
    }

    private func answer(
        _ members: JSONObject, runner: any ModelRunner = EmbedderRunner(Counting())
    ) async throws -> JSONValue {
        var body: JSONObject = ["model": "scripted", "input": "two words"]
        body.merge(members) { $1 }
        let request = ServerTrial.post("/v1/embeddings", .object(body))
        return AnswerGoldens.form(try await ServerTrial.with(runner) { try await $0.ask(request) })
    }

    @Test("Vectors, and mistakes in requests for them.")
    func goldens() async throws {
        let long = JSONValue.string(String(repeating: "a ", count: 11))
        let answers: JSONObject = [
            "a text": try await answer([:]),
            "several texts": try await answer(["input": ["one", "one two three"]]),
            "tokens": try await answer(["input": [5, 6, 7]]),
            "several lists of tokens": try await answer(["input": [[5], [6, 7]]]),
            "base64": try await answer(["encoding_format": "base64"]),
            "the model's own dimensions": try await answer(["dimensions": 4]),
            "members that are not known": try await answer(["mystery": 1, "user": "someone"]),
            "a long text that is cut": try await answer(["input": long, "truncation": "auto"]),
            "a long text": try await answer(["input": long]),
            "other dimensions": try await answer(["dimensions": 3]),
            "no input": try await answer(["input": .null]),
            "an empty text": try await answer(["input": ""]),
            "an encoding that is not known": try await answer(["encoding_format": "int8"]),
            "a model that is not there": try await answer(["model": "other"]),
            "a model that writes": try await answer([:], runner: ScriptedRunner(replies: ["a"])),
        ]
        try AnswerGoldens.compare(answers, in: "embeddings")
    }

    @Test("The tokens of embeddings are among those read, in the figures and in the log.")
    func counting() async throws {
        let handler = InMemoryLogHandler()
        let logger = Logger(label: "test") { _ in handler }
        let figures = try await ServerTrial.with(EmbedderRunner(Counting()), logger: logger) { trial in
            _ = try await trial.ask(
                ServerTrial.post("/v1/embeddings", ["model": "scripted", "input": ["one", "one two three"]]))
            return try await trial.ask(ServerTrial.get("/metrics")).body
        }
        #expect(figures.contains("parley_prompt_tokens_total 4\n"))
        let line = handler.entries.first?.metadata.mapValues { "\($0)" }
        #expect((line?["route"], line?["prompt_tokens"]) == ("embeddings", "4"))
        #expect(line?["first_token_seconds"] == nil)
    }

    @Test("A model that makes embeddings neither chats nor tells prompts, and is listed with what it can do")
    func incapable() async throws {
        try await ServerTrial.with(EmbedderRunner(Counting())) { trial in
            for path in ["/v1/chat/completions", "/v1/completions", "/v1/chat/completions/input_tokens", "/tokenize"] {
                let body: JSONValue = [
                    "model": "scripted", "messages": [["role": "user", "content": "a"]], "prompt": "a", "content": "a",
                ]
                let answer = try await trial.ask(ServerTrial.post(path, body))
                #expect(answer.status == 400, "\(path)")
                #expect(answer.json["error"]?["code"] == "model_not_capable", "\(path)")
            }
        }
    }

    @Test("The work on a request ends when its client goes")
    func leaving() async throws {
        let gate = Gate()
        let counting = Counting(gate: gate)
        let isCancelled = try await ServerTrial.with(EmbedderRunner(counting)) { trial in
            let client = try RawClient(port: trial.port)
            client.send(ServerTrial.post("/v1/embeddings", ["model": "scripted", "input": "a"]))
            await gate.arrival()
            client.reset()
            return await counting.endsCancelled()
        }
        #expect(isCancelled == true)
    }

    @Test("The work on a request whose client leaves counts for its key.")
    func leftWork() async throws {
        let (key, secret) = AccessKey.make(name: "one", scopes: [.api], concurrent: 1, tokensPerMinute: 5)
        let gate = Gate()
        try await ServerTrial.with(EmbedderRunner(Counting(gate: gate))) {
            $0.keys = KeyRing([key])
        } _: { trial in
            let fields = ["Authorization: Bearer \(secret)"]
            let body: JSONValue = ["model": "scripted", "input": .string(String(repeating: "words ", count: 100))]
            let client = try RawClient(port: trial.port)
            client.send(ServerTrial.post("/v1/embeddings", body, fields: fields))
            await gate.arrival()
            client.reset()
            // A model that makes embeddings chats with nobody, so that this one never waits.
            #expect(try await trial.refusalWhenIdle(fields: fields).contains("tokens of a minute"))
        }
    }

    @Test("The work on a request ends when its time is up, and clients are told not to try again")
    func timeLimit() async throws {
        let counting = Counting(gate: Gate())
        let answer = try await ServerTrial.with(
            EmbedderRunner(counting), configure: { $0.limits.requestTime = .milliseconds(10) }
        ) { trial in
            try await trial.ask(ServerTrial.post("/v1/embeddings", ["model": "scripted", "input": "a"]))
        }
        #expect(answer.status == 503)
        #expect(answer.json["error"]?["code"] == "time_limit_reached")
        #expect(answer["x-should-retry"] == "false")
        #expect(await counting.endsCancelled() == true)
    }
}
