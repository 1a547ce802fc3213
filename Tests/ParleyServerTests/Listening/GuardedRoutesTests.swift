// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import ParleyJSON
import ParleyOpenAI
import ParleyServer
import ParleyTestSupport
import ParleyTesting
import Testing

@Suite("The guard before the routes", .serialized, .timeLimit(.minutes(15)))
struct GuardedRoutesTests {
    /// A request for a route, without a key.
    private static func request(_ path: String, _ route: Route, host: String, fields: [String] = []) -> String {
        let path = path.hasSuffix("/") && path != "/" ? path + "scripted" : path
        return route.method == .post && !route.isOfPage
            ? ServerTrial.post(path, ["model": "scripted"], fields: fields).replacing("localhost", with: host)
            : ServerTrial.get(path, host: host, fields: fields).replacing("GET ", with: "\(route.method.rawValue) ")
    }

    @Test("Every path of every route refuses foreign hosts, foreign pages and, but for health, missing keys.")
    func all() async throws {
        let (key, secret) = AccessKey.make(name: "test", scopes: [.api, .metrics, .admin])
        try await ServerTrial.with(ScriptedRunner(replies: ["a"])) {
            $0.keys = KeyRing([key])
        } _: { trial in
            for route in Route.allCases {
                for path in route.paths {
                    func ask(host: String = "localhost", _ fields: [String] = []) async throws -> RawAnswer {
                        let answer = try await trial.ask(Self.request(path, route, host: host, fields: fields))
                        #expect(answer["x-request-id"]?.hasPrefix("req_") == true, "\(path)")
                        #expect(answer["access-control-allow-origin"] == nil, "\(path)")
                        return answer
                    }
                    #expect(try await ask(host: "evil.example").status == 403, "\(path)")
                    #expect(try await ask(["Origin: https://evil.example"]).status == 403, "\(path)")
                    // This server has no page.
                    let open = route == .page ? 404 : 200
                    #expect(try await ask().status == (route.scope == nil ? open : 401), "\(path)")
                    // Its answer has no end.
                    if route == .modelEvents || route.isOfPage { continue }
                    let status = try await ask(["Authorization: Bearer \(secret)"]).status
                    if route.scope == .admin {
                        #expect(![401, 403].contains(status), "\(path)")
                        continue
                    }
                    // This server has no speech model.
                    if [.transcriptions, .translations].contains(route) {
                        #expect(status == 404, "\(path)")
                        continue
                    }
                    // The bodies of these requests have no messages.
                    #expect(status == (route.method == .post ? 400 : 200), "\(path)")
                }
            }
        }
    }

    @Test("A key that has as many requests as it may is told when to try again; others are not touched.")
    func keyLimits() async throws {
        let (key, secret) = AccessKey.make(name: "one", scopes: [.api], concurrent: 1)
        let (other, otherSecret) = AccessKey.make(name: "other", scopes: [.api])
        let gate = Gate()
        let runner = ScriptedRunner { _, number in
            number == 0 ? ScriptedReply(steps: [.wait(gate), .token("a")]) : "b"
        }
        try await ServerTrial.with(runner) {
            $0.keys = KeyRing([key, other])
        } _: { trial in
            async let first = trial.chat([:], fields: ["Authorization: Bearer \(secret)"])
            await gate.arrival()
            let second = try await trial.chat([:], fields: ["Authorization: Bearer \(secret)"])
            #expect(second.status == 429)
            #expect(second["retry-after"] == "1")
            #expect(second.json["error"]?["type"] == "rate_limit_error")
            #expect(try await trial.chat([:], fields: ["x-api-key: \(otherSecret)"]).status == 200)
            gate.open()
            #expect(try await first.status == 200)
            #expect(try await trial.chat([:], fields: ["Authorization: Bearer \(secret)"]).status == 200)
        }
    }

    @Test("A request counts for its key before its body has come: no second body is asked for.")
    func keyLimitsOfBodies() async throws {
        let (key, secret) = AccessKey.make(name: "one", scopes: [.api], concurrent: 1)
        let fields = ["Authorization: Bearer \(secret)"]
        let body = #"{"model": "scripted", "messages": [{"role": "user", "content": "Hello!"}]}"#
        @Sendable func head(_ path: String, _ framing: String) -> String {
            (["POST \(path) HTTP/1.1", "Host: localhost", "Content-Type: application/json", framing] + fields)
                .joined(separator: "\r\n") + "\r\n\r\n"
        }
        try await ServerTrial.with(ScriptedRunner(replies: ["a"])) {
            $0.keys = KeyRing([key])
        } _: { trial in
            let first = try RawClient(port: trial.port)
            first.send(head("/v1/chat/completions", "Expect: 100-continue\r\nContent-Length: \(body.utf8.count)"))
            // Whoever is asked for a body has a place.
            #expect(await first.text { $0.hasSuffix("\r\n\r\n") } == "HTTP/1.1 100 Continue\r\n\r\n")
            for path in ["/v1/chat/completions", "/v1/completions", "/v1/messages", "/v1/embeddings", "/tokenize"] {
                let refused = try await trial.ask(
                    head(path, "Expect: 100-continue\r\nContent-Length: \(1 << 20)"))
                #expect(refused.status == 429, "\(path)")
            }
            // A short question has no place, and takes none.
            let count = ServerTrial.post(
                "/v1/chat/completions/input_tokens", try JSONValue(parsing: body), fields: fields)
            #expect(try await trial.ask(count).status == 200)
            #expect(await first.ask(body).status == 200)
            // The place is free again, after a body that is no request too.
            let chunked = head("/tokenize", "Transfer-Encoding: chunked") + "2\r\n{}\r\n0\r\n\r\n"
            for wrong in [head("/v1/chat/completions", "Content-Length: 2") + "{}", chunked] {
                #expect(try await trial.ask(wrong).status == 400)
            }
            #expect(try await trial.chat([:], fields: fields).status == 200)
        }
    }

    @Test("The prompt of several replies counts once for their key.")
    func severalReplies() async throws {
        let (key, secret) = AccessKey.make(name: "one", scopes: [.api], tokensPerMinute: 10)
        try await ServerTrial.with(ScriptedRunner(replies: ["a"])) {
            $0.keys = KeyRing([key])
        } _: { trial in
            let fields = ["Authorization: Bearer \(secret)"]
            let first = try await trial.chat(["n": 3], fields: fields)
            // Three of the prompt and three of the replies; each with its own prompt they would be more than there are.
            #expect(first.json["usage"]?["total_tokens"] == 6)
            #expect(try await trial.chat([:], fields: fields).status == 200)
        }
    }

    @Test("A reply whose client leaves counts for its key and in the figures, as far as it has come.")
    func leftReply() async throws {
        let (key, secret) = AccessKey.make(
            name: "one", scopes: [.api, .metrics], concurrent: 1, tokensPerMinute: 1)
        let gate = Gate()
        let runner = ScriptedRunner { _, _ in
            // So many that the bucket of the key is not filled again before the test has ended.
            ScriptedReply(steps: Array(repeating: .token("a"), count: 100) + [.wait(gate)])
        }
        try await ServerTrial.with(runner) {
            $0.keys = KeyRing([key])
        } _: { trial in
            let fields = ["Authorization: Bearer \(secret)"]
            let body: JSONValue = ["model": "scripted", "messages": [["role": "user", "content": "Hello!"]]]
            let client = try RawClient(port: trial.port)
            client.send(ServerTrial.post("/v1/chat/completions", body, fields: fields))
            await gate.arrival()
            client.reset()
            #expect(try await trial.refusalWhenIdle(fields: fields).contains("tokens of a minute"))
            let figures = try await trial.ask(ServerTrial.get("/metrics", fields: fields)).body
            #expect(figures.contains("parley_generated_tokens_total 100\n"))
        }
    }

    @Test("What a key has opened ends when it is removed: a stream, a request that waits, and events.")
    func removedKey() async throws {
        let directory = try TemporaryDirectory()
        let gate = Gate()
        let runner = ScriptedRunner { _, _ in ScriptedReply(steps: [.token("a"), .wait(gate)]) }
        try await ServerTrial.with(runner) {
            ($0.parallel, $0.keyFile) = (1, directory.url.appending(path: "keys.json"))
        } _: { trial in
            let secret = try await trial.server.keys.add("phone", for: [.api, .metrics, .admin])
            let fields = ["Authorization: Bearer \(secret)"]
            func client(_ request: String) throws -> RawClient {
                let client = try RawClient(port: trial.port)
                client.send(request)
                return client
            }
            func chat(_ streams: Bool) throws -> RawClient {
                let body: JSONValue = [
                    "model": "scripted", "stream": .bool(streams),
                    "messages": [["role": "user", "content": "Hello!"]],
                ]
                return try client(ServerTrial.post("/v1/chat/completions", body, fields: fields))
            }
            let events = try client(ServerTrial.get("/parley/v1/events", fields: fields))
            _ = await events.text { $0.contains("events follow") }
            let running = try chat(true)
            await gate.arrival()
            let waiting = try chat(false)
            var status: JSONValue?
            while status?["waiting"] != 1 {
                status = try await trial.ask(ServerTrial.get("/parley/v1/status", fields: fields)).json["models"]?[0]
            }
            try await trial.server.keys.remove("phone")
            let stream = RawAnswer(await running.text { RawAnswer($0).isWhole })
            #expect(stream.events.last?.contains("invalid_api_key") == true)
            let refused = RawAnswer(await waiting.text { RawAnswer($0).isWhole })
            #expect(refused.status == 401 && refused.json["error"]?["code"] == "invalid_api_key")
            #expect(await events.text { $0.hasSuffix("0\r\n\r\n") }.hasSuffix("0\r\n\r\n"))
        }
        withExtendedLifetime(directory) {}
    }

    @Test("A page of an allowed site is answered by its name, also before its request.")
    func crossOrigin() async throws {
        let origin = "Origin: https://app.example"
        let asking = "Access-Control-Request-Headers"
        // What OpenAI's client in a browser names, and what is no name.
        let clients = "authorization,content-type, x-stainless-os,x-stainless-retry-count,openai-beta, a\"b, c(d"
        let (answer, before, foreign) = try await ServerTrial.with(ScriptedRunner(replies: ["a"])) {
            $0.origins = ["https://app.example"]
        } _: { trial in
            (
                try await trial.ask(ServerTrial.get("/health", fields: [origin])),
                try await trial.ask(
                    ServerTrial.bare("OPTIONS", "/v1/chat/completions", fields: [origin, "\(asking): \(clients)"])),
                try await trial.ask(
                    "OPTIONS /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nOrigin: https://b.example\r\n\r\n")
            )
        }
        #expect(answer["access-control-allow-origin"] == "https://app.example")
        for answer in [answer, before, foreign] { #expect(answer["access-control-allow-credentials"] == nil) }
        #expect(before["access-control-allow-origin"] == "https://app.example")
        #expect(foreign["access-control-allow-origin"] == nil)
        #expect(before.status == 204)
        #expect(
            before["access-control-allow-headers"]
                == "authorization, content-type, x-stainless-os, x-stainless-retry-count, openai-beta")
        #expect(before["vary"] == "Origin, Access-Control-Request-Headers")
        #expect(answer["vary"] == "Origin")
        for name in ["X-Request-Id", "Retry-After", "X-Parley-Ignored"] {
            #expect(answer["access-control-expose-headers"]?.contains(name) == true, "\(name)")
        }
        #expect(foreign.status == 403)
    }
}
