// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON
import ParleyServer
import ParleyTesting
import Testing

/// A model that tells no tokens until it is cancelled.
private final class WaitingRunner: TokenInspecting {
    let modelID = "scripted"
    let gate = Gate()
    private let ends = AsyncStream<Bool>.makeStream()

    /// Whether the next question ends cancelled.
    func endsCancelled() async -> Bool? {
        for await isCancelled in ends.stream { return isCancelled }
        return nil
    }

    private func wait<Value: Sendable>(_ value: Value) async throws -> Value {
        defer { ends.continuation.yield(Task.isCancelled) }
        try await gate.wait()
        return value
    }

    func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
        GenerationOutcome(.stop)
    }

    func promptTokenCount(
        messages: [ChatMessage], functions: [Function], options: GenerationOptions?
    ) async throws -> Int { try await wait(1) }

    func unload() async {}

    func tokens(of text: String, addsBeginning: Bool) async throws -> [Int32] { try await wait([1]) }

    func pieces(of tokens: [Int32]) async throws -> [[UInt8]] { [] }

    func text(of tokens: [Int32]) async throws -> String { try await wait("a") }

    func promptTokens(
        messages: [ChatMessage], functions: [Function], options: GenerationOptions?
    ) async throws -> [Int32] { try await wait([1]) }
}

@Suite("Answers of the other endpoints", .serialized)
struct PlainAnswerTests {
    private func get(_ path: String) async throws -> RawAnswer {
        try await ServerTrial.with(ScriptedRunner(replies: ["a"])) { try await $0.ask(ServerTrial.get(path)) }
    }

    private func post(_ path: String, _ body: JSONValue) async throws -> RawAnswer {
        try await ServerTrial.with(ByteRunner()) { try await $0.ask(ServerTrial.post(path, body)) }
    }

    @Test("Health is ok at both addresses.", arguments: ["/health", "/v1/health"])
    func health(_ path: String) async throws {
        let answer = try await get(path)
        #expect(answer.status == 200)
        #expect(answer.json == ["status": "ok"])
    }

    @Test("While the first model is loaded, health is 503 with a time to ask again; requests wait for the load.")
    func loading() async throws {
        let gate = Gate()
        let runner = ScriptedRunner(replies: ["a"])
        let pool = ModelPool([ServedModel(id: "scripted", created: 0)], pinned: ["scripted"]) { id, _ in
            try await gate.wait()
            return LoadedRunner(ServedModel(id: id, created: 0), runner: runner)
        }
        try await ServerTrial.with(pool) { trial in
            async let reply = trial.chat([:])
            await gate.arrival()
            for path in ["/health", "/v1/health"] {
                let answer = try await trial.ask(ServerTrial.get(path))
                #expect(answer.status == 503)
                #expect(answer.json["error"]?["code"] == "model_loading")
                #expect(answer["retry-after"] == "1")
            }
            let models = try await trial.ask(ServerTrial.get("/v1/models")).json
            #expect(models["data"]?[0]?["status"] == "loading")
            gate.open()
            #expect(try await reply.status == 200)
            #expect(try await trial.ask(ServerTrial.get("/health")).status == 200)
        }
    }

    @Test("Models are told with their context, status and name, also under an alias.")
    func models() async throws {
        let model: JSONValue = [
            "id": "scripted", "object": "model", "created": 1_700_000_000, "owned_by": "parley", "status": "loaded",
            "context_length": 4_096, "max_model_len": 4_096,
        ]
        let (list, one, alias, none) = try await ServerTrial.with(ScriptedRunner(replies: ["a"])) {
            $0.aliases = ["gpt": "scripted"]
        } _: { trial in
            (
                try await trial.ask(ServerTrial.get("/v1/models")),
                try await trial.ask(ServerTrial.get("/v1/models/scripted")),
                try await trial.ask(ServerTrial.get("/v1/models/gpt")),
                try await trial.ask(ServerTrial.get("/v1/models/other"))
            )
        }
        #expect(list.json == ["object": "list", "data": [model]])
        #expect(one.json == model)
        #expect(alias.json == model)
        #expect(none.status == 404)
    }

    @Test("The head of an answer has the length of the body that GET has.")
    func heads() async throws {
        let length = try await get("/v1/models")["content-length"]
        let head = try await ServerTrial.with(ScriptedRunner(replies: ["a"])) {
            try await $0.ask(ServerTrial.bare("HEAD", "/v1/models", fields: ["Connection: close"]))
        }
        #expect(head.status == 200)
        #expect(head["content-length"] == length && length != "0")
        #expect(head.body.isEmpty)
    }

    @Test("Clients that speak Anthropic's API are told the models, and errors, in its form.")
    func anthropicModels() async throws {
        let (list, one, none) = try await ServerTrial.with(ScriptedRunner(replies: ["a"])) { trial in
            let fields = ["anthropic-version: 2023-06-01"]
            return (
                try await trial.ask(ServerTrial.get("/v1/models", fields: fields)),
                try await trial.ask(ServerTrial.get("/v1/models/scripted", fields: fields)),
                try await trial.ask(ServerTrial.get("/v1/models/other", fields: fields))
            )
        }
        #expect(none.status == 404)
        #expect(none.json["error"]?["type"] == "not_found_error")
        #expect(none["request-id"] != nil && none.json["request_id"]?.string == none["request-id"])
        #expect(one["request-id"] != nil)
        let model: JSONValue = [
            "type": "model", "id": "scripted", "display_name": "scripted", "created_at": "2023-11-14T22:13:20Z",
        ]
        #expect(one.json == model)
        #expect(list.json == ["data": [model], "has_more": false, "first_id": "scripted", "last_id": "scripted"])
    }

    @Test("What is wrong with a prompt to continue is told of the prompt.")
    func wrongPrompt() async throws {
        let runner = ScriptedRunner { _, _ in
            ScriptedReply(steps: [.fail(ConversationError(.invalidInput, "The prompt must not be empty."))])
        }
        let answer = try await ServerTrial.with(runner) {
            try await $0.ask(ServerTrial.post("/v1/completions", ["model": "scripted", "prompt": ""]))
        }
        #expect(answer.status == 400)
        #expect(answer.json["error"]?["param"] == "prompt")
    }

    @Test("An alias for any name takes requests for names that are not known, but none that is.")
    func aliases() async throws {
        let answer = try await ServerTrial.with(ScriptedRunner(replies: ["a"])) {
            $0.aliases = ["*": "scripted"]
        } _: { trial in
            try await trial.chat(["model": "gpt-4o"])
        }
        #expect(answer.status == 200)
        #expect(answer.json["model"] == "gpt-4o")
    }

    @Test("Figures count requests by route and status, and tokens.")
    func metrics() async throws {
        let text = try await ServerTrial.with(ScriptedRunner(replies: ["Hello there."])) { trial in
            _ = try await trial.chat([:])
            _ = try await trial.chat(["messages": []])
            _ = try await trial.ask(ServerTrial.get("/nowhere"))
            return try await trial.ask(ServerTrial.get("/metrics")).body
        }
        for line in [
            #"parley_requests_total{route="chatCompletions",status="200"} 1"#,
            #"parley_requests_total{route="chatCompletions",status="400"} 1"#,
            #"parley_requests_total{route="none",status="404"} 1"#, "parley_requests_running 0",
            "parley_prompt_tokens_total 3", "parley_generated_tokens_total 2", "parley_models_loaded 1",
            "parley_request_seconds_count 3", #"parley_queue_seconds_bucket{le="+Inf"} 1"#,
        ] {
            #expect(text.split(separator: "\n").contains { $0 == line }, "\(line)")
        }
    }

    @Test("The status tells what runs and waits.")
    func status() async throws {
        let json = try await get("/parley/v1/status").json
        #expect(json["draining"] == false)
        #expect(json["models"]?[0]?["running"] == 0)
    }

    @Test("The document has every path of every route, and no other.")
    func document() async throws {
        let json = try await get("/openapi.json").json
        #expect(json["openapi"] == "3.1.0")
        let paths = Route.allCases.filter { !$0.isOfPage }.flatMap(\.paths).map { $0.hasSuffix("/") ? $0 + "{id}" : $0 }
        #expect(Set(json["paths"]?.object?.keys ?? []) == Set(paths))
    }

    @Test("A text is told as tokens and pieces, and tokens as a text.")
    func tokens() async throws {
        #expect(try await post("/tokenize", ["content": "aé"]).json == ["tokens": [97, 195, 169]])
        #expect(try await post("/tokenize", ["content": "a", "add_special": true]).json == ["tokens": [1, 97]])
        #expect(
            try await post("/tokenize", ["content": "aé", "with_pieces": true]).json
                == [
                    "tokens": [
                        ["id": 97, "piece": "a"], ["id": 195, "piece": [195]], ["id": 169, "piece": [169]],
                    ]
                ])
        #expect(try await post("/detokenize", ["tokens": [97, 195, 169]]).json == ["content": "aé"])
        for body in [["tokens": [300]], ["tokens": ["a"]], ["tokens": 1], [:]] as [JSONValue] {
            #expect(try await post("/detokenize", body).status == 400)
        }
        for (name, wrong) in [("model", [:]), ("add_special", 1), ("with_pieces", "yes")] as [(String, JSONValue)] {
            let answer = try await post("/tokenize", ["content": "a", name: wrong])
            #expect(answer.status == 400 && answer.json["error"]?["param"]?.string == name)
        }
        #expect(try await post("/tokenize", ["content": 1]).json["error"]?["param"] == "content")
    }

    @Test("A conversation is told as a prompt, and counted.")
    func prompt() async throws {
        let body: JSONValue = ["messages": [["role": "user", "content": "ab"]]]
        let json = try await post("/apply-template", body).json
        #expect(json["prompt"] == "<user>ab")
        #expect(json["tokens"]?.array?.count == 8)
        #expect(try await post("/v1/chat/completions/input_tokens", body).json["input_tokens"] == 8)
        #expect(
            try await post("/v1/responses/input_tokens", ["input": "ab"]).json
                == ["object": "response.input_tokens", "input_tokens": 8])
    }

    /// The questions about prompts and tokens.
    private static let questions: [(String, JSONValue)] = [
        ("/tokenize", ["content": "abc"]), ("/detokenize", ["tokens": [97, 98, 99]]),
        ("/apply-template", ["messages": [["role": "user", "content": "a"]]]),
        ("/v1/chat/completions/input_tokens", ["messages": [["role": "user", "content": "a"]]]),
        ("/v1/messages/count_tokens", ["model": "scripted", "messages": [["role": "user", "content": "a"]]]),
    ]

    @Test("The work on a question about tokens ends when its client goes.", .timeLimit(.minutes(15)))
    func leaving() async throws {
        for (path, body) in Self.questions {
            let runner = WaitingRunner()
            let isCancelled = try await ServerTrial.with(runner) { trial in
                let client = try RawClient(port: trial.port)
                client.send(ServerTrial.post(path, body))
                await runner.gate.arrival()
                client.reset()
                return await runner.endsCancelled()
            }
            #expect(isCancelled == true, "\(path)")
        }
    }

    @Test("A long question about tokens has its turn as replies have, and counts for the limits of its key.")
    func turns() async throws {
        let (key, secret) = AccessKey.make(name: "one", scopes: [.api], concurrent: 1)
        let (other, otherSecret) = AccessKey.make(name: "other", scopes: [.api])
        let gate = Gate()
        let runner = ScriptedRunner { _, _ in ScriptedReply(steps: [.wait(gate), .token("a")]) }
        let answers = try await ServerTrial.with(runner) {
            ($0.parallel, $0.queue, $0.keys) = (1, 0, KeyRing([key, other]))
        } _: { trial in
            async let first = trial.chat([:], fields: ["Authorization: Bearer \(secret)"])
            await gate.arrival()
            func ask(_ secret: String, length: Int) async throws -> RawAnswer {
                let text = String(repeating: "a", count: length)
                let body: JSONValue = ["messages": [["role": "user", "content": .string(text)]]]
                let fields = ["Authorization: Bearer \(secret)"]
                return try await trial.ask(
                    ServerTrial.post("/v1/chat/completions/input_tokens", body, fields: fields))
            }
            var answers = [try await ask(secret, length: 20_000), try await ask(otherSecret, length: 20_000)]
            answers.append(try await ask(secret, length: 1))
            gate.open()
            _ = try await first
            answers.append(try await ask(secret, length: 20_000))
            return answers
        }
        #expect(answers.map(\.status) == [429, 503, 200, 200])
        #expect(answers[1].json["error"]?["code"] == "queue_full")
    }

    @Test("Of longer texts than are tokenized no tokens are told; those of a prompt are counted all the same.")
    func length() async throws {
        let statuses = try await ServerTrial.with(ByteRunner()) {
            $0.limits.toldTokens = 2
        } _: { trial in
            var statuses: [Int] = []
            for (path, body) in Self.questions {
                statuses.append(try await trial.ask(ServerTrial.post(path, body)).status)
            }
            statuses.append(try await trial.ask(ServerTrial.post("/tokenize", ["content": "ab"])).status)
            return statuses
        }
        #expect(statuses == [413, 413, 413, 200, 200, 200])
    }

    @Test("A model that does not tell its tokens is told to be incapable.")
    func incapable() async throws {
        let answer = try await ServerTrial.with(ScriptedRunner(replies: ["a"])) {
            try await $0.ask(ServerTrial.post("/tokenize", ["content": "a"]))
        }
        #expect(answer.status == 400)
        #expect(answer.json["error"]?["code"] == "model_not_capable")
    }
}
