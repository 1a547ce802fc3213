// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
package import ParleyJSON
import ParleySystem

/// A connection to a server that speaks the
/// [Model Context Protocol](https://modelcontextprotocol.io/specification/2025-11-25).
///
/// Make one from a transport, ``connect()``, use it from any number of tasks, and ``close()`` it; a client whose server
/// has ended stays closed. A session that a server at an address has forgotten is begun anew. Everything that the server
/// sends is bounded, and untrusted. Requests of the server to its client (sampling, roots, elicitation) are declined,
/// because none is offered.
public actor MCPClient {
    /// A request that waits for its answer.
    private struct Pending {
        var answer: CheckedContinuation<JSONValue, any Error>
        var progress: (@Sendable (MCPProgress) -> Void)?
        var tasks: [Task<Void, Never>]
        var isCancellable: Bool
    }

    private enum Stage {
        case new, connecting, open, closed
    }

    /// The name of the server, for errors and for the names of its functions.
    public nonisolated let name: String
    /// The limits of the connection.
    public nonisolated let limits: MCPLimits
    /// The lists that have changed, as the server says; reports that nobody reads are dropped.
    public nonisolated let changes: AsyncStream<MCPChange>

    private let transport: any MCPTransport
    private let clock: any Clock<Duration>
    private let announce: AsyncStream<MCPChange>.Continuation
    private var stage = Stage.new
    private var ledger = RequestLedger()
    private var pending: [Int: Pending] = [:]
    private var replies = 0
    private var running: Task<Void, Never>?
    private var revision: MCPRevision
    private var info: MCPServerInfo?
    private var failure: MCPError?
    /// How often a session was begun in the place of one that the server has forgotten.
    private var renewals = 0
    private var renewal: Task<Void, any Error>?

    /// The largest number of answers to the server that wait to be sent.
    private static let mostReplies = 64

    /// Describes a connection; ``connect()`` begins it.
    ///
    /// - Parameters:
    ///   - name: the name of the server, as the settings give it.
    ///   - transport: the way to the server, which belongs to this client from now on.
    ///   - revision: the revision that is offered first. Nearly all servers speak the usual one or an older one; those
    ///     that speak only newer ones say so.
    ///   - limits: the limits of the connection.
    ///   - clock: measures the times.
    public init(
        name: String, transport: any MCPTransport, offering revision: MCPRevision = .november2025,
        limits: MCPLimits = MCPLimits(), clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.revision = revision
        (self.name, self.transport, self.limits, self.clock) = (name, transport, limits, clock)
        (changes, announce) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(16))
    }

    deinit {
        running?.cancel()
        announce.finish()
        let transport = transport
        Task { await transport.close() }
    }

    // MARK: Beginning and end

    /// Begins the connection: starts the server, if it is a program, and agrees on a revision of the protocol.
    ///
    /// - Returns: what the server says about itself.
    /// - Throws: ``MCPError`` with code `unreachable`, `unsupportedRevision`, `timedOut`, `refused` or `closed`, after
    ///   which the client is closed; `CancellationError`.
    @discardableResult
    public func connect() async throws -> MCPServerInfo {
        guard stage == .new else { throw MCPError(.closed, "The connection to \(name) was begun before.") }
        stage = .connecting
        do {
            try await transport.open { [weak self] in await self?.receive($0) }
            running = Task { [weak self, transport] in
                do {
                    try await transport.run()
                    await self?.end(because: nil)
                } catch {
                    await self?.end(because: error)
                }
            }
            let info = try await agree()
            guard stage == .connecting else { throw closedError }
            (stage, self.info) = (.open, info)
            return info
        } catch {
            await close()
            throw error
        }
    }

    /// What the server says about itself; nil before it is connected.
    public var server: MCPServerInfo? { info }

    /// Ends the connection, and the server if it is a program of this machine.
    public func close() async {
        finish()
        running?.cancel()
        await transport.close()
    }

    private func end(because error: (any Error)?) async {
        if failure == nil, stage != .closed {
            let remedy = stage == .connecting ? " before it was ready. Its command, in a terminal, shows why." : "."
            failure = error as? MCPError ?? MCPError(.closed, "The server \(name) has ended\(remedy)", cause: error)
        }
        await close()
    }

    private func finish() {
        stage = .closed
        announce.finish()
        for id in ledger.abandonAll() { settle(id, .failure(closedError)) }
    }

    private var closedError: MCPError { failure ?? MCPError(.closed, "The connection to \(name) is closed.") }

    private func agree() async throws -> MCPServerInfo {
        do {
            if !revision.isStateless, let info = try await shakeHands() { return info }
            revision = .july2026
            await transport.agree(on: revision)
            let result = try await send("server/discover", [:], timeout: limits.connecting, isCancellable: false)
            guard result["supportedVersions"]?.array?.contains(.string(revision.description)) == true else {
                throw unsupported
            }
            return MCPServerInfo(result, revision: revision)
        } catch let refusal as Refusal {
            throw refusal.error(of: name)
        }
    }

    /// Offers a revision that begins with a handshake; nil if the server only speaks newer ones.
    private func shakeHands() async throws -> MCPServerInfo? {
        let offer: JSONObject = [
            "protocolVersion": .string(revision.description), "capabilities": [:], "clientInfo": Self.clientInfo,
        ]
        do {
            let result = try await send("initialize", offer, timeout: limits.connecting, isCancellable: false)
            guard let agreed = MCPRevision(named: result["protocolVersion"]?.string ?? ""), !agreed.isStateless else {
                throw unsupported
            }
            revision = agreed
            await transport.agree(on: agreed)
            try await transport.send(RPCMessage.notification(method: "notifications/initialized", params: nil).json)
            return MCPServerInfo(result, revision: agreed)
        } catch let refusal as Refusal {
            let known = refusal.failure.data?["supported"]?.array?.compactMap(\.string) ?? []
            let isNewer =
                refusal.failure.code == RPCFailure.methodNotFound
                || refusal.failure.code == RPCFailure.unsupportedRevision
                    && known.contains(MCPRevision.july2026.description)
            guard isNewer else { throw refusal }
            return nil
        }
    }

    private var unsupported: MCPError {
        let known = MCPRevision.all.map(\.description).joined(separator: ", ")
        return MCPError(
            .unsupportedRevision, "The server \(name) speaks none of the protocol's revisions \(known).")
    }

    private static let clientInfo: JSONValue = ["name": "parley", "title": "Parley", "version": "1"]

    // MARK: Requests

    /// Sends a request and waits for its answer. If the server has forgotten the session, another one is begun, and the
    /// request is sent once more.
    ///
    /// - Throws: ``MCPError``, or `CancellationError`, after which the server is told.
    package func request(
        _ method: String, _ params: JSONObject = [:], timeout: Duration? = nil,
        progress: (@Sendable (MCPProgress) -> Void)? = nil
    ) async throws -> JSONValue {
        guard stage == .open else { throw stage == .closed ? closedError : notConnected }
        func result() async throws -> JSONValue {
            try await send(
                method, params, timeout: timeout ?? limits.request, isCancellable: true, progress: progress)
        }
        let earlier = renewals
        do {
            let answer: JSONValue
            do {
                answer = try await result()
            } catch let error as MCPError where error.code == .sessionEnded {
                try await renew(after: earlier)
                answer = try await result()
            }
            if let type = answer["resultType"]?.string, type != "complete" {
                throw MCPError(.refused, "The server \(name) asks for more input, which is not given to servers.")
            }
            return answer
        } catch let refusal as Refusal {
            throw refusal.error(of: name)
        }
    }

    /// Begins another session, once for all requests that the end of one has met. They had seen so many renewals when
    /// they were sent.
    private func renew(after earlier: Int) async throws {
        guard renewals == earlier else { return }
        if renewal == nil { renewal = Task { try await beginSession() } }
        try await renewal?.value
    }

    private func beginSession() async throws {
        defer { renewal = nil }
        guard let info = try await shakeHands() else { throw unsupported }
        (self.info, renewals) = (info, renewals + 1)
    }

    private var notConnected: MCPError { MCPError(.closed, "The server \(name) is not connected yet.") }

    private func send(
        _ method: String, _ params: JSONObject, timeout: Duration, isCancellable: Bool,
        progress: (@Sendable (MCPProgress) -> Void)? = nil
    ) async throws -> JSONValue {
        if stage == .closed { throw closedError }
        let id = ledger.begin()
        let message = RPCMessage.request(
            id: .integer(id), method: method, params: envelope(params, token: progress == nil ? nil : id))
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { answer in
                let sending = Task { [weak self, transport] in
                    do {
                        try await transport.send(message.json)
                    } catch {
                        await self?.fail(id, error)
                    }
                }
                let timing = Task { [weak self, clock] in
                    guard let timeout = timeout.foreseeable, (try? await clock.sleep(for: timeout)) != nil else {
                        return
                    }
                    await self?.giveUp(id, because: nil)
                }
                pending[id] = Pending(
                    answer: answer, progress: progress, tasks: [sending, timing], isCancellable: isCancellable)
            }
        } onCancel: {
            Task { [weak self] in await self?.giveUp(id, because: CancellationError()) }
        }
    }

    /// The parameters with what goes along with every request.
    private func envelope(_ params: JSONObject, token: Int?) -> JSONValue? {
        var meta: JSONObject = [:]
        if let token { meta["progressToken"] = .integer(token) }
        if revision.isStateless {
            meta["io.modelcontextprotocol/protocolVersion"] = .string(revision.description)
            meta["io.modelcontextprotocol/clientInfo"] = Self.clientInfo
            meta["io.modelcontextprotocol/clientCapabilities"] = [:]
        }
        var params = params
        if !meta.isEmpty { params["_meta"] = .object(meta) }
        return params.isEmpty ? nil : .object(params)
    }

    /// Ends a request that was cancelled or takes too long, and tells the server.
    private func giveUp(_ id: Int, because reason: (any Error)?) {
        guard let request = pending[id], ledger.abandon(id) else { return }
        settle(id, .failure(reason ?? MCPError(.timedOut, "The server \(name) did not answer in time.")))
        guard request.isCancellable else { return }
        let params: JSONValue = [
            "requestId": .integer(id), "reason": reason == nil ? "It took too long." : "It is no longer needed.",
        ]
        post(.notification(method: "notifications/cancelled", params: params))
    }

    private func fail(_ id: Int, _ error: any Error) {
        if ledger.abandon(id) { settle(id, .failure(error)) }
    }

    private func settle(_ id: Int, _ result: Result<JSONValue, any Error>) {
        guard let request = pending.removeValue(forKey: id) else { return }
        for task in request.tasks { task.cancel() }
        request.answer.resume(with: result)
    }

    // MARK: Messages of the server

    private func receive(_ json: JSONValue) async {
        guard stage != .closed else { return }
        switch ledger.receive(json) {
        case .answered(let id, let result)?: settle(id, .success(result))
        case .refused(let id, let failure)?: settle(id, .failure(Refusal(failure: failure)))
        case .progress(let id, let progress)?: pending[id]?.progress?(progress)
        case .changed(let change)?: announce.yield(change)
        case .reply(let message)?: post(message)
        case .flooded?: flooded()
        case nil: break
        }
    }

    /// Sends something whose failure concerns nobody.
    private func post(_ message: RPCMessage) {
        guard replies < Self.mostReplies else { return flooded() }
        replies += 1
        Task {
            try? await transport.send(message.json)
            replies -= 1
        }
    }

    private func flooded() {
        failure = failure ?? MCPError(.invalidMessage, "The server \(name) sends too much that is of no use.")
        finish()
        // Not awaited: it may be the transport itself that waits for this.
        running?.cancel()
        Task { [transport] in await transport.close() }
    }
}

/// An answer that refuses a request. Its words are the server's, so they are no part of an error.
private struct Refusal: Error {
    var failure: RPCFailure

    func error(of name: String) -> MCPError {
        let reason =
            switch failure.code {
            case RPCFailure.methodNotFound: "it does not offer this"
            case RPCFailure.invalidParameters: "it does not know the name, or the arguments are not what it expects"
            case RPCFailure.unsupportedRevision: "it does not speak the revisions that this client does"
            default: "error \(failure.code)"
            }
        return MCPError(
            failure.code == RPCFailure.unsupportedRevision ? .unsupportedRevision : .refused,
            "The server \(name) refused the request: \(reason).")
    }
}
