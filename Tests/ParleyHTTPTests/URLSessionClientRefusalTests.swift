// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyTestSupport
import ParleyTesting
import Synchronization
import Testing

@Suite("URLSessionClient: redirects and refusals", .timeLimit(.minutes(15)))
struct URLSessionClientRefusalTests {
    /// No limit of time passes, however slow the machine is.
    private let client = URLSessionClient(clock: ManualClock())

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
        let error = await #expect(throws: HTTPError.self) { try await client.answer(from: server) }
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
        let request = HTTPRequest(try server.url())
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
        let error = await #expect(throws: HTTPError.self) { try await client.answer(from: server) }
        #expect(error?.code == .unreachable)
    }
}
