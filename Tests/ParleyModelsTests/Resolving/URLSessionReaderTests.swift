// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModels
import Testing

@Suite("URLSessionReader", .timeLimit(.minutes(15)))
struct URLSessionReaderTests {
    @Test("requests that are cancelled while they are redirected or answered end, and the next one is answered")
    func cancellation() async throws {
        let gate = Gate()
        let server = try WebServer { request in
            if request.path == "/page" { return WebServerReply(200, body: Data("page".utf8)) }
            if request.path == "/slow" {
                return WebServerReply(200, body: Data(count: 100)).pausing(after: 10, at: gate)
            }
            return WebServerReply(302, headers: ["Location": "/slow"])
        }
        defer { gate.open() }
        // On a busy machine a cancellation may come late; it is to be what ends the request.
        let reader = URLSessionReader(answerTime: .seconds(600))
        let (redirect, page) = (try server.url("/redirect"), try server.url("/page"))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                let task = Task { try await reader.answer(to: WebRequest(redirect)) }
                group.addTask {
                    for _ in 0..<number * 20 { await Task.yield() }
                    task.cancel()
                    await #expect(throws: CancellationError.self) { try await task.value }
                }
            }
        }
        #expect(try await reader.answer(to: WebRequest(page)).body == Data("page".utf8))
    }

    @Test("a redirect that is not to be followed is the answer")
    func redirectAsAnswer() async throws {
        let server = try WebServer { _ in WebServerReply(302, headers: ["Location": "/other", "X-Linked-Size": "5"]) }
        let answer = try await URLSessionReader().answer(
            to: WebRequest(server.url(), method: "HEAD", followsRedirects: false))
        #expect(answer.status == 302)
        #expect(answer.header("x-linked-size") == "5")
        #expect(server.requests.count == 1)
    }

    @Test("redirects without end are given up")
    func circle() async throws {
        let server = try WebServer { _ in WebServerReply(302, headers: ["Location": "/again"]) }
        let error = await #expect(throws: ModelStoreError.self) {
            try await URLSessionReader().answer(to: WebRequest(server.url()))
        }
        #expect(error?.code == .unreachable)
        #expect(server.requests.count < 20)
    }

    @Test("user and password of an address travel in a header, and where nobody listens the proxy is named")
    func addresses() async throws {
        let server = try WebServer { _ in WebServerReply(200) }
        let url = try #require(URL(string: "http://me:pass@127.0.0.1:\(server.port)/m.json"))
        let request = WebRequest(url, headers: try HubEndpoint().headers(for: url))
        #expect(try await URLSessionReader().answer(to: request).status == 200)
        #expect(server.requests.map { $0.headers["authorization"] } == ["Basic bWU6cGFzcw=="])
        let nowhere = try #require(URL(string: "http://127.0.0.1:1/"))
        let error = await #expect(throws: ModelStoreError.self) {
            try await URLSessionReader().answer(to: WebRequest(nowhere))
        }
        #expect(error?.code == .unreachable)
        #expect(error?.message.contains("HTTPS_PROXY") == true)
    }
}
