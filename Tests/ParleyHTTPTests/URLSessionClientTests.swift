// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyTestSupport
import Synchronization
import Testing

/// Tests with a server on the loopback interface, which can also misbehave.
@Suite("URLSessionClient", .timeLimit(.minutes(15)))
struct URLSessionClientTests {
    private let client = URLSessionClient()

    private func answer(from server: WebServer, _ path: String = "/") async throws -> HTTPAnswer {
        // A release build frees it after its last use otherwise, before it has answered.
        defer { withExtendedLifetime(server) {} }
        return try await client.answer(to: HTTPRequest(server.url(path)), upTo: 1 << 20)
    }

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
        #expect(try await answer(from: server).status == status)
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
            for client in [URLSessionClient(), URLSessionClient(reusesConnections: false)] {
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
        request.limits.whole = .seconds(20)
        #expect(try await client.answer(to: request, upTo: 10).status == 200)
        let began = ContinuousClock.now
        let error = await #expect(throws: HTTPError.self) { try await client.answer(to: request, upTo: 10) }
        #expect(error?.code == .unreachable)
        #expect(server.requests.count == 2)
        #expect(ContinuousClock.now - began < .seconds(20))
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
        #expect(try await answer(from: server).body == Data("next".utf8))
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

    // MARK: Time

    @Test("a server that accepts but does not respond times out")
    func silentServer() async throws {
        let gate = ThreadGate()
        defer { gate.open() }
        let server = try WebServer { _ in WebServerReply(head: "", pieces: [.wait(gate)]) }
        defer { withExtendedLifetime(server) {} }
        var request = HTTPRequest(try server.url())
        request.limits.answer = .milliseconds(50)
        let error = await #expect(throws: HTTPError.self) { try await client.answer(to: request, upTo: 1) }
        #expect(error?.code == .timedOut)
        #expect(error?.message == "127.0.0.1 did not answer in time.")
    }

    @Test("a response that takes too long, or almost stops, times out", arguments: [true, false])
    func slowServer(isWhole: Bool) async throws {
        let gate = ThreadGate()
        defer { gate.open() }
        let server = try WebServer { _ in WebServerReply(200, body: Data(count: 100)).pausing(after: 10, at: gate) }
        defer { withExtendedLifetime(server) {} }
        var request = HTTPRequest(try server.url())
        request.limits.answer = .seconds(600)
        request.limits.whole = isWhole ? .milliseconds(300) : nil
        request.limits.pace?.interval = isWhole ? .seconds(600) : .milliseconds(50)
        let error = await #expect(throws: HTTPError.self) { try await client.answer(to: request, upTo: 100) }
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains(isWhole ? "did not" : "all but stopped") == true)
    }

    @Test("a transfer is stalled if too few bytes arrive between two checks")
    func stalls() {
        var pace = HTTPTimeLimits.Pace()
        pace.bytes = 100
        var watch = StallWatch(pace)
        let looks = [nil, 0, 100, 250, 349, 349, nil].map { watch.isStalled(at: $0) }
        #expect(looks == [false, false, false, false, true, true, false])
    }

    @Test("cancelling the task ends the request")
    func cancellation() async throws {
        let gate = ThreadGate()
        defer { gate.open() }
        let server = try WebServer { _ in WebServerReply(head: "", pieces: [.wait(gate)]) }
        let task = Task { _ = try await answer(from: server) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("requests can be cancelled during redirects and responses, and the next request works")
    func cancellationAnywhere() async throws {
        let gate = ThreadGate()
        let server = try WebServer { request in
            if request.path == "/page" { return WebServerReply(200, body: Data("page".utf8)) }
            if request.path == "/slow" {
                return WebServerReply(200, body: Data(count: 100)).pausing(after: 10, at: gate)
            }
            return WebServerReply(302, headers: ["Location": "/slow"])
        }
        defer { gate.open() }
        var request = HTTPRequest(try server.url("/redirect"))
        // On a busy machine a cancellation may come late; it is to be what ends the request.
        request.limits.answer = .seconds(600)
        request.limits.pace = nil
        let redirected = request
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                let task = Task { try await client.answer(to: redirected, upTo: 100) }
                group.addTask {
                    for _ in 0..<number * 20 { await Task.yield() }
                    task.cancel()
                    await #expect(throws: CancellationError.self) { try await task.value }
                }
            }
        }
        #expect(try await answer(from: server, "/page").body == Data("page".utf8))
    }

    // MARK: Redirects and refusals

    @Test("a redirect that is not to be followed is returned as the response")
    func redirectAsAnswer() async throws {
        let server = try WebServer { _ in WebServerReply(302, headers: ["Location": "/other", "X-Size": "5"]) }
        var request = HTTPRequest(try server.url(), method: "HEAD")
        request.followsRedirects = false
        let answer = try await client.answer(to: request, upTo: 0)
        #expect(answer.status == 302)
        #expect(answer.headers["x-size"] == "5")
        #expect(server.requests.count == 1)
    }

    @Test("endless redirects are an error")
    func circle() async throws {
        let server = try WebServer { _ in WebServerReply(302, headers: ["Location": "/again"]) }
        let error = await #expect(throws: HTTPError.self) { try await answer(from: server) }
        #expect(error?.code == .refusedRedirect)
        #expect(server.requests.count < 20)
    }

    @Test(
        "credentials are sent to their own server only",
        arguments: ["Authorization", "Cookie", "X-API-Key", "Private-Token"])
    func credentials(name: String) async throws {
        let other = try WebServer { _ in WebServerReply(200) }
        let address = try other.url("/end").absoluteString
        let server = try WebServer { request in
            WebServerReply(302, headers: ["Location": request.path == "/" ? "/here" : address])
        }
        let request = HTTPRequest(try server.url("/"), headers: HTTPHeaders([name: "secret", "X-Mark": "1"]))
        #expect(try await client.answer(to: request, upTo: 0).status == 200)
        #expect(server.requests.map { $0.headers[name.lowercased()] } == ["secret", "secret"])
        #expect(other.requests.map { $0.headers[name.lowercased()] } == [nil])
        #expect(other.requests.map { $0.headers["x-mark"] } == ["1"])
    }

    @Test("credentials that a redirect to another server has dropped do not come back with a redirect to the first")
    func credentialsAfterDetour() async throws {
        let address = Mutex("")
        let other = try WebServer { _ in
            WebServerReply(302, headers: ["Location": address.withLock { $0 } + "/end"])
        }
        let detour = try other.url("/detour").absoluteString
        let server = try WebServer { request in
            request.path == "/" ? WebServerReply(302, headers: ["Location": detour]) : WebServerReply(200)
        }
        defer { withExtendedLifetime((server, other)) {} }
        let origin = try server.url("").absoluteString
        address.withLock { $0 = origin.hasSuffix("/") ? String(origin.dropLast()) : origin }
        let request = HTTPRequest(try server.url("/"), headers: ["Authorization": "secret"])
        #expect(try await client.answer(to: request, upTo: 0).status == 200)
        #expect(server.requests.map(\.path) == ["/", "/end"])
        #expect(server.requests.map { $0.headers["authorization"] } == ["secret", nil])
    }

    @Test(
        "each redirect is judged by the address that it comes from",
        arguments: [
            ["http://a.example/", "https://b.example/", "http://c.example/"],
            ["http://10.0.0.1/", "http://b.example/", "http://169.254.169.254/"],
        ])
    func redirectsInTurn(addresses: [String]) throws {
        let urls = try addresses.map { try #require(URL(string: $0)) }
        let request = HTTPRequest(urls[0])
        #expect(request.refusal(ofRedirectTo: urls[1], withBody: true) == nil)
        #expect(request.redirected(to: urls[1]).refusal(ofRedirectTo: urls[2], withBody: true) != nil)
        let transfer = Transfer(request)
        let followed = urls.dropFirst().map { url in
            var isFollowed = false
            transfer.redirect(to: url, status: 302) { isFollowed = $0 != nil }
            return isFollowed
        }
        #expect(followed == [true, false])
    }

    @Test("cancelling the task that reads ends the reading, also where another task has made the request")
    func cancelledReader() async throws {
        let gate = ThreadGate()
        defer { gate.open() }
        let server = try WebServer { _ in WebServerReply(200, body: Data("hello".utf8)).pausing(after: 2, at: gate) }
        defer { withExtendedLifetime(server) {} }
        var request = HTTPRequest(try server.url())
        request.limits.pace = nil
        try await client.withResponse(to: request) { response in
            let body = response.body
            let reader = Task { for try await _ in body {} }
            reader.cancel()
            await #expect(throws: CancellationError.self) { try await reader.value }
        }
    }

    @Test("a body is not sent again: a redirect drops it, or is refused", arguments: [302, 303, 307, 308])
    func redirectedBody(status: Int) async throws {
        let server = try WebServer { request in
            request.path == "/" ? WebServerReply(status, headers: ["Location": "/end"]) : WebServerReply(200)
        }
        let request = HTTPRequest(try server.url("/"), method: "POST", body: Data("text".utf8))
        if status < 307 {
            #expect(try await client.answer(to: request, upTo: 0).status == 200)
            #expect(server.requests.last?.method == "GET")
            #expect(server.requests.last?.body == Data())
        } else {
            let error = await #expect(throws: HTTPError.self) { try await client.answer(to: request, upTo: 0) }
            #expect(error?.code == .refusedRedirect)
            #expect(server.requests.count == 1)
        }
    }

    @Test("requests that a server could misinterpret are not sent", arguments: ["a\r\nX: y", "a\nb", "a\u{0}"])
    func headerInjection(value: String) async throws {
        let server = try WebServer { _ in WebServerReply(200) }
        for headers in [["X": value], [value: "x"]] {
            let request = HTTPRequest(try server.url(), headers: HTTPHeaders(headers))
            let error = await #expect(throws: HTTPError.self) { try await client.answer(to: request, upTo: 0) }
            #expect(error?.code == .invalidRequest)
        }
        #expect(server.requests.isEmpty)
    }

    @Test("an address that is too long is refused before it is requested, and so is a redirect to one")
    func longAddresses() async throws {
        let long = "/" + String(repeating: "a", count: 9_000)
        let server = try WebServer { _ in WebServerReply(302, headers: ["Location": long]) }
        let request = HTTPRequest(try server.url(long))
        let error = await #expect(throws: HTTPError.self) { try await client.answer(to: request, upTo: 0) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("more than 8000 bytes") == true)
        #expect(server.requests.isEmpty)
        let redirected = HTTPRequest(try server.url("/short"))
        let second = await #expect(throws: HTTPError.self) { try await client.answer(to: redirected, upTo: 0) }
        #expect(second?.code == .refusedRedirect)
        #expect(server.requests.count == 1)
    }

    @Test("an address that is not HTTP is refused", arguments: ["file:///etc/passwd", "ftp://host.example/x"])
    func otherSchemes(address: String) async throws {
        let request = HTTPRequest(try #require(URL(string: address)))
        let error = await #expect(throws: HTTPError.self) { try await client.answer(to: request, upTo: 0) }
        #expect(error?.code == .invalidRequest)
    }

    @Test("a closed port is an unreachable server")
    func nobody() async throws {
        let request = HTTPRequest(try #require(URL(string: "http://127.0.0.1:1/")))
        let error = await #expect(throws: HTTPError.self) { try await client.answer(to: request, upTo: 0) }
        #expect(error?.code == .unreachable)
    }

    @Test("endless headers are an error")
    func endlessHead() async throws {
        let server = try WebServer { _ in
            WebServerReply(head: "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 4 << 20) + "\r\n\r\n")
        }
        let error = await #expect(throws: HTTPError.self) { try await answer(from: server) }
        #expect(error?.code == .unreachable)
    }
}
