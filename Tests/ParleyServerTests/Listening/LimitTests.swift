// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyJSON
import ParleyOpenAI
import ParleyServer
import ParleyTesting
import Testing

@Suite("Limits of requests", .serialized)
struct LimitTests {
    private func answer(
        _ request: String, configure: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> RawAnswer {
        try await ServerTrial.with(ScriptedRunner(replies: ["a"]), configure: configure) {
            try await $0.ask(request)
        }
    }

    @Test("The usual limits are those that are promised.")
    func usual() {
        let limits = ServerLimits()
        #expect((limits.headBytes, limits.headFields, limits.headTime) == (16_384, 100, .seconds(10)))
        #expect((limits.bodyBytes, limits.allBodyBytes, limits.bodyTime) == (33_554_432, 268_435_456, .seconds(30)))
        #expect((limits.connections, limits.idleTime) == (512, .seconds(60)))
        #expect((limits.requestTime, limits.schemaTime, limits.drainTime) == (.seconds(600), .seconds(2), .seconds(30)))
        #expect(limits.lastRequestTime == .seconds(1))
        #expect((limits.streamHeadTime, limits.silence) == (.seconds(2), .seconds(5)))
        #expect((limits.unreadBytes, limits.unreadTime) == (1_048_576, .seconds(30)))
        let wire = limits.wire
        #expect((wire.json.depth, wire.messages, wire.tools, wire.schemaBytes) == (64, 4_096, 128, 262_144))
        #expect((wire.json.bytes, wire.json.values, wire.callBytes) == (33_554_432, 4_194_304, 8_388_608))
        #expect((wire.images, wire.imagePixels, limits.toldTokens) == (16, 16_777_216, 1_048_576))
        #expect((wire.stops, wire.choices, wire.prompts) == (16, 8, 16))
        let configuration = ServerConfiguration(version: "0")
        #expect(configuration.address == .internet(host: "127.0.0.1", port: 8_080))
        #expect((configuration.parallel, configuration.queue, configuration.queueTime) == (16, 256, .seconds(120)))
    }

    @Test("A head that is too long is refused.")
    func head() async throws {
        let long = ServerTrial.get("/health", fields: ["X-Long: " + String(repeating: "a", count: 20_000)])
        let many = ServerTrial.get("/health", fields: (0..<200).map { "X-\($0): 1" })
        for request in [long, many] {
            let answer = try await answer(request)
            #expect(answer.status == 431)
            #expect(answer["x-request-id"]?.hasPrefix("req_") == true)
        }
        #expect(try await answer(ServerTrial.get("/health")).status == 200)
    }

    @Test("A body that is too large is refused, whether it says its length or not.")
    func body() async throws {
        let told = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        let announced = try await answer(told + "Content-Length: 100000000\r\n\r\n")
        #expect(announced.status == 413)
        #expect(announced.json["error"]?["message"]?.string?.contains("32 MiB") == true)
        let piece = "1000\r\n" + String(repeating: " ", count: 4_096) + "\r\n"
        let chunked = try await answer(
            told + "Transfer-Encoding: chunked\r\n\r\n" + String(repeating: piece, count: 4) + "0\r\n\r\n"
        ) { $0.limits.bodyBytes = 10_000 }
        #expect(chunked.status == 413)
    }

    @Test("A body that comes too slowly is refused, and a drip does not extend its time.")
    func slowBody() async throws {
        let head = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        for drips in [false, true] {
            let text = try await ServerTrial.with(ScriptedRunner(replies: ["a"])) {
                $0.limits.bodyTime = .seconds(2)
            } _: { trial in
                let client = try RawClient(port: trial.port)
                client.send(head + "Content-Length: 30000000\r\n\r\n{")
                let drip = Task {
                    while drips, !Task.isCancelled {
                        client.send(" ")
                        await Task.yield()
                    }
                }
                defer { drip.cancel() }
                return await client.text { RawAnswer($0).isWhole }
            }
            #expect(RawAnswer(text).status == 408, "\(drips)")
            #expect(RawAnswer(text).json["error"]?["code"] == "request_timeout", "\(drips)")
        }
    }

    @Test("All bodies together have a limit, of which one client has half: others are told when to try again.")
    func allBodies() async throws {
        let keys = ["one", "two", "three"].map { AccessKey.make(name: $0, scopes: [.api]) }
        let body = #"{"model": "scripted", "messages": [{"role": "user", "content": "Hello!"}]}"#
        let text = body + String(repeating: " ", count: 900 - body.utf8.count)
        @Sendable func head(_ secret: String, _ framing: String) -> String {
            "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Authorization: Bearer \(secret)\r\n\(framing)\r\n\r\n"
        }
        try await ServerTrial.with(ScriptedRunner(replies: ["a"])) {
            $0.keys = KeyRing(keys.map { $0.key })
            ($0.limits.bodyBytes, $0.limits.allBodyBytes) = (1_000, 2_000)
        } _: { trial in
            let secrets = keys.map { $0.secret }
            let holders = try secrets.prefix(2).map { _ in try RawClient(port: trial.port) }
            for (client, secret) in zip(holders, secrets) {
                client.send(head(secret, "Expect: 100-continue\r\nContent-Length: 900"))
                // Whoever is asked for a body has its room.
                let asked = await client.text { $0.hasSuffix("\r\n\r\n") }
                #expect(asked == "HTTP/1.1 100 Continue\r\n\r\n")
            }
            let own = try await trial.ask(head(secrets[0], "Content-Length: 900"))
            #expect(own.status == 429 && own["retry-after"] == "1")
            let others = try await trial.ask(head(secrets[2], "Content-Length: 900"))
            #expect(others.status == 503 && others["retry-after"] == "5")
            #expect(others.json["error"]?["code"] == "queue_full")
            // One that does not tell its length is refused as it comes.
            let chunk = "384\r\n\(text)\r\n0\r\n\r\n"
            #expect(try await trial.ask(head(secrets[2], "Transfer-Encoding: chunked") + chunk).status == 503)
            for client in holders { #expect(await client.ask(text).status == 200) }
            for (framing, body) in [("Content-Length: 900", text), ("Transfer-Encoding: chunked", chunk)] {
                #expect(try await trial.ask(head(secrets[2], framing) + body).status == 200)
            }
        }
    }

    @Test("A client that waits to be asked for its body is asked once its head is good, and not before.")
    func expectation() async throws {
        let body = #"{"model": "scripted", "messages": [{"role": "user", "content": "Hello!"}]}"#
        @Sendable func head(_ length: Int, _ fields: String = "") -> String {
            "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\(fields)"
                + "Expect: 100-continue\r\nContent-Length: \(length)\r\n\r\n"
        }
        try await ServerTrial.with(ScriptedRunner(replies: ["a"])) { trial in
            let client = try RawClient(port: trial.port)
            for _ in 0..<2 {
                client.send(head(body.utf8.count))
                let asked = await client.text { $0.hasSuffix("\r\n\r\n") }
                #expect(asked == "HTTP/1.1 100 Continue\r\n\r\n")
                let answer = await client.ask(body)
                #expect(answer.status == 200)
            }
            for (request, status) in [
                (head(100_000_000), 413), (head(2, "Origin: https://evil.example\r\n"), 403),
                (head(2).replacing("application/json", with: "text/plain"), 415),
            ] {
                #expect(try await trial.ask(request).status == status)
            }
        }
    }

    @Test("A connection without a head is closed after a while.")
    func slowHead() async throws {
        let text = try await ServerTrial.with(ScriptedRunner(replies: ["a"])) {
            $0.limits.headTime = .milliseconds(100)
        } _: { trial in
            let client = try RawClient(port: trial.port)
            client.send("GET / HTTP/1.1\r\nHo")
            return await client.text()
        }
        #expect(text == "")
    }

    @Test("A later head that drips is given no longer than the first one.", .timeLimit(.minutes(15)))
    func slowLaterHead() async throws {
        let text = try await ServerTrial.with(ScriptedRunner(replies: ["a"])) {
            $0.limits.headTime = .seconds(3)
        } _: { trial in
            let client = try RawClient(port: trial.port)
            #expect(await client.ask(ServerTrial.get("/health")).status == 200)
            // A connection at rest is no slow head: this one outlives the time that a head has.
            let other = try RawClient(port: trial.port)
            #expect(await other.ask(ServerTrial.get("/health")).status == 200)
            let drip = Task {
                for byte in "GET /health HTTP/1.1\r\nX-Slow: " + String(repeating: "a", count: 10_000) {
                    client.send(String(byte))
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            let text = await client.text()
            drip.cancel()
            #expect(await other.ask(ServerTrial.get("/health")).status == 200)
            return text
        }
        #expect(text == "")
    }

    @Test("More connections than there may be wait until one is closed.", .timeLimit(.minutes(15)))
    func connections() async throws {
        try await ServerTrial.with(ScriptedRunner(replies: ["a"])) {
            $0.limits.connections = 2
        } _: { trial in
            let open = try (0..<2).map { _ in try RawClient(port: trial.port) }
            for client in open { #expect(await client.ask(ServerTrial.get("/health")).status == 200) }
            let waiting = try RawClient(port: trial.port)
            waiting.send(ServerTrial.get("/health"))
            // The others are served meanwhile, and the third is not counted.
            let figures = await open[0].ask(ServerTrial.get("/metrics"))
            #expect(figures.body.contains("\nparley_connections 2\n"))
            open[1].finish()
            #expect(RawAnswer(await waiting.text { RawAnswer($0).isWhole }).status == 200)
        }
    }

    @Test("A connection without a request is closed after a while, also after one.", .timeLimit(.minutes(15)))
    func idle() async throws {
        let text = try await ServerTrial.with(ScriptedRunner(replies: ["a"])) {
            $0.limits.idleTime = .seconds(2)
        } _: { trial in
            let client = try RawClient(port: trial.port)
            client.send(ServerTrial.get("/health"))
            return await client.text()
        }
        #expect(RawAnswer(text).status == 200)
        #expect(!text.contains(RawClient.endless))
    }

    @Test("A reply that takes too long ends where it is, and says so.")
    func time() async throws {
        let answer = try await ServerTrial.with(ScriptedRunner(replies: ["a b"])) {
            $0.limits.requestTime = .nanoseconds(1)
        } _: {
            try await $0.chat([:])
        }
        let choice = answer.json["choices"]?[0]
        #expect((choice?["finish_reason"], choice?["stop_reason"]) == ("length", "timeout"))
        #expect(choice?["message"]?["content"] == "")
    }

    @Test("A body that is not JSON by its type is refused: a form of another site can send such.")
    func type() async throws {
        for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp", ""]
        {
            let answer = try await answer(
                "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: \(type)\r\n"
                    + "Content-Length: 2\r\n\r\n{}")
            #expect(answer.status == 415, "\(type)")
        }
    }

    @Test("A body that is compressed is refused by its head.")
    func coding() async throws {
        for (coding, status) in [("gzip", 415), ("br", 415), ("identity", 200)] {
            let body: JSONValue = ["model": "scripted", "messages": [["role": "user", "content": "Hello!"]]]
            let answer = try await answer(
                ServerTrial.post("/v1/chat/completions", body, fields: ["Content-Encoding: \(coding)"]))
            #expect(answer.status == status, "\(coding)")
        }
    }

    @Test("An unknown path is 404, a wrong method 405 with those that are there.")
    func paths() async throws {
        #expect(try await answer(ServerTrial.get("/v2")).status == 404)
        let answer = try await answer(ServerTrial.get("/v1/chat/completions"))
        #expect(answer.status == 405)
        #expect(answer["allow"] == "POST")
        #expect(answer.json["error"]?["code"] == "method_not_allowed")
    }

    @Test("JSON that is nested too deeply is refused.")
    func depth() async throws {
        let body = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        let answer = try await answer(
            "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: 200\r\n\r\n\(body)")
        #expect(answer.json["error"]?["code"] == "invalid_json")
    }
}
