// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyHTTP
import ParleyJSON
import ParleyRemote
import ParleyTestSupport
import ParleyTesting
import Synchronization
import Testing

@Suite("What is sent again, and what errors say", .timeLimit(.minutes(15)))
struct RemoteClientTests {
    @Test("a request is sent again while the server says that it has not begun", arguments: [429, 503])
    func postponed(status: Int) async throws {
        let server = try FakeServer {
            $0.number < 2 ? .refusal(status, headers: ["Retry-After": "7"]) : .hi
        }
        #expect(try await server.reply().message.text == "Hi.")
        #expect(server.web.requests.count == 3)
        #expect(server.clock.durations == [.seconds(7), .seconds(7)])
    }

    @Test(
        "a wait may end at a date, which is compared with that of the answer",
        arguments: [
            "Sun, 06 Nov 1994 08:49:44 GMT", "Sunday, 06-Nov-94 08:49:44 GMT", "Sun Nov  6 08:49:44 1994",
        ])
    func datedWait(text: String) async throws {
        let server = try FakeServer {
            $0.number < 1
                ? .refusal(503, headers: ["Retry-After": text, "Date": "Sun, 06 Nov 1994 08:49:37 GMT"]) : .hi
        }
        #expect(try await server.reply().message.text == "Hi.")
        #expect(server.clock.durations == [.seconds(7)])
        // One that is over is no wait, and what is no date says nothing.
        for (text, longest) in [("Sun, 06 Nov 1994 08:49:30 GMT", 0.1), ("Tomorrow", 60)] {
            let other = try FakeServer {
                $0.number < 1
                    ? .refusal(503, headers: ["Retry-After": text, "Date": "Sun, 06 Nov 1994 08:49:37 GMT"]) : .hi
            }
            #expect(try await other.reply().message.text == "Hi.")
            #expect(other.clock.durations.count == 1)
            #expect((other.clock.durations.first ?? .zero) <= .seconds(longest))
        }
    }

    @Test("attempts end, and so do waits that are too long")
    func bounded() async throws {
        let busy = try FakeServer { _ in .refusal(503) }
        let (error, cause) = await busy.failure()
        #expect(error?.code == .generationFailed && cause?.code == .overloaded && cause?.status == 503)
        #expect(busy.web.requests.count == 3)
        for headers in [["Retry-After": "3600"], ["x-should-retry": "false"]] {
            let later = try FakeServer { _ in .refusal(429, headers: headers) }
            #expect(await later.failure().cause?.code == .overloaded)
            #expect(later.web.requests.count == 1)
        }
        let spent = try FakeServer { _ in .refusal(429, ["error": ["code": "insufficient_quota"]]) }
        #expect(await spent.failure().cause?.serverCode == "insufficient_quota")
        #expect(spent.web.requests.count == 1)
    }

    @Test("a wait that ends after the time of the reply is not begun")
    func tooLate() async throws {
        var limits = RemoteEndpoint.Limits()
        limits.longestWait = .seconds(3_000)
        let server = try FakeServer(limits: limits) { _ in .refusal(503, headers: ["Retry-After": "1000"]) }
        var options = GenerationOptions()
        options.timeout = .seconds(600)
        let (_, cause) = await server.failure(GenerationRequest(messages: [.user("Hello!")], options: options))
        #expect(cause?.code == .overloaded && cause?.status == 503)
        #expect(server.web.requests.count == 1 && server.clock.durations.isEmpty)
        options.timeout = .seconds(6_000)
        _ = await server.failure(GenerationRequest(messages: [.user("Hello!")], options: options))
        #expect(server.web.requests.count == 4 && server.clock.durations.count == 2)
    }

    @Test("nothing is sent again that the server may have begun with", arguments: [400, 408, 409, 500, 502, 504])
    func unknownFate(status: Int) async throws {
        let server = try FakeServer { _ in .refusal(status, headers: ["Retry-After": "0"]) }
        #expect(await server.failure().cause?.status == status)
        #expect(server.web.requests.count == 1)
    }

    @Test("a connection that ends without an answer does not repeat the request, also one that was used before")
    func lostConnection() async throws {
        let server = try FakeServer { request in
            request.number == 0
                ? WebServerReply(
                    200, headers: ["Content-Type": "text/event-stream"],
                    body: Data(
                        "data: {\"choices\":[{\"delta\":{\"content\":\"Hi.\"},\"finish_reason\":\"stop\"}]}\n\n".utf8))
                : WebServerReply(head: "", pieces: [.hangUp])
        }
        #expect(try await server.reply().message.text == "Hi.")
        let (_, cause) = await server.failure()
        #expect(cause?.code == .unreachable)
        #expect(server.web.requests.count == 2)
    }

    @Test("where there is no server, it is tried a few times")
    func noServer() async throws {
        let clock = InstantClock()
        // A port that was free a moment ago may be another test's by now.
        let url = try #require(URL(string: "http://127.0.0.1:1"))
        let runner = RemoteModelRunner(
            model: "m", at: try RemoteEndpoint(url, environment: [:]),
            client: URLSessionClient(environment: [:], reusesConnections: false, clock: ManualClock()),
            clock: clock)
        let error = await #expect(throws: ConversationError.self) {
            try await runner.generate(.init(messages: [.user("Hello!")]), to: ResponseWriter { _ in })
        }
        #expect((error?.cause as? RemoteError)?.code == .unreachable)
        #expect(error?.message.contains("no server at 127.0.0.1:1") == true)
        #expect(clock.durations.count == 2)
    }

    /// A client whose requests are never sent.
    private final class NoNetwork: HTTPClient {
        let limits = Mutex<[Duration?]>([])

        func withResponse<Result: Sendable>(
            to request: HTTPRequest, _ use: (HTTPResponse) async throws -> Result
        ) async throws -> Result {
            limits.withLock { $0.append(request.limits.whole) }
            throw HTTPError(.unreachable, "There is no network.", cause: URLError(.cannotConnectToHost))
        }
    }

    @Test("the time of a reply holds for all attempts together")
    func wholeTime() async throws {
        let (client, url) = (NoNetwork(), try #require(URL(string: "http://127.0.0.1:1")))
        let runner = RemoteModelRunner(
            model: "m", at: try RemoteEndpoint(url, environment: [:]), client: client, clock: InstantClock())
        var options = GenerationOptions()
        options.timeout = .seconds(600)
        let request = GenerationRequest(messages: [.user("Hello!")], options: options)
        await #expect(throws: ConversationError.self) {
            try await runner.generate(request, to: ResponseWriter { _ in })
        }
        let limits = client.limits.withLock { $0.compactMap(\.self) }
        #expect(limits.count == 3 && limits[0] <= .seconds(600) && limits[1] < limits[0] && limits[2] < limits[1])
    }

    /// A refusal and what becomes of it.
    struct Case: Sendable, CustomTestStringConvertible {
        var status: Int
        var json: JSONValue
        var code: RemoteError.Code
        var says: String?
        var testDescription: String { "\(status) \(json.text())" }
    }

    static let refusals: [Case] = [
        Case(
            status: 401, json: ["error": ["message": "No such key: sk-123***7890."]], code: .unauthorized, says: nil),
        Case(
            status: 404, json: ["error": ["code": "model_not_found", "message": "No m."]], code: .modelNotFound,
            says: "No m."),
        Case(
            status: 404, json: ["error": ["message": "model \"m\" not found, try pulling it first"]],
            code: .modelNotFound, says: "model \"m\" not found, try pulling it first"),
        Case(status: 404, json: .null, code: .wrongPath),
        Case(status: 405, json: ["detail": "Method Not Allowed"], code: .wrongPath, says: "Method Not Allowed"),
        Case(status: 307, json: .null, code: .wrongPath),
        Case(
            status: 400, json: ["error": "A plain\u{1B}[1m text\nof two lines"], code: .refused,
            says: "A plain [1m text of two lines"),
        Case(status: 422, json: ["detail": [["msg": "field required"]]], code: .refused, says: "field required"),
        Case(
            status: 400, json: [["error": ["code": 400, "message": "No such field.", "status": "INVALID_ARGUMENT"]]],
            code: .refused, says: "No such field."),
        Case(
            status: 400, json: ["error": ["message": "You said: my secret number is 4711 in the garden shed."]],
            code: .refused, says: nil),
        Case(
            status: 400, json: ["object": "error", "message": "This model's maximum context length is 5 tokens."],
            code: .contextExceeded, says: "This model's maximum context length is 5 tokens."),
        Case(status: 500, json: ["error": ["message": "No power."]], code: .serverFailed, says: "No power."),
    ]

    @Test("errors have the server's code and words, but neither the key nor what was said", arguments: refusals)
    func refusal(one: Case) async throws {
        let server = try FakeServer(key: "sk-1234567890") { _ in
            .refusal(one.status, one.json, headers: one.status == 307 ? ["Location": "http://127.0.0.1:1/"] : [:])
        }
        let request = GenerationRequest(messages: [
            .user("Well, my secret number is 4711 in the garden shed, you know.")
        ])
        let (error, cause) = await server.failure(request)
        #expect(cause?.code == one.code && cause?.status == one.status)
        let message = try #require(error?.message)
        #expect(message.components(separatedBy: "The server says: ").dropFirst().first == one.says)
        #expect(!message.contains("garden shed") && !message.contains("sk-1"))
        #expect(server.web.requests.count == 1)
    }

    @Test("what a server says is cut to a few hundred characters")
    func longMessage() async throws {
        let server = try FakeServer { _ in .refusal(400, ["error": .string(String(repeating: "word ", count: 1_000))]) }
        #expect((await server.failure().error?.message.count ?? 1_000) < 400)
    }
}
