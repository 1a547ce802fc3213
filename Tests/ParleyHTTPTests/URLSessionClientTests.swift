// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyTestSupport
import ParleyTesting
import Synchronization
import Testing

/// Tests with a server on the loopback interface, which can also misbehave.
@Suite("URLSessionClient", .timeLimit(.minutes(15)))
struct URLSessionClientTests {
    /// No limit of time passes, however slow the machine is.
    private let client = URLSessionClient(clock: ManualClock())

    @Test("a request arrives with its headers and its body, and the answer with its own")
    func exchange() async throws {
        let server = try WebServer { WebServerReply(200, headers: ["ETag": "\"a\""], body: Data($0.body.reversed())) }
        let request = HTTPRequest(
            try server.url(), method: "POST", headers: ["X-Mark": "1", "Content-Type": "text/plain"],
            body: Data("olleh".utf8))
        let answer = try await client.answer(to: request, upTo: 5)
        #expect(answer.body == Data("hello".utf8))
        #expect(answer.headers["etag"] == "\"a\"")
        #expect(server.requests.map(\.method) == ["POST"])
        #expect(server.requests.map { $0.headers["x-mark"] } == ["1"])
    }

    @Test("any status is an answer, also one without a body", arguments: [404, 503, 204])
    func otherStatus(status: Int) async throws {
        let server = try WebServer { _ in WebServerReply(status) }
        #expect(try await client.answer(from: server).status == status)
    }

    @Test(
        "a server that wants other credentials has answered",
        arguments: ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"1\"", "Bearer realm=\"x\"", "Negotiate", ""],
        [nil, "Basic d3Jvbmc6d3Jvbmc="])
    func otherCredentials(challenge: String, credentials: String?) async throws {
        let server = try WebServer {
            WebServerReply(
                $0.headers["authorization"] == "Bearer right" ? 200 : 401, headers: ["WWW-Authenticate": challenge],
                body: Data("no".utf8))
        }
        var request = try HTTPRequest(server.url(), method: "PROPFIND", body: Data("<a/>".utf8))
        if let credentials { request.headers["Authorization"] = credentials }
        for _ in 0..<2 { #expect(try await client.answer(to: request, upTo: 100).status == 401) }
        request.headers["Authorization"] = "Bearer right"
        #expect(try await client.answer(to: request, upTo: 100).status == 200)
    }

    @Test("a request whose answer may take long follows another on its connection, on which nobody waits busily")
    func patient() async {
        await #expect(processExitsWith: .success) {
            let gate = ThreadGate()
            defer { gate.open() }
            let server = try WebServer { _ in
                WebServerReply(
                    head: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n",
                    pieces: [.bytes(Data("a".utf8)), .wait(gate), .bytes(Data("b".utf8))])
            }
            var request = try HTTPRequest(
                server.url("/slow"), method: "POST", headers: ["Authorization": "Bearer secret"], body: Data("a".utf8))
            request.limits.answer = .seconds(600)
            for reuses in [true, false] {
                let client = URLSessionClient(reusesConnections: reuses, clock: ManualClock())
                try await client.withResponse(to: request) { response in
                    var pieces = response.body.makeAsyncIterator()
                    #expect(try await pieces.next() == Data("a".utf8))
                    // The time of this process on all processors, which has nothing else to do.
                    let (before, began) = (clock(), ContinuousClock.now)
                    while ContinuousClock.now - began < .milliseconds(500) {
                        try await Task.sleep(for: .milliseconds(100))
                    }
                    #expect(Double(clock() - before) / Double(CLOCKS_PER_SEC) < 0.1)
                }
            }
            #expect(server.requests.map(\.method) == ["POST", "POST"])
            #if canImport(Darwin)
                #expect(server.greetings == 0)
            #else
                #expect((server.greetings, server.connections) == (2, 2))
            #endif
            withExtendedLifetime(server) {}
        }
    }

    #if !canImport(Darwin)
        @Test("on a connection that has just been used, a request whose answer may take long follows no other")
        func warmConnection() async throws {
            let server = try WebServer { request in WebServerReply(200, body: Data("\(request.number)".utf8)) }
            var request = try HTTPRequest(server.url("/a"), method: "POST", body: Data("a".utf8))
            request.limits.answer = .seconds(600)
            for _ in 0..<4 { _ = try await client.answer(to: request, upTo: 10) }
            #expect((server.requests.count, server.greetings, server.connections) == (4, 1, 1))
            withExtendedLifetime(server) {}
        }
    #endif

    @Test("a request with a body is not sent again on another connection if its own ends without an answer")
    func lostConnection() async throws {
        let server = try WebServer { request in
            request.number == 0 ? WebServerReply(200) : WebServerReply(head: "", pieces: [.hangUp])
        }
        var request = try HTTPRequest(server.url("/a"), method: "POST", body: Data("a".utf8))
        request.limits.whole = .seconds(600)
        #expect(try await client.answer(to: request, upTo: 10).status == 200)
        let began = ContinuousClock.now
        let error = await #expect(throws: HTTPError.self) { try await client.answer(to: request, upTo: 10) }
        #expect(error?.code == .unreachable)
        #expect(server.requests.count == 2)
        #expect(ContinuousClock.now - began < .seconds(600))
    }

    @Test("the headers are available before the whole body is sent")
    func streaming() async throws {
        let gate = ThreadGate()
        defer { gate.open() }
        let server = try WebServer { _ in
            WebServerReply(200, body: Data("hello".utf8)).pausing(after: 2, at: gate)
        }
        defer { withExtendedLifetime(server) {} }
        let text = try await client.withResponse(to: HTTPRequest(server.url())) { response in
            #expect(response.status == 200)
            var text = ""
            for try await piece in response.body {
                text += String(decoding: piece, as: UTF8.self)
                if text == "he" { gate.open() }
            }
            return text
        }
        #expect(text == "hello")
    }

    @Test("a body larger than the buffer is received completely")
    func backPressure() async throws {
        let contents = Data((0..<(32 << 20)).map { UInt8(truncatingIfNeeded: $0 >> 12) })
        let server = try WebServer { _ in WebServerReply(200, body: contents) }
        defer { withExtendedLifetime(server) {} }
        #expect(try await client.answer(to: HTTPRequest(server.url()), upTo: contents.count).body == contents)
    }

    @Test("a request ends when its reader does, and the client can be used further")
    func leaving() async throws {
        let contents = Data(count: 64 << 20)
        let server = try WebServer { WebServerReply(200, body: $0.path == "/" ? Data("next".utf8) : contents) }
        for _ in 0..<3 {
            let isThere = try await client.withResponse(to: HTTPRequest(server.url("/large"))) { response in
                var iterator = response.body.makeAsyncIterator()
                return try await iterator.next() != nil
            }
            #expect(isThere)
        }
        #expect(try await client.answer(from: server).body == Data("next".utf8))
    }

    @Test("a body longer than the limit is an error", arguments: [4, 5])
    func limit(bytes: Int) async throws {
        let server = try WebServer { _ in WebServerReply(200, body: Data("hello".utf8)) }
        defer { withExtendedLifetime(server) {} }
        let request = HTTPRequest(try server.url())
        if bytes == 5 {
            #expect(try await client.answer(to: request, upTo: bytes).body.count == 5)
        } else {
            let error = await #expect(throws: HTTPError.self) { try await client.answer(to: request, upTo: bytes) }
            #expect(error?.code == .tooLarge)
        }
    }

    @Test("an interrupted transfer delivers the received bytes, then an error")
    func brokenTransfer() async throws {
        let server = try WebServer { _ in WebServerReply(200, body: Data(repeating: 1, count: 500)).brokenOff(after: 5)
        }
        defer { withExtendedLifetime(server) {} }
        let received = Mutex(Data())
        let error = await #expect(throws: HTTPError.self) {
            try await client.withResponse(to: HTTPRequest(server.url())) { response in
                for try await piece in response.body { received.withLock { $0 += piece } }
            }
        }
        #expect(error?.code == .unreachable)
        #expect(received.withLock { $0.count } == 5)
    }

    @Test("an error thrown by the reader ends the request and is rethrown")
    func failingReader() async throws {
        struct Full: Error {}
        let server = try WebServer { _ in WebServerReply(200, body: Data("hello".utf8)) }
        defer { withExtendedLifetime(server) {} }
        await #expect(throws: Full.self) {
            try await client.withResponse(to: HTTPRequest(server.url())) { _ in throw Full() }
        }
    }
}
