// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An HTTP client over Foundation's `URLSession`.
///
/// The proxies that the environment names (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`, in either case) are
/// used. Up to ten redirects are followed, from the web neither to this machine's network nor out of encryption.
/// Connections are kept between the requests of one client. It keeps no cookies and no cache.
public struct URLSessionClient: HTTPClient {
    private let session: TransferSession

    /// Creates a client.
    ///
    /// - Parameter environment: names the proxies. On Linux libcurl reads the process's own instead.
    public init(environment: ProcessEnvironment = .process) {
        session = TransferSession(environment)
    }

    /// Sends a request; see ``HTTPClient``.
    ///
    /// - Throws: ``HTTPError``, what the closure throws, or `CancellationError`.
    public func withResponse<Result: Sendable>(
        to request: HTTPRequest, _ use: (HTTPResponse) async throws -> Result
    ) async throws -> Result {
        try request.check()
        let transfer = Transfer(request)
        return try await withTaskCancellationHandler {
            try await withThrowingDiscardingTaskGroup { group in
                for watchdog in Self.watchdogs(of: transfer, request.limits) { group.addTask(operation: watchdog) }
                defer {
                    group.cancelAll()
                    transfer.stop(because: CancellationError())
                }
                session.start(transfer)
                let (status, headers) = try await transfer.head()
                let body = HTTPBody(from: request.host) { try await transfer.next() }
                return try await use(HTTPResponse(status: status, headers: headers, body: body))
            }
        } onCancel: {
            transfer.stop(because: CancellationError())
        }
    }

    /// What ends a transfer that takes too long. URLSession itself has one timeout only, for silence within a transfer.
    private static func watchdogs(
        of transfer: Transfer, _ limits: HTTPTimeLimits
    ) -> [@Sendable () async -> Void] {
        var watchdogs: [@Sendable () async -> Void] = [
            {
                guard (try? await Task.sleep(for: limits.answer)) != nil else { return }
                transfer.giveUp(unlessAnswered: true)
            }
        ]
        if let whole = limits.whole {
            watchdogs.append {
                guard (try? await Task.sleep(for: whole)) != nil else { return }
                transfer.giveUp(unlessAnswered: false)
            }
        }
        if let pace = limits.pace {
            watchdogs.append {
                var watch = StallWatch(pace)
                while (try? await Task.sleep(for: pace.interval)) != nil {
                    if watch.isStalled(at: transfer.received) { return transfer.giveUpStalled() }
                }
            }
        }
        return watchdogs
    }
}

/// The `URLSession` of a client: it is made when first needed, and goes when neither its client nor a transfer needs it.
final class TransferSession: Sendable {
    private let session = Mutex<URLSession?>(nil)
    private let router = TransferRouter()
    private let environment: ProcessEnvironment
    /// Where tasks are started and cancelled and sessions ended: on Linux each waits until the one thread of all sessions
    /// has time, and that may be waiting for somebody to read. So neither a task of Swift's nor the handler of an event
    /// may do it.
    static let control = DispatchQueue(label: "parley.transfer-control")

    init(_ environment: ProcessEnvironment) {
        self.environment = environment
    }

    deinit {
        guard let session = session.withLock({ $0 }) else { return }
        Self.control.async { session.invalidateAndCancel() }
    }

    /// Starts a transfer.
    func start(_ transfer: Transfer) {
        Self.control.async { transfer.start(in: self) }
    }

    /// Makes a task whose events go to a transfer, which keeps the session until the task has ended.
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

/// Hands the events of a session to the transfers they belong to.
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
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        guard let target = request.url, let transfer = transfer(of: task) else { return completionHandler(nil) }
        transfer.redirect(to: target, status: response.statusCode, completionHandler)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        transfer(of: dataTask)?.receive(data, response: dataTask.response)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        // Letting go of the last session ends it, which is not done under the lock.
        let ended = transfers.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        ended?.transfer.finish(task.response, error: error)
    }
}
