// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyTestSupport
import ParleyTesting
import Testing

@Suite("URLSessionClient: time, and cancelling", .timeLimit(.minutes(15)))
struct URLSessionClientTimeTests {
    /// No limit of time passes, however slow the machine is.
    private let client = URLSessionClient(clock: ManualClock())

    @Test("a server that accepts but does not respond times out")
    func silentServer() async throws {
        let gate = ThreadGate()
        defer { gate.open() }
        let server = try WebServer { _ in WebServerReply(head: "", pieces: [.wait(gate)]) }
        defer { withExtendedLifetime(server) {} }
        var request = HTTPRequest(try server.url())
        request.limits.answer = .milliseconds(50)
        let error = await #expect(throws: HTTPError.self) { try await URLSessionClient().answer(to: request, upTo: 1) }
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
        let error = await #expect(throws: HTTPError.self) {
            try await URLSessionClient().answer(to: request, upTo: 100)
        }
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains(isWhole ? "did not" : "all but stopped") == true)
    }

    @Test("limits that no clock can count to are none")
    func endlessLimits() async throws {
        let server = try WebServer { _ in WebServerReply(200, body: Data("page".utf8)) }
        defer { withExtendedLifetime(server) {} }
        var request = HTTPRequest(try server.url())
        let endless = Duration.seconds(Int64.max)
        (request.limits.answer, request.limits.whole) = (endless, endless)
        request.limits.pace?.interval = endless
        #expect(try await URLSessionClient().answer(to: request, upTo: 100).body == Data("page".utf8))
    }

    @Test("limits are counted on the client's clock, and one that stands still ends nothing")
    func stillClock() async throws {
        let server = try WebServer { _ in WebServerReply(200, body: Data("page".utf8)) }
        defer { withExtendedLifetime(server) {} }
        var request = HTTPRequest(try server.url())
        (request.limits.answer, request.limits.whole) = (.nanoseconds(1), .nanoseconds(1))
        request.limits.pace?.interval = .nanoseconds(1)
        #expect(try await client.answer(to: request, upTo: 100).body == Data("page".utf8))
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
        let task = Task { _ = try await client.answer(from: server) }
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
        // The request that may come before such a one is cancelled too.
        request.limits.answer = .seconds(600)
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
        #expect(try await client.answer(from: server, "/page").body == Data("page".utf8))
    }
}
