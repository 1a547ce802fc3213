// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The `URLSession` of a downloader: it is made when first needed and goes with its owner.
final class TransferSession: Sendable {
    /// How long a connection may stay silent after the server has answered, in seconds.
    private static let idleTimeout: TimeInterval = 60

    private let session = Mutex<URLSession?>(nil)
    private let router = TransferRouter()

    deinit { session.withLock { $0?.invalidateAndCancel() } }

    /// Makes a task whose events go to a transfer. The caller starts it, and the transfer holds on to it.
    func task(for request: URLRequest, transfer: Transfer) -> URLSessionTask {
        let session = session.withLock { session in
            let made = session ?? makeSession()
            session = made
            return made
        }
        let task = session.dataTask(with: request)
        router.add(transfer, for: task)
        return task
    }

    /// Lets go of a task that was never started.
    func forget(_ task: URLSessionTask) {
        router.remove(task)
    }

    private func makeSession() -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = Self.idleTimeout
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpMaximumConnectionsPerHost = 8
        configuration.useProxies(from: ProcessInfo.processInfo.environment)
        return URLSession(configuration: configuration, delegate: router, delegateQueue: .bounded())
    }
}

/// Hands the events of a session to the transfers they belong to.
private final class TransferRouter: NSObject, URLSessionDataDelegate, Sendable {
    private let transfers = Mutex<[Int: Transfer]>([:])

    func add(_ transfer: Transfer, for task: URLSessionTask) {
        transfers.withLock { $0[task.taskIdentifier] = transfer }
    }

    @discardableResult
    func remove(_ task: URLSessionTask) -> Transfer? {
        transfers.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    }

    private func transfer(of task: URLSessionTask) -> Transfer? {
        transfers.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(request.url.flatMap { transfer(of: task)?.redirect(to: $0) })
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        transfer(of: dataTask)?.receive(data, response: dataTask.response)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        remove(task)?.finish(task.response, error: error)
    }
}
