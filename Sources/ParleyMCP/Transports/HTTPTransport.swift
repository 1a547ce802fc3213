// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyHTTP
public import ParleyJSON
import ParleySystem
import Synchronization

/// A server at an address
/// ([streamable HTTP](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http)):
/// each message is a `POST`, whose answer is JSON or a stream of events.
///
/// Streams that break off are resumed if the server numbers its events. Redirects are not followed, because what is
/// sent is meant for the address in the settings alone. An `initialize` while there is a session begins another one.
public final class HTTPTransport: MCPTransport {
    private let url: URL
    private let headers: HTTPHeaders
    private let client: any HTTPClient
    private let limits: MCPLimits
    private let clock: any Clock<Duration>
    private let state = Mutex(State())

    private struct State {
        var receive: (@Sendable (JSONValue) async -> Void)?
        var session: String?
        var revision: MCPRevision?
        var isClosed = false
        /// Tells the server that the session has ended.
        var farewell: Task<Void, Never>?
        var mayListen = false
        var listener: CheckedContinuation<Void, Never>?
    }

    /// How often a stream is resumed in vain.
    private static let mostAttempts = 3
    /// Requests have time limits of their own, which cancel the exchange.
    private static let answerLimit = Duration.seconds(86_400)

    /// Describes a server.
    ///
    /// - Parameters:
    ///   - url: the address.
    ///   - headers: headers for each request, such as `Authorization`.
    ///   - client: sends the requests.
    ///   - limits: the maximum size of a message, and the times for what has no answer.
    ///   - clock: measures how long streams last, and the time before one is resumed.
    public init(
        url: URL, headers: HTTPHeaders = [:], client: any HTTPClient = URLSessionClient(),
        limits: MCPLimits = MCPLimits(), clock: any Clock<Duration> = ContinuousClock()
    ) {
        (self.url, self.headers, self.client, self.limits, self.clock) = (url, headers, client, limits, clock)
    }

    /// Prepares to send; nothing is sent yet.
    ///
    /// - Parameter receive: called with each message.
    public func open(_ receive: @escaping @Sendable (JSONValue) async -> Void) {
        state.withLock { $0.receive = receive }
    }

    /// Takes the revision into the headers of further requests.
    public func agree(on revision: MCPRevision) { state.withLock { $0.revision = revision } }

    /// Sends a message and delivers the messages of its answer, which only a request has.
    ///
    /// - Throws: ``MCPError``, with code `sessionEnded` if the server does not know the session; `CancellationError`.
    public func send(_ message: JSONValue) async throws {
        let (receive, isClosed) = state.withLock { ($0.receive, $0.isClosed) }
        guard let receive, !isClosed else { throw MCPError(.closed, "The connection is not open.") }
        let id = message["method"] == nil ? nil : message["id"]
        // In this revision a request is cancelled by ending its exchange, and there are no other notifications.
        if isStateless, id == nil { return }
        var request = request("POST", message)
        request.body = Data(message.text().utf8)
        if id == nil { request.limits.answer = limits.connecting }
        var resumption = Resumption()
        do {
            let isAnswered = try await client.withResponse(to: request) { response in
                try await deliver(response, to: receive, answering: id, &resumption, message)
            }
            if message["method"]?.string == "notifications/initialized" { allowListening() }
            if isAnswered || id == nil { return }
        } catch let error as HTTPError {
            guard resumption.canResume, error.code == .unreachable else { throw Self.mcpError(error) }
        }
        try await resume(&resumption, answering: id, receive)
    }

    /// Listens for what the server sends unasked, if it offers that, until the task is cancelled.
    ///
    /// - Throws: `CancellationError`.
    public func run() async throws {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isToWait = state.withLock { state in
                    if state.mayListen || Task.isCancelled { return false }
                    state.listener = continuation
                    return true
                }
                if !isToWait { continuation.resume() }
            }
        } onCancel: {
            allowListening()
        }
        let (receive, session) = state.withLock { ($0.receive, $0.session) }
        if let receive, session != nil, !isStateless {
            var resumption = Resumption()
            // How many streams in a row ended at once and without an event.
            var vain = 0
            while resumption.attempts < Self.mostAttempts {
                let (before, passed) = (resumption.events, clock.stopwatch())
                do {
                    try await listen(&resumption, receive)
                } catch is HTTPError {
                    resumption.attempts += 1
                } catch is MCPError {
                    break
                }
                let isVain = resumption.events == before && passed() < .seconds(5)
                vain = isVain ? vain + 1 : 0
                // A server that ends its streams at once is asked less and less often, whatever it says.
                let pause = vain == 0 ? Duration.zero : Duration.seconds(min(1 << min(vain - 1, 5), 30))
                try await clock.sleep(for: max(resumption.delay, pause))
            }
        }
        // Requests are still answered without that stream, so the connection has not ended.
        while true { try await Task.sleep(for: .seconds(86_400)) }
    }

    /// Ends the session at the server, which need not agree. Whoever asks for it returns when the server has been told.
    public func close() async {
        let farewell = state.withLock { state -> Task<Void, Never>? in
            if !state.isClosed, state.session != nil {
                // The end must not depend on whether the task that asks for it is cancelled.
                state.farewell = Task { await sayFarewell() }
            }
            state.isClosed = true
            return state.farewell
        }
        allowListening()
        await farewell?.value
    }

    private func sayFarewell() async {
        var request = request("DELETE", nil)
        (request.limits.answer, request.limits.whole) = (limits.closing, limits.closing)
        _ = try? await client.answer(to: request, upTo: 1 << 16)
    }

    private func allowListening() {
        let listener = state.withLock { state in
            state.mayListen = true
            defer { state.listener = nil }
            return state.listener
        }
        listener?.resume()
    }

    private var isStateless: Bool { state.withLock { $0.revision?.isStateless == true } }

    // MARK: Requests

    private func request(_ method: String, _ message: JSONValue?) -> HTTPRequest {
        var request = HTTPRequest(url, method: method, headers: headers)
        request.followsRedirects = false
        request.limits.answer = Self.answerLimit
        request.limits.pace = nil
        request.headers["Accept"] = method == "GET" ? "text/event-stream" : "application/json, text/event-stream"
        if method == "POST" { request.headers["Content-Type"] = "application/json" }
        let isFirst = message?["method"]?.string == "initialize"
        let (revision, session) = state.withLock { ($0.revision, $0.session) }
        if let revision, !isFirst { request.headers["MCP-Protocol-Version"] = revision.description }
        if revision?.isStateless == true, let message {
            request.headers["Mcp-Method"] = message["method"]?.string
            let name = message["params"]?["name"] ?? message["params"]?["uri"]
            request.headers["Mcp-Name"] = name?.string.map(Self.headerValue)
        } else if let session, !isFirst {
            request.headers["Mcp-Session-Id"] = session
        }
        return request
    }

    /// A value as it is if a header can carry it, else as base64 in the notation of the protocol.
    private static func headerValue(_ value: String) -> String {
        let isPlain = value.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !value.hasPrefix("=?")
        let isTrimmed = !value.hasPrefix(" ") && !value.hasSuffix(" ")
        return isPlain && isTrimmed ? value : "=?base64?\(Data(value.utf8).base64EncodedString())?="
    }

    // MARK: Answers

    /// Delivers the messages of an answer; returns whether the answer to the request was among them.
    private func deliver(
        _ response: HTTPResponse, to receive: @Sendable (JSONValue) async -> Void, answering id: JSONValue?,
        _ resumption: inout Resumption, _ message: JSONValue
    ) async throws -> Bool {
        let type = response.headers.mediaType
        guard (200..<300).contains(response.status) else {
            try await refuse(response, isJSON: type == "application/json", message, receive)
            return true
        }
        if message["method"]?.string == "initialize" {
            let session = response.headers["Mcp-Session-Id"]
            let bytes = Array((session ?? "").utf8)
            guard bytes.count <= 1_024, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw MCPError(.invalidMessage, "The server's name for the session is not allowed.")
            }
            state.withLock { $0.session = session }
        }
        // Servers open streams also for what has no answer; they may never end.
        guard let id, response.status != 202 else { return false }
        if type == "text/event-stream" {
            return try await deliver(response.body, &resumption, answering: id, receive)
        }
        guard type == "application/json" else {
            throw MCPError(.invalidMessage, "The server answers neither with JSON nor with events.")
        }
        let body = try await response.body.collect(upTo: limits.messageBytes)
        let answer = parse(body)
        // One revision allowed several messages in one answer.
        let messages = answer.array ?? [answer]
        for message in messages { await receive(message) }
        return messages.contains { $0["id"] == id && $0["method"] == nil }
    }

    /// Delivers the messages of a stream until it ends or has the answer; returns whether it had it.
    private func deliver(
        _ body: HTTPBody, _ resumption: inout Resumption, answering id: JSONValue?,
        _ receive: @Sendable (JSONValue) async -> Void
    ) async throws -> Bool {
        var parser = resumption.parser
        (parser.longestLine, parser.longestEvent) = (limits.messageBytes, limits.messageBytes)
        var events = body.events(parser: parser).makeAsyncIterator()
        defer { resumption.parser = events.parser }
        while let event = try await events.next() {
            (resumption.attempts, resumption.events) = (0, resumption.events + 1)
            resumption.parser = events.parser
            guard event.type == "message", !event.data.isEmpty else { continue }
            let message = parse(Data(event.data.utf8))
            await receive(message)
            if let id, message["id"] == id, message["method"] == nil { return true }
        }
        return false
    }

    /// Delivers the refusal of a request, or throws what the status means.
    private func refuse(
        _ response: HTTPResponse, isJSON: Bool, _ message: JSONValue, _ receive: @Sendable (JSONValue) async -> Void
    ) async throws {
        let id = message["method"] == nil ? nil : message["id"]
        var answer = JSONValue.null
        if isJSON, id != nil, let body = try? await response.body.collect(upTo: 1 << 16) { answer = parse(body) }
        let host = url.host() ?? "The server"
        // The protocol wants 404 for a session that is not known, and many servers answer 400; neither has read the
        // request, or it would be named.
        let isUnread = id != nil && answer["id"] != id && message["method"]?.string != "initialize"
        switch response.status {
        case 300..<400:
            throw MCPError(.unreachable, "\(host) sends to another address; give that one in the settings.")
        case 401, 403:
            throw MCPError(.unreachable, "\(host) asks for other credentials; check the headers in the settings.")
        case 400 where isUnread && hasSession:
            throw MCPError(.sessionEnded, "\(host) answered with the status 400.")
        case 404 where isUnread && hasSession:
            throw MCPError(.sessionEnded, "\(host) has ended the session; connect again.")
        case _ where id != nil && answer["error"]?["code"]?.integer != nil:
            // The server may not have come to read the request's id.
            answer["id"] = id
            await receive(answer)
        default:
            throw MCPError(.unreachable, "\(host) answered with the status \(response.status).")
        }
    }

    private var hasSession: Bool { state.withLock { $0.session != nil } }

    private func parse(_ body: Data) -> JSONValue {
        (try? JSONValue(parsing: body, limits: JSONLimits(depth: 64, bytes: limits.messageBytes))) ?? .null
    }

    // MARK: Resuming

    /// What is known of a stream that may have to be resumed.
    private struct Resumption {
        var parser = ServerSentEventParser()
        var attempts = 0
        /// How many events have come.
        var events = 0

        var canResume: Bool { !parser.lastEventID.isEmpty }

        /// The time that the server asks for, within bounds.
        var delay: Duration { min(max(parser.retry ?? .seconds(1), .milliseconds(10)), .seconds(30)) }
    }

    /// Takes up the stream of an answer that broke off.
    private func resume(
        _ resumption: inout Resumption, answering id: JSONValue?, _ receive: @Sendable (JSONValue) async -> Void
    ) async throws {
        while resumption.canResume, resumption.attempts < Self.mostAttempts {
            resumption.attempts += 1
            try await clock.sleep(for: resumption.delay)
            do {
                if try await listen(&resumption, receive, answering: id) { return }
            } catch let error as HTTPError where error.code != .unreachable {
                throw Self.mcpError(error)
            } catch is HTTPError {
                continue
            }
        }
        throw MCPError(.closed, "The connection broke off before the answer.")
    }

    /// Opens a stream where the last one ended, and delivers its messages.
    @discardableResult
    private func listen(
        _ resumption: inout Resumption, _ receive: @Sendable (JSONValue) async -> Void, answering id: JSONValue? = nil
    ) async throws -> Bool {
        var request = request("GET", nil)
        if resumption.canResume { request.headers["Last-Event-ID"] = resumption.parser.lastEventID }
        return try await client.withResponse(to: request) { response in
            let type = response.headers.mediaType
            guard response.status == 200, type == "text/event-stream" else {
                throw MCPError(.closed, "The server offers no stream.")
            }
            return try await deliver(response.body, &resumption, answering: id, receive)
        }
    }

    private static func mcpError(_ error: HTTPError) -> MCPError {
        let code: MCPError.Code =
            switch error.code {
            case .timedOut: .timedOut
            case .tooLarge: .invalidMessage
            default: .unreachable
            }
        return MCPError(code, error.message, cause: error)
    }
}
