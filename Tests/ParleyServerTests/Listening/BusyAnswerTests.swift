// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON
import ParleyOpenAI
import ParleyServer
import ParleyTesting
import Testing

/// A model that tells of itself.
private struct TellingRunner: FigureReporting {
    let modelID = "scripted"

    func figures() async -> RunnerFigures {
        var figures = RunnerFigures()
        (figures.sequences, figures.cacheBytes, figures.setBacks) = (2, 4_096, 1)
        var power = PowerFigures(policy: "automatic", threads: 3, stepTokens: 192)
        (power.isOnBattery, power.charge) = (true, 40)
        figures.power = power
        return figures
    }

    func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
        GenerationOutcome(.stop)
    }

    func promptTokenCount(
        messages: [ChatMessage], functions: [Function], options: GenerationOptions?
    ) async throws -> Int { 1 }

    func unload() async {}
}

@Suite("What a busy server answers", .serialized, .timeLimit(.minutes(15)))
struct BusyAnswerTests {
    /// The answer to a request while another reply runs.
    private func second(
        configure: @escaping @Sendable (inout ServerConfiguration) -> Void = { _ in }, fields: [String] = [],
        _ ask: @escaping @Sendable (ServerTrial) async throws -> RawAnswer
    ) async throws -> JSONValue {
        let gate = Gate()
        let runner = ScriptedRunner { _, _ in ScriptedReply(steps: [.wait(gate), .token("a")]) }
        return try await ServerTrial.with(runner, configure: configure) { trial in
            async let first = trial.chat([:], fields: fields)
            await gate.arrival()
            let answer = try await ask(trial)
            gate.open()
            _ = try await first
            return AnswerGoldens.form(answer)
        }
    }

    private func failure(_ error: ConversationError, _ path: String = "/v1/chat/completions") async throws -> JSONValue
    {
        let body: JSONValue = [
            "model": "scripted", "max_tokens": 5, "messages": [["role": "user", "content": "Hello!"]],
        ]
        return try await ServerTrial.with(ScriptedRunner(replies: [ScriptedReply(steps: [.fail(error)])])) {
            AnswerGoldens.form(try await $0.ask(ServerTrial.post(path, body)))
        }
    }

    @Test("Each 429 and 503 says when to try again, or that it is of no use.")
    func refusals() async throws {
        let (key, secret) = AccessKey.make(name: "one", scopes: [.api], concurrent: 1)
        let fields = ["Authorization: Bearer \(secret)"]
        let memory = ConversationError(
            .insufficientMemory, "The model needs 3 GiB (2 GiB of weights and 1 GiB of cache) and 1 GiB is free.")
        let answers: JSONObject = [
            "rate_limit_exceeded": try await second(
                configure: { $0.keys = KeyRing([key]) }, fields: fields
            ) { try await $0.chat([:], fields: fields) },
            "queue_full": try await second(configure: { ($0.parallel, $0.queue) = (1, 0) }) { try await $0.chat([:]) },
            "queue_full, in Anthropic's form": try await second(configure: { ($0.parallel, $0.queue) = (1, 0) }) {
                let body: JSONValue = [
                    "model": "scripted", "max_tokens": 5, "messages": [["role": "user", "content": "Hello!"]],
                ]
                return try await $0.ask(ServerTrial.post("/v1/messages", body))
            },
            "queue_timeout": try await second(
                configure: { ($0.parallel, $0.queueTime) = (1, .milliseconds(50)) }
            ) { try await $0.chat([:]) },
            "model_loading": try await failure(ConversationError(.modelNotLoaded, "x")),
            "insufficient_memory": try await failure(memory),
            "draining": try await second { trial in
                let draining = Task { await trial.server.drain() }
                while try await trial.ask(ServerTrial.get("/health")).status == 200 {}
                defer { draining.cancel() }
                return try await trial.chat([:])
            },
            "health while it drains": try await second { trial in
                Task { await trial.server.drain() }
                var answer = try await trial.ask(ServerTrial.get("/health"))
                while answer.status == 200 { answer = try await trial.ask(ServerTrial.get("/health")) }
                return answer
            },
            "the status": try await second(configure: { $0.parallel = 2 }) {
                try await $0.ask(ServerTrial.get("/parley/v1/status"))
            },
        ]
        for (title, answer) in answers where title != "the status" {
            let isFinal = title == "insufficient_memory"
            #expect((answer["retry-after"] == nil) == isFinal, "\(title)")
            #expect((answer["x-should-retry"] == "false") == isFinal, "\(title)")
        }
        try AnswerGoldens.compare(answers, in: "busy")
    }

    @Test("The figures after one reply.")
    func metrics() async throws {
        let answer = try await ServerTrial.with(ScriptedRunner(replies: ["Hello there."])) { trial in
            // The connection of the first request has ended when its client has, so only that of the second is open.
            _ = try await trial.chat([:], fields: ["Connection: close"])
            return try await trial.ask(ServerTrial.get("/metrics"))
        }
        let form = AnswerGoldens.form(answer)
        let lines = form["lines"]?.array?.filter { $0.string?.hasPrefix("parley_connections ") != true } ?? []
        let answers: JSONObject = ["after one reply": .array(lines)]
        try AnswerGoldens.compare(answers, in: "metrics")
        #expect(answer["content-type"] == "text/plain; version=0.0.4")
    }

    @Test("Connections are counted while they are open.")
    func connections() async throws {
        let (open, after) = try await ServerTrial.with(ScriptedRunner(replies: ["a"])) { trial in
            func count() async throws -> Int? {
                let lines = try await trial.ask(ServerTrial.get("/metrics")).body.split(separator: "\n")
                let line = lines.first { $0.hasPrefix("parley_connections ") }
                return line?.split(separator: " ").last.flatMap { Int($0) }
            }
            var held: RawClient? = try RawClient(port: trial.port)
            held?.send(ServerTrial.get("/health"))
            _ = await held?.text { RawAnswer($0).isWhole }
            let open = try await count()
            held = nil
            var after = try await count()
            while after != 1 {
                try Task.checkCancellation()
                after = try await count()
            }
            return (open, after)
        }
        #expect((open ?? 0) >= 2)
        #expect(after == 1)
    }

    @Test("The figures of a model in memory are told with its name, and what it has in its cache by the status too.")
    func telling() async throws {
        let (answer, status) = try await ServerTrial.with(TellingRunner()) { trial in
            (
                try await trial.ask(ServerTrial.get("/metrics")),
                try await trial.ask(ServerTrial.get("/parley/v1/status")).json["models"]?[0]
            )
        }
        #expect((status?["sequences"], status?["kv_bytes"], status?["kv_reserved_bytes"]) == (2, 4_096, nil))
        #expect(
            status?["power"] == [
                "policy": "automatic", "threads": 3, "step_tokens": 192, "on_battery": true, "charge": 40,
                "saves_energy": false, "heat": "nominal",
            ])
        let lines = answer.body.split(separator: "\n").filter { $0.contains("{model=\"scripted\"}") }
        #expect(
            lines.filter { !$0.contains("seconds") } == [
                "parley_sequences{model=\"scripted\"} 2", "parley_kv_bytes{model=\"scripted\"} 4096",
                "parley_set_back_total{model=\"scripted\"} 1", "parley_step_threads{model=\"scripted\"} 3",
            ])
    }

    @Test("What a runner tells of its engine is among the figures, and nothing that it does not know.")
    func figures() {
        var figures = RunnerFigures()
        (figures.steps, figures.rows, figures.stepTime) = (3, 7, .milliseconds(1_500))
        (figures.draftedTokens, figures.acceptedTokens) = (5, 4)
        let lines = EngineFigures.lines([("a\"b", figures), ("c", RunnerFigures())])
        #expect(
            lines == [
                "# TYPE parley_steps_total counter", "parley_steps_total{model=\"a\\\"b\"} 3",
                "# TYPE parley_step_rows_total counter", "parley_step_rows_total{model=\"a\\\"b\"} 7",
                "# TYPE parley_step_seconds_total counter", "parley_step_seconds_total{model=\"a\\\"b\"} 1.5",
                "# TYPE parley_draft_tokens_total counter", "parley_draft_tokens_total{model=\"a\\\"b\"} 5",
                "# TYPE parley_draft_accepted_tokens_total counter",
                "parley_draft_accepted_tokens_total{model=\"a\\\"b\"} 4",
            ])
    }
}
