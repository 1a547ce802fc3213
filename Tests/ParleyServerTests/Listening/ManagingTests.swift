// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyJSON
import ParleyModels
import ParleyOpenAI
import ParleyServer
import ParleySystem
import ParleyTesting
import Synchronization
import Testing

/// A library of one model, which comes when its gate opens.
private final class OneModel: ModelLibrary {
    let gate = Gate()
    private let removedNames = Mutex<[String]>([])

    var removed: [String] { removedNames.withLock { $0 } }

    func catalog() async -> [FetchableModel] {
        [
            FetchableModel(
                name: "small", title: "Small", size: ByteSize(exactly: 5), memory: .zero, capabilities: .chat,
                isInstalled: false)
        ]
    }

    func fetch(
        _ reference: String, report: @escaping @Sendable (InstallEvent) -> Void
    ) async throws -> ServedModel {
        guard reference == "small" else { throw ServerError(404, .modelNotFound, "There is no such model.") }
        report(.received(bytes: 2, of: 5))
        try await gate.wait()
        return ServedModel(id: reference, created: 0)
    }

    func remove(_ id: String) async throws { removedNames.withLock { $0.append(id) } }
}

/// Models that tell when somebody listens no longer to what happens to them.
private struct Heard: ManagedModels {
    let pool: ModelPool
    let ends = AsyncStream<Void>.makeStream()

    func events() -> AsyncStream<ModelEvent> {
        let (stream, continuation) = AsyncStream<ModelEvent>.makeStream()
        continuation.onTermination = { [ends] _ in ends.continuation.yield() }
        return stream
    }

    func list() async -> [ServedModel] { await pool.list() }
    func isReady() async -> Bool { await pool.isReady() }
    func lease(_ id: String) async throws -> ModelLease { try await pool.lease(id) }
    func loaded() async -> [LoadedRunner] { await pool.loaded() }
    func tidy(now: ContinuousClock.Instant) async { await pool.tidy(now: now) }
    func makeRoom() async -> Bool { await pool.makeRoom() }
    func catalog() async -> [FetchableModel] { await pool.catalog() }
    func fetch(_ reference: String) async throws -> FetchJob { try await pool.fetch(reference) }
    func jobs() async -> [FetchJob] { await pool.jobs() }
    func cancelJob(_ id: String) async throws -> FetchJob { try await pool.cancelJob(id) }
    func pauseJob(_ id: String) async throws -> FetchJob { try await pool.pauseJob(id) }
    func load(_ id: String) async throws { try await pool.load(id) }
    func unload(_ id: String) async throws { try await pool.unload(id) }
    func delete(_ id: String) async throws { try await pool.delete(id) }
}

@Suite("Models are managed through the server", .serialized)
struct ManagingTests {
    private let secret: String
    private let key: AccessKey
    private let library = OneModel()

    init() {
        (key, secret) = AccessKey.make(name: "manager", scopes: [.admin])
    }

    private var fields: [String] { ["Authorization: Bearer \(secret)"] }

    private func trial<Value: Sendable>(
        _ runner: any ModelRunner = ScriptedRunner(replies: ["a"]), aliases: [String: String] = [:],
        _ body: @escaping @Sendable (ServerTrial) async throws -> Value
    ) async throws -> Value {
        let key = key
        return try await ServerTrial.with(
            runner, library: library, configure: { ($0.keys, $0.aliases) = (KeyRing([key]), aliases) }, body)
    }

    @Test("Management needs a key although replies need none.")
    func keys() async throws {
        try await trial { trial in
            let managing = try await trial.ask(ServerTrial.get("/parley/v1/models")).status
            #expect(managing == 401)
            let reply = try await trial.chat([:]).status
            #expect(reply == 200)
        }
    }

    @Test("A model is fetched by a job, whose course is told, and is then served.")
    func fetching() async throws {
        let (library, fields) = (library, fields)
        try await trial { trial in
            let events = try RawClient(port: trial.port)
            events.send(ServerTrial.get("/parley/v1/events", fields: fields))
            let head = RawAnswer(await events.text { $0.contains("events follow") })
            #expect(head["Content-Type"] == "text/event-stream")
            // Proxies that gather answers would hold the stream back.
            #expect(head["X-Accel-Buffering"] == "no")
            let asked = ServerTrial.post("/parley/v1/models", ["model": "small"], fields: fields)
            let answer = try await trial.ask(asked)
            #expect(answer.status == 202)
            #expect(answer.json["status"] == "running")
            // The same again is the same job.
            #expect(try await trial.ask(asked).json["id"] == answer.json["id"])
            await library.gate.arrival()
            let during = try await trial.ask(ServerTrial.get("/parley/v1/models", fields: fields)).json
            #expect(during["catalog"]?[0]?["name"] == "small")
            #expect(during["jobs"]?[0]?["received"] == 2)
            library.gate.open()
            let told = await events.text { $0.contains(#""status":"done""#) }
            #expect(told.contains(#"{"type":"model.status","model":"small","status":"unloaded"}"#))
            let models = try await trial.ask(ServerTrial.get("/v1/models")).json
            #expect(models["data"]?.array?.compactMap { $0["id"]?.string } == ["scripted", "small"])
        }
    }

    @Test("Whoever asks for the head of the events alone is no listener afterwards.", .timeLimit(.minutes(15)))
    func headOfEvents() async throws {
        let models = Heard(pool: ModelPool([]) { _, _ in throw CancellationError() })
        let (key, fields) = (key, fields)
        try await ServerTrial.with(models, configure: { $0.keys = KeyRing([key]) }) { trial in
            let client = try RawClient(port: trial.port)
            client.send(ServerTrial.bare("HEAD", "/parley/v1/events", fields: fields))
            let head = RawAnswer(await client.text { $0.contains("\r\n\r\n") })
            #expect(head.status == 200 && head["Content-Type"] == "text/event-stream")
            for await _ in models.ends.stream { break }
        }
    }

    @Test("A job that fails says why, one that is ended is cancelled, and there are no others.")
    func jobs() async throws {
        let (library, fields) = (library, fields)
        try await trial { trial in
            let ended = try await trial.ask(ServerTrial.post("/parley/v1/models", ["model": "small"], fields: fields))
            await library.gate.arrival()
            let id = try #require(ended.json["id"]?.string)
            let answer = try await trial.ask(ServerTrial.bare("DELETE", "/parley/v1/jobs/\(id)", fields: fields))
            #expect(answer.json["status"] == "cancelled")
            #expect(try await trial.ask(ServerTrial.bare("DELETE", "/parley/v1/jobs/x", fields: fields)).status == 404)
            _ = try await trial.ask(ServerTrial.post("/parley/v1/models", ["model": "other"], fields: fields))
            var failed: JSONValue?
            while failed?["status"] != "failed" {
                failed = try await trial.ask(ServerTrial.get("/parley/v1/models", fields: fields)).json["jobs"]?[1]
            }
            #expect(failed?["error"] == "There is no such model.")
        }
    }

    @Test("Every answer of the management has the form that it had.")
    func forms() async throws {
        let (library, fields) = (library, fields)
        let answers: JSONObject = try await trial { trial in
            func post(_ what: String, _ body: JSONValue) async throws -> JSONValue {
                AnswerGoldens.form(
                    try await trial.ask(ServerTrial.post("/parley/v1/models\(what)", body, fields: fields)))
            }
            func bare(_ method: String, _ what: String) async throws -> JSONValue {
                AnswerGoldens.form(try await trial.ask(ServerTrial.bare(method, "/parley/v1\(what)", fields: fields)))
            }
            var answers: JSONObject = [
                "no key": AnswerGoldens.form(try await trial.ask(ServerTrial.get("/parley/v1/models"))),
                "models": try await bare("GET", "/models"), "a fetch": try await post("", ["model": "small"]),
            ]
            await library.gate.arrival()
            answers["models and a job"] = try await bare("GET", "/models")
            answers["a job that is ended"] = try await bare("DELETE", "/jobs/job-1")
            answers["no such job"] = try await bare("DELETE", "/jobs/9")
            answers["no model"] = try await post("", [:])
            answers["loaded already"] = try await post("/load", ["model": "scripted"])
            answers["no such model to load"] = try await post("/load", ["model": "other"])
            answers["unloaded"] = try await post("/unload", ["model": "scripted"])
            answers["no such model to unload"] = try await post("/unload", ["model": "other"])
            answers["removed"] = try await bare("DELETE", "/models/scripted")
            answers["no such model to remove"] = try await bare("DELETE", "/models/scripted")
            return answers
        }
        try AnswerGoldens.compare(answers, in: "managing")
    }

    @Test("A model is managed by its aliases too, but not by one for any name, which a wrong name would be.")
    func aliases() async throws {
        let (library, fields) = (library, fields)
        try await trial(aliases: ["s": "scripted", "*": "scripted"]) { trial in
            for what in ["unload", "load"] {
                let asked = ServerTrial.post("/parley/v1/models/\(what)", ["model": "s"], fields: fields)
                #expect(try await trial.ask(asked).status == 200)
            }
            let wrong = try await trial.ask(ServerTrial.bare("DELETE", "/parley/v1/models/other", fields: fields))
            #expect(wrong.status == 404)
            #expect(library.removed.isEmpty)
            let gone = try await trial.ask(ServerTrial.bare("DELETE", "/parley/v1/models/s", fields: fields))
            #expect(gone.status == 200)
            #expect(library.removed == ["scripted"])
        }
    }

    @Test("A model is unloaded and loaded, and removed, but not while a reply uses it.")
    func memory() async throws {
        let gate = Gate()
        let runner = ScriptedRunner { _, _ in ScriptedReply(steps: [.wait(gate), .token("a")]) }
        let (library, fields) = (library, fields)
        try await trial(runner) { trial in
            @Sendable func ask(_ what: String) async throws -> RawAnswer {
                try await trial.ask(
                    ServerTrial.post("/parley/v1/models/\(what)", ["model": "scripted"], fields: fields))
            }
            async let reply = trial.chat([:])
            await gate.arrival()
            let refused = try await ask("unload")
            #expect(refused.status == 409)
            #expect(refused.json["error"]?["code"] == "model_in_use")
            gate.open()
            #expect(try await reply.status == 200)
            var status = 409
            while status == 409 { status = try await ask("unload").status }
            #expect(status == 200)
            let list = try await trial.ask(ServerTrial.get("/v1/models")).json
            #expect(list["data"]?[0]?["status"] == "unloaded")
            #expect(try await ask("load").status == 200)
            let gone = try await trial.ask(
                ServerTrial.bare("DELETE", "/parley/v1/models/scripted", fields: fields))
            #expect(gone.status == 200)
            #expect(library.removed == ["scripted"])
            #expect(try await trial.ask(ServerTrial.get("/v1/models")).json["data"] == [])
        }
    }
}
