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

    /// Carries a transfer out.
    ///
    /// URLSession itself has one timeout only, and it is meant for silence within a transfer.
    ///
    /// - Parameters:
    ///   - transfer: the transfer.
    ///   - answerTime: how long the server may take to answer at all.
    ///   - wholeTime: how long the transfer may take; nil for as long as the watch allows.
    ///   - watch: finds out whether next to nothing comes.
    /// - Throws: what the transfer throws, also when it is given up.
    func run(
        _ transfer: Transfer, answerTime: Duration, wholeTime: Duration? = nil, watch: StallWatch = StallWatch()
    ) async throws {
        // The watchdogs end with the transfer.
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await transfer.run(in: self)
                return true
            }
            group.addTask {
                try await Task.sleep(for: answerTime)
                transfer.giveUp(unlessAnswered: true)
                return false
            }
            group.addTask {
                var watch = watch
                while true {
                    try await Task.sleep(for: watch.interval)
                    if watch.isStalled(at: transfer.received) {
                        transfer.giveUpStalled()
                        return false
                    }
                }
            }
            if let wholeTime {
                group.addTask {
                    try await Task.sleep(for: wholeTime)
                    transfer.giveUp(unlessAnswered: false)
                    return false
                }
            }
            defer { group.cancelAll() }
            for try await isFinished in group where isFinished { return }
        }
    }

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

    private func remove(_ task: URLSessionTask) -> Transfer? {
        transfers.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    }

    private func transfer(of task: URLSessionTask) -> Transfer? {
        transfers.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        guard let target = request.url, let transfer = transfer(of: task) else { return completionHandler(nil) }
        transfer.redirect(to: target, completionHandler)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        transfer(of: dataTask)?.receive(data, response: dataTask.response)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        remove(task)?.finish(task.response, error: error)
    }
}
