// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyJSON
import ParleyServer
import ParleyTesting
import Testing

@Suite("What comes after a request is no request", .serialized)
struct LingeringTests {
    @Test("A body that is not what its head says is the client's mistake, told once.")
    func brokenBody() async throws {
        let told = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        for rest in [
            "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
            "Content-Length: 10\r\n\r\n{}",
        ] {
            let text = try await ServerTrial.with(ScriptedRunner(replies: ["a"])) { trial in
                let client = try RawClient(port: trial.port)
                client.send(told + rest)
                client.finish()
                return await client.text()
            }
            let answer = RawAnswer(text)
            #expect(answer.status == 400, "\(rest)")
            #expect(answer.json["error"]?["code"] == "invalid_http", "\(text)")
            #expect(text.components(separatedBy: "\"error\"").count == 2, "\(text)")
        }
        // What comes after a whole request does not change its answer.
        let behind = try await ServerTrial.with(ScriptedRunner(replies: ["a"])) { trial in
            let client = try RawClient(port: trial.port)
            client.send(told + "Content-Length: 2\r\n\r\n{}\u{1}\r\n\r\n")
            return await client.text()
        }
        #expect(behind.contains("missing_parameter"))
        #expect(RawAnswer(behind).json["error"] != nil, "\(behind)")
        let body = #"{"model": "scripted", "messages": [{"role": "user", "content": "Hello!"}]}"#
        let answered = try await ServerTrial.with(ScriptedRunner(replies: ["a"])) { trial in
            let client = try RawClient(port: trial.port)
            client.send(told + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)\u{1}\r\n\r\n")
            return await client.text()
        }
        #expect(RawAnswer(answered).status == 200, "\(answered)")
    }

    @Test("The body of a request that is answered without it has no more time.", .timeLimit(.minutes(15)))
    func unwantedBody() async throws {
        let text = try await ServerTrial.with(ScriptedRunner(replies: ["a"])) {
            $0.limits.bodyTime = .milliseconds(100)
        } _: { trial in
            let client = try RawClient(port: trial.port)
            client.send(ServerTrial.get("/health", fields: ["Transfer-Encoding: chunked"]))
            #expect(RawAnswer(await client.text { RawAnswer($0).isWhole }).status == 200)
            let drip = Task {
                while !Task.isCancelled {
                    client.send("1\r\n \r\n")
                    await Task.yield()
                }
            }
            defer { drip.cancel() }
            return await client.text()
        }
        #expect(text == "")
    }

    @Test("A client that sends on although its request is refused can send all of it, and then has its answer.")
    func refusedBody() async throws {
        let head = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        let spaces = [UInt8](repeating: 0x20, count: 0x40000)
        var chunked = Array((head + "Transfer-Encoding: chunked\r\n\r\n").utf8)
        for _ in 0..<28 {
            chunked += Array("40000\r\n".utf8)
            chunked += spaces
            chunked += Array("\r\n".utf8)
        }
        chunked += Array("0\r\n\r\n".utf8)
        var foreign = Array((head + "Origin: https://evil.example\r\nContent-Length: 4000000\r\n\r\n").utf8)
        foreign += [UInt8](repeating: 0x20, count: 4_000_000)
        let requests = [(foreign, 403), (chunked, 413)]
        try await ServerTrial.with(ScriptedRunner(replies: ["a"])) {
            // The chunks are refused once half of them has come.
            $0.limits.bodyBytes = 4 << 20
        } _: { trial in
            for (request, status) in requests {
                let client = try RawClient(port: trial.port)
                #expect(await client.deliver(request), "\(status)")
                // The connection ends although the client does not close it.
                let text = await client.text()
                #expect(RawAnswer(text).status == status)
                #expect(RawAnswer(text)["connection"] == "close")
                #expect(!text.contains(RawClient.endless))
            }
        }
    }

    @Test("A client that sends on after what is no chunk can send all of it, and then has its answer.")
    func brokenLargeBody() async throws {
        let head = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        var request = Array((head + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\nzz\r\n").utf8)
        request += [UInt8](repeating: 0x20, count: 8 << 20)
        let whole = request
        try await ServerTrial.with(ScriptedRunner(replies: ["a"])) { trial in
            let client = try RawClient(port: trial.port)
            #expect(await client.deliver(whole))
            let text = await client.text()
            #expect(RawAnswer(text).status == 400)
            #expect(RawAnswer(text).json["error"]?["code"] == "invalid_http")
            #expect(!text.contains(RawClient.endless))
        }
    }

    @Test("What comes of a request that is refused is not read for ever.", .timeLimit(.minutes(15)))
    func endlessBody() async throws {
        let head = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n"
        try await ServerTrial.with(ScriptedRunner(replies: ["a"])) {
            $0.limits.bodyBytes = 1 << 20
        } _: { trial in
            let large = try RawClient(port: trial.port)
            large.send(head + "Content-Length: 100000000000\r\n\r\n")
            let piece = [UInt8](repeating: 0x20, count: 1 << 20)
            while await large.deliver(piece) {}
            let broken = try RawClient(port: trial.port)
            broken.send(head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n")
            while await broken.deliver(piece) {}
        }
        try await ServerTrial.with(ScriptedRunner(replies: ["a"])) {
            $0.limits.bodyTime = .milliseconds(100)
        } _: { trial in
            let slow = try RawClient(port: trial.port)
            slow.send(head + "Content-Length: 30000000\r\n\r\n")
            while slow.send([0x20]) { await Task.yield() }
        }
    }

    @Test("What is no HTTP has no more time than a head.", .timeLimit(.minutes(15)))
    func brokenHead() async throws {
        try await ServerTrial.with(ScriptedRunner(replies: ["a"])) {
            ($0.limits.connections, $0.limits.headTime) = (1, .seconds(3))
        } _: { trial in
            let broken = try RawClient(port: trial.port)
            broken.send("\u{1}\r\n\r\n")
            #expect(RawAnswer(await broken.text()).status == 400)
            // It keeps its side open, and the only connection that there may be is free again.
            #expect(try await trial.ask(ServerTrial.get("/health")).status == 200)
            broken.finish()
        }
    }

    @Test("What comes after a request is not read for ever while that is answered.", .timeLimit(.minutes(15)))
    func endlessRest() async throws {
        let gate = Gate()
        let runner = ScriptedRunner { _, _ in ScriptedReply(steps: [.wait(gate)]) }
        try await ServerTrial.with(runner) {
            $0.limits.bodyBytes = 1 << 20
        } _: { trial in
            let body: JSONValue = ["model": "scripted", "messages": [["role": "user", "content": "Hello!"]]]
            let client = try RawClient(port: trial.port)
            client.send(ServerTrial.post("/v1/chat/completions", body))
            await gate.arrival()
            client.send("\u{1}\r\n\r\n")
            let piece = [UInt8](repeating: 0x20, count: 1 << 20)
            while await client.deliver(piece) {}
        }
    }
}
