// SPDX-License-Identifier: Apache-2.0

import InMemoryLogging
import Logging
import ParleyConversation
import ParleyJSON
import ParleyServer
import ParleyTesting
import Testing

@Suite("What is logged", .serialized, .timeLimit(.minutes(15)))
struct LogTests {
    private let handler = InMemoryLogHandler()
    private var logger: Logger { Logger(label: "test") { [handler] _ in handler } }
    private let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    /// The metadata of the lines about requests, as text.
    private var lines: [[String: String]] {
        handler.entries.filter { "\($0.message)" == "A request was answered." }.map {
            $0.metadata.mapValues { "\($0)" }
        }
    }

    @Test("A request is one line: its id, route, model, key's name, status, tokens, times, end and trace.")
    func line() async throws {
        let (key, secret) = AccessKey.make(name: "phone", scopes: [.api])
        let fields = ["Authorization: Bearer \(secret)", "traceparent: \(trace)"]
        for stream in [false, true] {
            let answer = try await ServerTrial.with(ScriptedRunner(replies: ["One two."]), logger: logger) {
                $0.keys = KeyRing([key])
            } _: {
                try await $0.chat(["stream": .bool(stream)], fields: fields)
            }
            let line = try #require(lines.last)
            #expect(line["id"] == answer["x-request-id"])
            #expect(line["route"] == "chatCompletions")
            #expect((line["model"], line["key"], line["status"]) == ("scripted", "phone", "200"))
            #expect((line["reason"], line["completion_tokens"]) == ("stop", "2"))
            #expect(line["traceparent"] == trace)
            #expect(
                ["seconds", "prompt_tokens", "cached_tokens", "first_token_seconds"].allSatisfy { line[$0] != nil })
        }
        #expect(lines.count == 2)
    }

    @Test("The line tells the tokens that the answer tells: of several prompts all, of one for several replies once.")
    func severalReplies() async throws {
        let texts: JSONValue = ["model": "scripted", "prompt": ["one", "two three four", "five six"], "n": 2]
        let usages = try await ServerTrial.with(ScriptedRunner(replies: ["One two."]), logger: logger) { trial in
            [
                try await trial.chat(["n": 3]).json["usage"],
                try await trial.ask(ServerTrial.post("/v1/completions", texts)).json["usage"],
            ]
        }
        for (line, usage) in zip(lines, usages) {
            let usage = try #require(usage)
            #expect(line["prompt_tokens"] == usage["prompt_tokens"]?.integer.map { "\($0)" })
            #expect(line["completion_tokens"] == usage["completion_tokens"]?.integer.map { "\($0)" })
        }
        #expect(lines.count == 2)
    }

    @Test("A request that is no HTTP is one line and counts too.")
    func broken() async throws {
        let (answer, figures) = try await ServerTrial.with(ScriptedRunner(replies: ["a"]), logger: logger) { trial in
            (
                try await trial.ask("nonsense quagga\r\n\r\n"),
                try await trial.ask(ServerTrial.get("/metrics")).body
            )
        }
        let line = try #require(lines.first)
        #expect(line["id"] == answer["x-request-id"] && line["status"] == "400" && line["route"] == "none")
        #expect(figures.contains(#"parley_requests_total{route="none",status="400"} 1"#))
        #expect(!handler.entries.contains { "\($0.message) \($0.metadata)".contains("quagga") })
    }

    @Test("Nothing of prompts, replies, keys and queries is logged, whatever becomes of a request.")
    func silence() async throws {
        let (key, secret) = AccessKey.make(name: "phone", scopes: [.api])
        let fields = ["Authorization: Bearer \(secret)"]
        let said: JSONValue = [["role": "user", "content": "quagga"]]
        let error = ConversationError(.generationFailed, "okapi")
        let replies: [ScriptedReply] = ["kakapo", ScriptedReply(steps: [.token("kakapo"), .fail(error)])]
        let answers = try await ServerTrial.with(ScriptedRunner(replies: replies), logger: logger) {
            $0.keys = KeyRing([key])
        } _: { trial in
            var answers = [try await trial.chat(["messages": said], fields: fields)]
            answers.append(try await trial.chat(["messages": said], fields: fields))
            let body: JSONValue = ["model": "axolotl", "messages": said, "n": "quagga"]
            for path in ["/v1/chat/completions?ocelot=1", "/v1/ocelot?ocelot=2", "/v1/responses"] {
                answers.append(try await trial.ask(ServerTrial.post(path, body, fields: fields)))
            }
            answers.append(try await trial.ask(ServerTrial.post("/v1/responses", body, fields: ["x-api-key: wallaby"])))
            return answers
        }
        #expect(answers.map(\.status) == [200, 500, 400, 404, 400, 401])
        #expect(lines.count == answers.count)
        let text = handler.entries.map { "\($0.message) \($0.metadata)" }.joined(separator: "\n")
        for word in ["quagga", "kakapo", "okapi", "ocelot", "axolotl", "wallaby", secret] {
            #expect(!text.contains(word), "\(word)")
        }
    }

    @Test("A trace that is none is not carried, and a client that leaves is told as one.")
    func others() async throws {
        // As long as a trace, with a field of its own for a log of text.
        let forged = "00 status=500 " + String(repeating: "a", count: 41)
        for text in ["a b=c", forged] {
            _ = try await ServerTrial.with(ScriptedRunner(replies: ["a"]), logger: logger) {
                try await $0.ask(ServerTrial.get("/health", fields: ["traceparent: \(text)"]))
            }
            #expect(lines.last?["traceparent"] == nil)
        }
        let gate = Gate()
        let runner = ScriptedRunner { _, _ in ScriptedReply(steps: [.wait(gate)]) }
        try await ServerTrial.with(runner, logger: logger) { trial in
            let client = try RawClient(port: trial.port)
            let body: JSONValue = ["model": "scripted", "messages": [["role": "user", "content": "Hello!"]]]
            client.send(ServerTrial.post("/v1/chat/completions", body))
            await gate.arrival()
            client.reset()
            while lines.count < 3 { await Task.yield() }
        }
        #expect(lines.last?["reason"] == "disconnected")
    }
}
