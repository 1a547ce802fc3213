// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyJSON
import ParleyMCP
import ParleyTestSupport
import Synchronization
import Testing

@Suite("A server at an address", .timeLimit(.minutes(15)))
struct HTTPServerTests {
    /// A server that answers each method as a script says.
    private func server(
        _ script: @escaping @Sendable (WebServerRequest, JSONValue) -> WebServerReply?
    ) throws -> WebServer {
        try WebServer { request in
            let message = (try? JSONValue(parsing: request.body)) ?? .null
            if let reply = script(request, message) { return reply }
            switch message["method"]?.string {
            case "initialize"?: return Self.json(message, Self.greeting, headers: ["Mcp-Session-Id": "s-1"])
            case "ping"?: return Self.json(message, [:])
            case "notifications/initialized"?: return WebServerReply(202)
            default: return WebServerReply(405)
            }
        }
    }

    private static let greeting: JSONValue = [
        "protocolVersion": "2025-06-18", "capabilities": ["tools": [:]],
        "serverInfo": ["name": "web", "version": "2"],
    ]

    private static func json(
        _ request: JSONValue, _ result: JSONValue, headers: [String: String] = [:]
    ) -> WebServerReply {
        let message: JSONValue = ["jsonrpc": "2.0", "id": request["id"] ?? .null, "result": result]
        let all = headers.merging(["Content-Type": "application/json; charset=utf-8"]) { $1 }
        return WebServerReply(200, headers: all, body: Data(message.text().utf8))
    }

    private static func events(_ events: [String]) -> WebServerReply {
        WebServerReply(
            200, headers: ["Content-Type": "text/event-stream"], body: Data(events.joined().utf8))
    }

    private static func result(_ request: JSONValue, _ text: String) -> String {
        let result: JSONValue = ["content": [["type": "text", "text": .string(text)]]]
        return (["jsonrpc": "2.0", "id": request["id"] ?? .null, "result": result] as JSONValue).text()
    }

    private func client(_ server: WebServer, limits: MCPLimits = .patient) throws -> MCPClient {
        let transport = HTTPTransport(
            url: try server.url("/mcp"), headers: ["Authorization": "Bearer key"],
            client: URLSessionClient(environment: [:]), limits: limits)
        return MCPClient(name: "web", transport: transport, limits: limits)
    }

    @Test("Requests carry session, revision and the user's headers, and the session is ended")
    func session() async throws {
        let server = try server { request, _ in request.method == "DELETE" ? WebServerReply(200) : nil }
        let client = try client(server)
        #expect(try await client.connect().revision == .june2025)
        try await client.ping()
        await client.close()
        let posts = server.requests.filter { $0.method == "POST" }
        #expect(posts.count == 3)
        #expect(posts.allSatisfy { $0.headers["authorization"] == "Bearer key" })
        #expect(posts.map { $0.headers["mcp-session-id"] } == [nil, "s-1", "s-1"])
        #expect(posts.map { $0.headers["mcp-protocol-version"] } == [nil, "2025-06-18", "2025-06-18"])
        let farewell = server.requests.first { $0.method == "DELETE" }
        #expect(farewell?.headers["mcp-session-id"] == "s-1")
    }

    @Test("A stream of events brings progress, then the result")
    func events() async throws {
        let server = try server { _, message in
            guard message["method"] == "tools/call" else { return nil }
            let token = message["params"]?["_meta"]?["progressToken"] ?? .null
            let progress: JSONValue = [
                "jsonrpc": "2.0", "method": "notifications/progress",
                "params": ["progressToken": token, "progress": 1],
            ]
            return Self.events([
                ": comment\n\n", "id: 1\ndata:\n\n", "data: \(progress.text())\n\n",
                "data: \(Self.result(message, "done"))\n\n",
            ])
        }
        let client = try client(server)
        try await client.connect()
        let (reports, sink) = AsyncStream.makeStream(of: MCPProgress.self)
        let result = try await client.call("work") { sink.yield($0) }
        sink.finish()
        #expect(result.content == [.text("done")])
        #expect(await reports.reduce(into: []) { $0.append($1) } == [MCPProgress(progress: 1)])
        await client.close()
    }

    @Test("A stream that ends before the answer is taken up where it ended")
    func resumption() async throws {
        let server = try server { request, message in
            if message["method"] == "tools/call" {
                return Self.events(["retry: 10\nid: e-7\ndata:\n\n"])
            }
            guard request.method == "GET", request.headers["last-event-id"] == "e-7" else { return nil }
            // Requests are numbered from 1: initialize, then the call.
            return Self.events(["id: e-8\ndata: \(Self.result(["id": 2], "late"))\n\n"])
        }
        let client = try client(server)
        try await client.connect()
        #expect(try await client.call("work").content == [.text("late")])
        await client.close()
    }

    /// A clock on which no time passes: it notes how long is to be slept, and the fifth sleep fails.
    private final class NotedSleeps: Clock {
        typealias Instant = ContinuousClock.Instant
        typealias Duration = Swift.Duration
        let now = ContinuousClock.now
        let slept = Mutex<[Duration]>([])
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            let length = now.duration(to: deadline)
            let count = slept.withLock { slept in
                slept.append(length)
                return slept.count
            }
            if count == 5 { throw CancellationError() }
        }
    }

    @Test("A server that ends its stream at once is asked less and less often, whatever it says")
    func vainStreams() async throws {
        let server = try server { request, _ in request.method == "GET" ? Self.events(["retry: 10\n\n"]) : nil }
        let clock = NotedSleeps()
        let transport = HTTPTransport(
            url: try server.url("/mcp"), client: URLSessionClient(environment: [:]), limits: .patient, clock: clock)
        transport.open { _ in }
        try await transport.send(["jsonrpc": "2.0", "id": 1, "method": "initialize", "params": [:]])
        try await transport.send(["jsonrpc": "2.0", "method": "notifications/initialized"])
        await #expect(throws: CancellationError.self) { try await transport.run() }
        let doubled: [Duration] = [1, 2, 4, 8, 16].map { .seconds($0) }
        #expect(clock.slept.withLock { $0 } == doubled)
    }

    /// A server that takes its time to be told that a session has ended.
    private final class SlowToHear: HTTPClient {
        let asked = AsyncStream<Void>.makeStream()
        let told = Mutex(0)

        func withResponse<Result: Sendable>(
            to request: HTTPRequest, _ use: (HTTPResponse) async throws -> Result
        ) async throws -> Result {
            let headers: HTTPHeaders = ["Content-Type": "application/json", "Mcp-Session-Id": "s-1"]
            if request.method == "DELETE" {
                asked.continuation.yield()
                for _ in 0..<1_000 { await Task.yield() }
                told.withLock { $0 += 1 }
            }
            let answer = Data(#"{"jsonrpc": "2.0", "id": 1, "result": {}}"#.utf8)
            return try await use(HTTPResponse(status: 200, headers: headers, body: HTTPBody([answer])))
        }
    }

    @Test("Whoever ends a connection that is being ended returns when the server has been told, once")
    func sharedEnd() async throws {
        let server = SlowToHear()
        let transport = HTTPTransport(url: try #require(URL(string: "https://a.example/mcp")), client: server)
        transport.open { _ in }
        try await transport.send(["jsonrpc": "2.0", "id": 1, "method": "initialize", "params": [:]])
        let first = Task { await transport.close() }
        for await _ in server.asked.stream { break }
        await transport.close()
        #expect(server.told.withLock { $0 } == 1)
        await first.value
        #expect(server.told.withLock { $0 } == 1)
    }

    @Test(
        "What is no answer fails the request with what it means, and the connection goes on",
        arguments: [
            (WebServerReply(500), MCPError.Code.unreachable), (WebServerReply(401), .unreachable),
            (WebServerReply(404), .sessionEnded), (WebServerReply(202), .closed),
            (WebServerReply(307, headers: ["Location": "http://127.0.0.1:9/"]), .unreachable),
            (WebServerReply(200, headers: ["Content-Type": "text/html"], body: Data("<p>".utf8)), .invalidMessage),
            (WebServerReply(200, headers: ["Content-Type": "text/event-stream"]), .closed),
        ])
    func failures(_ reply: WebServerReply, _ code: MCPError.Code) async throws {
        let server = try server { _, message in message["method"] == "tools/call" ? reply : nil }
        let client = try client(server)
        try await client.connect()
        let error = await #expect(throws: MCPError.self) { try await client.call("work") }
        #expect(error?.code == code)
        try await client.ping()
        await client.close()
    }

    /// A refusal as servers of the common libraries send it, which do not read a request of a session they do not know.
    static func refusal(_ status: Int, id: JSONValue = nil, code: Int = -32_001) -> WebServerReply {
        let error: JSONValue = ["jsonrpc": "2.0", "id": id, "error": ["code": .integer(code), "message": "no"]]
        return WebServerReply(
            status, headers: ["Content-Type": "application/json"], body: Data(error.text().utf8))
    }

    @Test(
        "In the place of a session that the server has forgotten one other is begun, and what was refused is sent again",
        arguments: [
            WebServerReply(404), WebServerReply(400), refusal(404), refusal(400, code: -32_000),
            refusal(404, id: "server-error", code: -32_600),
        ])
    func forgottenSession(_ refusal: WebServerReply) async throws {
        let server = try server { request, message in
            switch message["method"]?.string {
            case "initialize"? where request.number > 0:
                Self.json(message, Self.greeting, headers: ["Mcp-Session-Id": "s-2"])
            case "tools/call"? where request.headers["mcp-session-id"] == "s-2":
                Self.json(message, ["content": [["type": "text", "text": "done"]]])
            case "tools/call"?: refusal
            default: nil
            }
        }
        let client = try client(server)
        try await client.connect()
        async let first = client.call("work")
        async let second = client.call("work")
        let results = try await [first, second]
        #expect(results.map(\.content) == [[.text("done")], [.text("done")]])
        let methods = server.requests.map { (try? JSONValue(parsing: $0.body))?["method"]?.string }
        #expect(methods.filter { $0 == "initialize" }.count == 2)
        await client.close()
        #expect(server.requests.last { $0.method == "DELETE" }?.headers["mcp-session-id"] == "s-2")
    }

    @Test("A refusal that names the request is none of the session", arguments: [400, 404])
    func namedRefusal(status: Int) async throws {
        let server = try server { _, message in
            message["method"] == "tools/call" ? Self.refusal(status, id: message["id"] ?? .null, code: -32_602) : nil
        }
        let client = try client(server)
        try await client.connect()
        let error = await #expect(throws: MCPError.self) { try await client.call("work") }
        #expect(error?.code == .refused)
        await client.close()
    }

    @Test("Wrong credentials are told as such, whatever the server says beside", arguments: [401, 403])
    func credentials(status: Int) async throws {
        let server = try server { _, message in message["method"] == "initialize" ? Self.refusal(status) : nil }
        let error = await #expect(throws: MCPError.self) { try await client(server).connect() }
        #expect(error?.code == .unreachable && error?.message.contains("credentials") == true)
    }

    @Test("A stream in the place of no answer is not read", .timeLimit(.minutes(15)))
    func streamForNoRequest() async throws {
        let never = ThreadGate()
        defer { never.open() }
        let server = try server { _, message in
            guard message["method"] == "notifications/initialized" else { return nil }
            return WebServerReply(
                head: "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n",
                pieces: [.bytes(Data(": wait\n\n".utf8)), .wait(never)])
        }
        let client = try client(server)
        try await client.connect()
        try await client.ping()
        await client.close()
    }

    @Test("A list ends with an empty cursor, and with what one message may have", arguments: ["", "more"])
    func longList(cursor: String) async throws {
        var limits = MCPLimits.patient
        limits.messageBytes = 10_000
        let text = JSONValue.string(String(repeating: "x", count: 6_000))
        let server = try server { request, message in
            guard message["method"] == "tools/list" else { return nil }
            let next = JSONValue.string(cursor.isEmpty ? "" : "\(cursor) \(request.number)")
            return Self.json(message, ["tools": [["name": "work", "description": text]], "nextCursor": next])
        }
        let client = try client(server, limits: limits)
        try await client.connect()
        #expect(try await client.tools().map(\.name) == ["work"])
        let lists = server.requests.filter { (try? JSONValue(parsing: $0.body))?["method"] == "tools/list" }
        #expect(lists.count == (cursor.isEmpty ? 1 : 2))
        await client.close()
    }

    @Test("Space beside the type of an answer counts for nothing", arguments: [true, false])
    func spacedType(isStream: Bool) async throws {
        let server = try server { _, message in
            guard message["method"] == "tools/call" else { return nil }
            let result = Self.result(message, "done")
            let type = isStream ? "Text/Event-Stream ; charset=utf-8" : "Application/JSON ; charset=utf-8"
            return WebServerReply(
                200, headers: ["Content-Type": type], body: Data((isStream ? "data: \(result)\n\n" : result).utf8))
        }
        let client = try client(server)
        try await client.connect()
        #expect(try await client.call("work").content == [.text("done")])
        await client.close()
    }

    @Test("An answer above the limit is not read to its end")
    func limit() async throws {
        var limits = MCPLimits.patient
        limits.messageBytes = 10_000
        let server = try server { _, message in
            message["method"] == "tools/call"
                ? Self.json(message, ["content": .string(String(repeating: "x", count: 20_000))]) : nil
        }
        let client = try client(server, limits: limits)
        try await client.connect()
        let error = await #expect(throws: MCPError.self) { try await client.call("work") }
        #expect(error?.code == .invalidMessage)
        await client.close()
    }

    @Test("A server that knows only the stateless revision is spoken to in it")
    func stateless() async throws {
        let server = try server { request, message in
            if message["method"] == "initialize" {
                let error: JSONValue = [
                    "jsonrpc": "2.0", "id": nil,
                    "error": ["code": -32022, "message": "no", "data": ["supported": ["2026-07-28"]]],
                ]
                return WebServerReply(
                    400, headers: ["Content-Type": "application/json"], body: Data(error.text().utf8))
            }
            let meta = message["params"]?["_meta"]
            guard request.headers["mcp-protocol-version"] == "2026-07-28",
                meta?["io.modelcontextprotocol/protocolVersion"] == "2026-07-28",
                meta?["io.modelcontextprotocol/clientCapabilities"] == [:],
                request.headers["mcp-method"] == message["method"]?.string
            else { return WebServerReply(400) }
            switch message["method"]?.string {
            case "server/discover"?:
                return Self.json(
                    message, ["supportedVersions": ["2026-07-28"], "capabilities": [:], "resultType": "complete"])
            case "tools/call"?:
                guard let name = request.headers["mcp-name"] else { return WebServerReply(400) }
                return Self.json(message, ["content": [["type": "text", "text": .string(name)]]])
            case "prompts/get"?: return Self.json(message, ["resultType": "input_required"])
            default: return nil
            }
        }
        let client = try client(server)
        #expect(try await client.connect().revision == .july2026)
        #expect(try await client.call("plain").content == [.text("plain")])
        #expect(try await client.call("grün").content == [.text("=?base64?Z3LDvG4=?=")])
        let error = await #expect(throws: MCPError.self) { try await client.prompt("ask") }
        #expect(error?.code == .refused)
        await client.close()
    }
}
