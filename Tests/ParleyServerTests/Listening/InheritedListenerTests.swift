// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyServer
import ParleyTesting
import Testing

@Suite("A socket that another program has bound", .serialized)
struct InheritedListenerTests {
    /// A socket that listens on a free port of this machine.
    private static func bound() throws -> (descriptor: CInt, port: Int) {
        #if canImport(Glibc)
            let kind = CInt(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        try #require(isBound)
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    @Test("It is served like an address of the server's own, with the same head, limits and end.")
    func serves() async throws {
        let (descriptor, port) = try Self.bound()
        let one = try await ServerTrial.with(ScriptedRunner(replies: ["Hello."])) { try await $0.chat([:]) }
        let other = try await ServerTrial.with(ScriptedRunner(replies: ["Hello.", "Hello."])) {
            $0.address = .inherited(descriptor: descriptor)
            $0.limits.connections = 1
        } _: { trial in
            #expect(trial.port == port)
            let answer = try await trial.chat([:])
            let streamed = try await trial.chat(["stream": true])
            #expect(streamed.status == 200 && streamed.events.last == "[DONE]")
            #expect(try await trial.ask(ServerTrial.get("/health")).status == 200)
            // One connection at a time: the second is not answered before the first has gone.
            let first = try RawClient(port: port)
            _ = await first.ask(ServerTrial.get("/health"))
            async let second = trial.ask(ServerTrial.get("/health"))
            _ = await first.ask(ServerTrial.get("/health"))
            first.reset()
            #expect(try await second.status == 200)
            return answer
        }
        #expect(other.status == 200 && one.json["choices"] == other.json["choices"])
        for name in ["server", "content-type", "connection"] { #expect(one[name] == other[name], "\(name)") }
        #expect(other["date"]?.hasSuffix(" GMT") == true && other["date"]?.count == one["date"]?.count)
    }

    @Test(
        "When the server ends, it accepts nobody any more, and answers those that it has accepted.",
        .timeLimit(.minutes(15)))
    func restart() async throws {
        let (descriptor, port) = try Self.bound()
        // The program that has handed the socket over keeps it, and its queue.
        let kept = dup(descriptor)
        defer { close(kept) }
        let gate = Gate()
        let runner = ScriptedRunner { _, number in
            number == 0 ? ScriptedReply(steps: [.token("a"), .wait(gate), .token("b")]) : "Hello."
        }
        let waiting = try await ServerTrial.with(runner) {
            $0.address = .inherited(descriptor: descriptor)
        } _: { trial in
            let running = try RawClient(port: port)
            let body: JSONValue = ["model": "scripted", "messages": [["role": "user", "content": "Hello!"]]]
            running.send(ServerTrial.post("/v1/chat/completions", body))
            await gate.arrival()
            // Connections are accepted in their order: when the second is answered, the first has been accepted too.
            let (fresh, idle) = (try RawClient(port: port), try RawClient(port: port))
            #expect(await idle.ask(ServerTrial.get("/health")).status == 200)
            let end = Task { await trial.server.drain() }
            // One that is idle is closed, and another one is answered first.
            #expect(await idle.text() == "")
            #expect(await fresh.ask(ServerTrial.post("/v1/chat/completions", body)).status == 200)
            #expect(await fresh.text() == "")
            gate.open()
            #expect(RawAnswer(await running.text { RawAnswer($0).isWhole }).status == 200)
            await end.value
            let late = try RawClient(port: port)
            late.send(ServerTrial.get("/v1/models"))
            return late
        }
        let again = try await ServerTrial.with(ScriptedRunner(replies: ["a"])) {
            $0.address = .inherited(descriptor: dup(kept))
        } _: { _ in
            RawAnswer(await waiting.text { RawAnswer($0).isWhole })
        }
        #expect(again.status == 200)
    }
}
