// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import ParleySystem
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An HTTP client that uses Foundation's `URLSession`.
///
/// It uses the proxies given by the environment variables `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` (in upper or lower
/// case) and `http_proxy` (in lower case alone, as other programs do). It follows up to ten redirects, but never from the
/// internet to this machine or its network, nor from HTTPS to HTTP. Connections are kept open between the requests of a
/// client, unless it is told otherwise. Cookies and responses are not stored.
///
/// On Linux, waiting for an answer on a new connection takes all of a processor core. Before a request whose answer may
/// take more than a minute the server is therefore sent another one, `HEAD /`, on the same connection; it has no headers
/// of the request, and no answer to it matters. A connection that has just been used needs none. Only bodies of more than
/// 64 KiB still take that core.
public struct URLSessionClient: HTTPClient {
    private let session: TransferSession
    private let environment: ProcessEnvironment
    private let reusesConnections: Bool
    private let clock: any Clock<Duration>

    /// Creates a client.
    ///
    /// A request without a body may be sent again by the system, if the server closes a connection that was used before
    /// without an answer; one with a body fails then. Where neither must happen, each request needs a connection of its
    /// own.
    ///
    /// - Parameters:
    ///   - environment: gives the proxies; on Linux, libcurl reads the process's environment instead.
    ///   - reusesConnections: whether connections are kept open for later requests, of which each host then gets up to
    ///     eight.
    public init(environment: ProcessEnvironment = .process, reusesConnections: Bool = true) {
        self.init(environment: environment, reusesConnections: reusesConnections, clock: ContinuousClock())
    }

    /// Creates a client whose limits of time are counted on a clock; where that stands still, there are none.
    package init(
        environment: ProcessEnvironment = .process, reusesConnections: Bool = true, clock: any Clock<Duration>
    ) {
        session = TransferSession(environment, clock)
        self.environment = environment
        self.reusesConnections = reusesConnections
        self.clock = clock
    }

    /// Sends a request; see ``HTTPClient``.
    ///
    /// - Throws: ``HTTPError``, any error of the closure, or `CancellationError`.
    public func withResponse<Result: Sendable>(
        to request: HTTPRequest, _ use: (HTTPResponse) async throws -> Result
    ) async throws -> Result {
        try request.check()
        let session = reusesConnections ? session : TransferSession(environment, clock)
        let isWarm = session.takesWarmConnection(to: request.url)
        if !isWarm, let greeting = request.greeting {
            _ = try? await exchange(greeting, in: session, isGreeting: true) { response in
                for try await _ in response.body {}
            }
            try Task.checkCancellation()
        }
        return try await exchange(request, in: session, use)
    }

    private func exchange<Result: Sendable>(
        _ request: HTTPRequest, in session: TransferSession, isGreeting: Bool = false,
        _ use: (HTTPResponse) async throws -> Result
    ) async throws -> Result {
        let transfer = Transfer(request)
        return try await withTaskCancellationHandler {
            try await withThrowingDiscardingTaskGroup { group in
                for watchdog in watchdogs(of: transfer, request.limits) { group.addTask(operation: watchdog) }
                defer {
                    group.cancelAll()
                    transfer.stop(because: CancellationError())
                }
                session.start(transfer)
                let (status, headers) = try await transfer.head()
                let body = HTTPBody(from: request.host) { try await transfer.next() }
                let result = try await use(HTTPResponse(status: status, headers: headers, body: body))
                if transfer.leavesConnection, !isGreeting { session.keepsConnection(to: request.url) }
                return result
            }
        } onCancel: {
            transfer.stop(because: CancellationError())
        }
    }

    /// Tasks that end a transfer which exceeds its time limits. URLSession itself knows only one limit for every silence,
    /// which is not used.
    private func watchdogs(
        of transfer: Transfer, _ limits: HTTPTimeLimits
    ) -> [@Sendable () async -> Void] {
        var watchdogs: [@Sendable () async -> Void] = [
            {
                guard await passed(limits.answer) else { return }
                transfer.giveUp(unlessAnswered: true)
            }
        ]
        if let whole = limits.whole {
            watchdogs.append {
                guard await passed(whole) else { return }
                transfer.giveUp(unlessAnswered: false)
            }
        }
        if let pace = limits.pace {
            watchdogs.append {
                var watch = StallWatch(pace)
                while await passed(pace.interval) {
                    if watch.isStalled(at: transfer.received) { return transfer.giveUpStalled() }
                }
            }
        }
        return watchdogs
    }

    /// Waits until a time has passed; false if the transfer ends before, or the time is no limit.
    private func passed(_ time: Duration) async -> Bool {
        guard let time = time.foreseeable else { return false }
        return (try? await clock.sleep(for: time)) != nil
    }
}

/// The `URLSession` of a client, created when first needed and invalidated when neither a client nor a transfer uses
/// it.
final class TransferSession: Sendable {
    private let session = Mutex<URLSession?>(nil)
    private let router = TransferRouter()
    private let warm = Mutex(WarmConnections())
    private let environment: ProcessEnvironment
    /// The time since the session was created.
    private let age: @Sendable () -> Duration
    /// The queue on which tasks are started and cancelled and sessions ended. On Linux, each of these waits for the one
    /// thread that serves all sessions, which may itself be waiting for data to be read. Neither Swift tasks nor
    /// handlers of events may therefore do it.
    static let control = DispatchQueue(label: "parley.transfer-control")

    init(_ environment: ProcessEnvironment, _ clock: any Clock<Duration>) {
        self.environment = environment
        age = clock.stopwatch()
    }

    deinit {
        guard let session = session.withLock({ $0 }) else { return }
        Self.control.async { session.invalidateAndCancel() }
    }

    /// Whether the next request to a server likely finds a connection that is open; it is that request's from now on.
    func takesWarmConnection(to url: URL) -> Bool { warm.withLock { $0.take(url.origin, now: age()) } }

    /// Notes that a connection to a server waits for another request.
    func keepsConnection(to url: URL) { warm.withLock { $0.give(url.origin, now: age()) } }

    /// Starts a transfer.
    func start(_ transfer: Transfer) {
        Self.control.async { transfer.start(in: self) }
    }

    /// Creates a task whose events go to a transfer, which keeps the session alive until the task has ended.
    func task(for request: URLRequest, transfer: Transfer) -> URLSessionTask {
        let session = session.withLock { session in
            let made = session ?? makeSession()
            session = made
            return made
        }
        let task = session.dataTask(with: request)
        router.add(transfer, of: self, for: task)
        return task
    }

    private func makeSession() -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpMaximumConnectionsPerHost = 8
        configuration.useProxies(from: environment)
        return URLSession(configuration: configuration, delegate: router, delegateQueue: .bounded())
    }
}

/// Passes the events of a session to the transfers they belong to.
private final class TransferRouter: NSObject, URLSessionDataDelegate, Sendable {
    private let transfers = Mutex<[Int: (transfer: Transfer, session: TransferSession)]>([:])

    func add(_ transfer: Transfer, of session: TransferSession, for task: URLSessionTask) {
        transfers.withLock { $0[task.taskIdentifier] = (transfer, session) }
    }

    private func transfer(of task: URLSessionTask) -> Transfer? {
        transfers.withLock { $0[task.taskIdentifier]?.transfer }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let target = request.url, let transfer = transfer(of: task) else { return completionHandler(nil) }
        transfer.redirect(to: target, status: response.statusCode, completionHandler)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // A challenge without a response is about certificates, which are the system's business.
        guard let refusal = challenge.failureResponse, let transfer = transfer(of: task) else {
            return completionHandler(.performDefaultHandling, nil)
        }
        transfer.decline(refusal, completionHandler)
    }

    /// On Linux, this is asked for when the system is about to send a request again, because its connection, which was
    /// used before, has ended without an answer. The server may have begun with it.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        transfer(of: task)?.loseConnection()
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        transfer(of: dataTask)?.receive(data, response: dataTask.response)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        // Releasing the last reference to a session ends it, which must not happen under the lock.
        let ended = transfers.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        ended?.transfer.finish(task.response, error: error)
    }
}
