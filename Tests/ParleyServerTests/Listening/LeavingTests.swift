// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import ParleyConversation
import ParleyJSON
import ParleyOpenAI
import ParleyServer
import ParleyTesting
import Synchronization
import Testing

/// A model that tells when each of its replies has begun and ended.
private final class ObservedRunner: ModelRunner {
    let modelID = "scripted"
    let inner: ScriptedRunner
    private let ends = AsyncStream<FinishReason>.makeStream()

    init(_ reply: @escaping @Sendable (GenerationRequest, Int) -> ScriptedReply) {
        inner = ScriptedRunner(reply: reply)
    }

    func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
        do {
            let outcome = try await inner.generate(request, to: writer)
            ends.continuation.yield(outcome.finishReason)
            return outcome
        } catch {
            ends.continuation.yield(.cancelled)
            throw error
        }
    }

    func promptTokenCount(
        messages: [ChatMessage], functions: [Function], options: GenerationOptions?
    ) async throws -> Int { 1 }

    func unload() async { await inner.unload() }

    /// How the next reply ends.
    func end() async -> FinishReason? {
        for await reason in ends.stream { return reason }
        return nil
    }
}

/// A page with more events than all buffers hold.
private final class LongPage: ServedPage {
    static let events = 400
    private let count = Mutex(0)
    private let ends = AsyncStream<Void>.makeStream()

    /// How many events have been asked for.
    var asked: Int { count.withLock { $0 } }

    func answer(_ request: PageRequest) async throws -> PageAnswer {
        let text = ": " + String(repeating: "a", count: 1 << 16) + "\n\n"
        let gate = Gate()
        let events = AsyncStream<String>(
            unfolding: { [self] in
                // What came before is written by now: NIO takes any amount as long as its threads have not run.
                for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() { try? await loop.submit {}.get() }
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                if number > Self.events { try? await gate.wait() }
                return text
            }, onCancel: { [self] in _ = ends.continuation.yield() })
        return .events(events)
    }

    /// Waits until nobody reads the events any more.
    func end() async {
        for await _ in ends.stream { return }
    }
}

@Suite("Clients that leave, and the end of the server", .serialized)
struct LeavingTests {
    private func request(_ members: JSONObject = [:]) -> String {
        var body: JSONObject = ["model": "scripted", "messages": [["role": "user", "content": "Hello!"]]]
        body.merge(members) { $1 }
        return ServerTrial.post("/v1/chat/completions", .object(body))
    }

    @Test("A reply ends when its client goes, streamed or not, while it is read or written.", arguments: [false, true])
    func leaving(_ streams: Bool) async throws {
        for inPrompt in [false, true] {
            for resets in [false, true] {
                let gate = Gate()
                let runner = ObservedRunner { _, _ in
                    var reply = ScriptedReply(steps: [.token("a"), .wait(gate), .token("b")])
                    if inPrompt { (reply.prompt, reply.steps) = ([.wait(gate)], [.token("a")]) }
                    return reply
                }
                let end = try await ServerTrial.with(runner) { trial in
                    let client = try RawClient(port: trial.port)
                    client.send(request(streams ? ["stream": true] : [:]))
                    await gate.arrival()
                    resets ? client.reset() : client.finish()
                    return await runner.end()
                }
                #expect(end == .cancelled)
            }
        }
    }

    @Test(
        "A client that leaves too much of a stream unread, or anything for too long, counts as gone.",
        arguments: [true, false])
    func unread(_ byBytes: Bool) async throws {
        // More than all buffers between the two hold; the reply then waits for good.
        let piece = String(repeating: "a", count: 1 << 16)
        let gate = Gate()
        let runner = ObservedRunner { _, _ in
            ScriptedReply(steps: Array(repeating: .token(piece), count: 400) + [.wait(gate)])
        }
        let end = try await ServerTrial.with(runner) {
            if !byBytes { ($0.limits.unreadTime, $0.limits.unreadBytes) = (.milliseconds(50), .max) }
        } _: { trial in
            let client = try RawClient(port: trial.port)
            client.send(request(["stream": true]))
            return await runner.end()
        }
        #expect(end == .cancelled)
    }

    @Test("Events wait at their source while a client reads none, until it counts as gone.", .timeLimit(.minutes(15)))
    func unreadEvents() async throws {
        let page = LongPage()
        let (key, secret) = AccessKey.make(name: "page", scopes: [.data])
        try await ServerTrial.with(ScriptedRunner(replies: [])) {
            $0.keys = KeyRing([key])
            $0.limits.unreadTime = .milliseconds(50)
        } _: { trial in
            trial.server.show(page)
            let client = try RawClient(port: trial.port)
            client.send(ServerTrial.get("/app/v1/events", fields: ["Authorization: Bearer \(secret)"]))
            await page.end()
            withExtendedLifetime(client) {}
        }
        #expect((1...LongPage.events).contains(page.asked))
    }

    @Test("A client that asks on and reads nothing loses its connection after a while.", .timeLimit(.minutes(15)))
    func unreadAnswers() async throws {
        try await ServerTrial.with(ScriptedRunner(replies: ["a"])) {
            $0.limits.unreadTime = .milliseconds(50)
        } _: { trial in
            let reading = try RawClient(port: trial.port)
            let client = try RawClient(port: trial.port)
            client.send(String(repeating: ServerTrial.get("/openapi.json"), count: 2_000))
            func connections() async -> String? {
                await reading.ask(ServerTrial.get("/metrics")).body.split(separator: "\n")
                    .first { $0.hasPrefix("parley_connections ") }.map(String.init)
            }
            while await connections() != "parley_connections 1" { await Task.yield() }
        }
    }

    @Test("A request that waits leaves the queue when its client goes, and no other reply is touched.")
    func waiting() async throws {
        let gate = Gate()
        let runner = ScriptedRunner { _, _ in ScriptedReply(steps: [.wait(gate), .token("a")]) }
        try await ServerTrial.with(runner) {
            ($0.parallel, $0.queue) = (1, 1)
        } _: { trial in
            let first = try RawClient(port: trial.port)
            first.send(request())
            await gate.arrival()
            func status() async throws -> JSONValue? {
                try await trial.ask(ServerTrial.get("/parley/v1/status")).json["models"]?[0]
            }
            func waits(_ count: Int) async throws {
                while try await status()?["waiting"]?.integer != count { await Task.yield() }
            }
            let second = try RawClient(port: trial.port)
            second.send(request())
            try await waits(1)
            let refused = try await trial.ask(request())
            #expect(refused.status == 503)
            #expect(refused.json["error"]?["code"] == "queue_full")
            #expect(refused["retry-after"] != nil)
            second.reset()
            try await waits(0)
            #expect(try await status()?["running"] == 1)
            gate.open()
            #expect(RawAnswer(await first.text { RawAnswer($0).isWhole }).status == 200)
        }
        #expect(runner.requests.count == 1)
    }

    @Test("A request that has waited for too long is told so.")
    func patience() async throws {
        let gate = Gate()
        let runner = ScriptedRunner { _, _ in ScriptedReply(steps: [.wait(gate)]) }
        try await ServerTrial.with(runner) {
            ($0.parallel, $0.queueTime) = (1, .milliseconds(50))
        } _: { trial in
            let first = try RawClient(port: trial.port)
            first.send(request())
            await gate.arrival()
            let second = try await trial.ask(request())
            #expect(second.status == 503)
            #expect(second.json["error"]?["code"] == "queue_timeout")
        }
    }

    @Test("The head of a stream is sent although its request still waits; a comment breaks the silence.")
    func early() async throws {
        let gate = Gate()
        let runner = ScriptedRunner { _, _ in ScriptedReply(steps: [.wait(gate), .token("a")]) }
        try await ServerTrial.with(runner) {
            $0.parallel = 1
            ($0.limits.streamHeadTime, $0.limits.silence) = (.milliseconds(10), .milliseconds(10))
        } _: { trial in
            let first = try RawClient(port: trial.port)
            first.send(request())
            await gate.arrival()
            let second = try RawClient(port: trial.port)
            second.send(request(["stream": true]))
            let text = await second.text { $0.contains(": still at work") }
            #expect(RawAnswer(text).status == 200)
            gate.open()
            let rest = await second.text { $0.contains("[DONE]") }
            #expect(rest.contains("[DONE]"))
        }
    }

    @Test("A connection is used again after an answer, streamed or not.")
    func keptAlive() async throws {
        try await ServerTrial.with(ScriptedRunner(replies: ["a"])) { trial in
            let client = try RawClient(port: trial.port)
            for members in [[:], ["stream": true], [:]] as [JSONObject] {
                #expect(await client.ask(request(members)).status == 200)
            }
        }
    }

    @Test("A server that drains takes no new requests, lets those that run end, and tells the others.")
    func draining() async throws {
        let (short, long) = (Gate(), Gate())
        let runner = ScriptedRunner { _, number in
            ScriptedReply(steps: [.token("a"), .wait(number == 0 ? short : long), .token("b")])
        }
        try await ServerTrial.with(runner) { trial in
            let first = try RawClient(port: trial.port)
            first.send(request())
            await short.arrival()
            let second = try RawClient(port: trial.port)
            second.send(request(["stream": true]))
            await long.arrival()
            let idle = try RawClient(port: trial.port)
            _ = await idle.ask(ServerTrial.get("/health"))
            let end = Task { await trial.server.drain() }
            var refused = await idle.ask(ServerTrial.get("/health"))
            while refused.status == 200 { refused = await idle.ask(ServerTrial.get("/health")) }
            #expect(refused.json["error"]?["code"] == "draining")
            short.open()
            #expect(RawAnswer(await first.text { RawAnswer($0).isWhole }).status == 200)
            // The other has no more time.
            await trial.server.drain(for: .zero)
            let text = await second.text { RawAnswer($0).isWhole }
            #expect(RawAnswer(text).events.last?.contains("draining") == true)
            await end.value
        }
    }

    @Test("A request whose model is still being loaded when the time is over is told that the server ends.")
    func drainingLoad() async throws {
        let gate = Gate()
        let model = ServedModel(id: "scripted", created: 0)
        let pool = ModelPool([model]) { _, _ in
            try await gate.wait()
            return LoadedRunner(model, runner: ScriptedRunner(replies: ["a"]))
        }
        try await ServerTrial.with(pool) { trial in
            let client = try RawClient(port: trial.port)
            client.send(request())
            await gate.arrival()
            async let end: Void = trial.server.drain(for: .zero)
            let answer = RawAnswer(await client.text { RawAnswer($0).isWhole })
            #expect(answer.status == 503 && answer.json["error"]?["code"] == "draining")
            // The load was not undone.
            gate.open()
            await end
            _ = try await pool.lease("scripted")
        }
    }

    @Test("A model that is loaded or removed through the server does not hold it up when the time is over.")
    func drainingManagement() async throws {
        let (key, secret) = AccessKey.make(name: "manager", scopes: [.admin])
        let fields = ["Authorization: Bearer \(secret)"]
        let model = ServedModel(id: "scripted", created: 0)
        for request in [
            ServerTrial.post("/parley/v1/models/load", ["model": "scripted"], fields: fields),
            ServerTrial.bare("DELETE", "/parley/v1/models/scripted", fields: fields),
        ] {
            let gate = Gate()
            let pool = ModelPool([model], library: SlowLibrary(gate: gate)) { _, _ in
                try await gate.wait()
                return LoadedRunner(model, runner: ScriptedRunner(replies: ["a"]))
            }
            try await ServerTrial.with(pool, configure: { $0.keys = KeyRing([key]) }) { trial in
                let client = try RawClient(port: trial.port)
                client.send(request)
                await gate.arrival()
                // Nothing opens the gate.
                await trial.server.drain(for: .zero)
                let answer = RawAnswer(await client.text { RawAnswer($0).isWhole })
                #expect(answer.status == 503 && answer.json["error"]?["code"] == "draining")
            }
            // The load that nobody waits for any more ends too.
            gate.open()
        }
    }

    @Test("A whole reply that still runs when the time for that is over is told that the server ends.")
    func drainingWhole() async throws {
        let gate = Gate()
        let runner = ObservedRunner { _, _ in ScriptedReply(steps: [.token("a"), .wait(gate)]) }
        try await ServerTrial.with(runner) {
            $0.limits.drainTime = .milliseconds(200)
        } _: { trial in
            let client = try RawClient(port: trial.port)
            client.send(request())
            await gate.arrival()
            await trial.server.drain()
            let answer = RawAnswer(await client.text { RawAnswer($0).isWhole })
            #expect(answer.status == 503 && answer["retry-after"] == "10")
            #expect(answer.json["error"]?["code"] == "draining")
            #expect(await runner.end() == .cancelled)
        }
    }
}
