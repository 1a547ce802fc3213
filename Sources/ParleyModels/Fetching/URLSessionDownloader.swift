// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Downloads with Foundation's `URLSession`.
///
/// The proxies that the environment names (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`, in either case) are used.
public struct URLSessionDownloader: FileDownloader {
    /// How long a connection may stay silent after the server has answered, in seconds.
    private static let idleTimeout: TimeInterval = 60

    /// Creates a downloader.
    public init() {}

    /// Downloads a file piece by piece; see ``FileDownloader``.
    public func download(
        _ url: URL, connectTimeout: Duration, receive: @escaping @Sendable (Data) throws -> Void
    ) async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = Self.idleTimeout
        configuration.useProxies(from: ProcessInfo.processInfo.environment)
        let transfer = Transfer(host: url.host() ?? "the server", receive: receive)
        let session = URLSession(configuration: configuration, delegate: transfer, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        let task = session.dataTask(with: url)

        // The watchdog ends with the download: URLSession itself has one timeout only, and it is meant for silence
        // within a transfer.
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await transfer.run(task)
                return true
            }
            group.addTask {
                try await Task.sleep(for: connectTimeout)
                transfer.giveUpUnlessAnswered()
                return false
            }
            defer { group.cancelAll() }
            for try await isFinished in group where isFinished { return }
        }
    }
}

/// One download: hands pieces on as they come and ends exactly once.
private final class Transfer: NSObject, URLSessionDataDelegate, Sendable {
    private enum Phase {
        case idle
        case running(URLSessionTask, CheckedContinuation<Void, any Error>)
        case finished
    }

    private struct State {
        var phase = Phase.idle
        var hasAnswered = false
        /// Why the transfer was ended from this side.
        var failure: (any Error)?
    }

    private let state = Mutex(State())
    private let host: String
    private let receive: @Sendable (Data) throws -> Void

    init(host: String, receive: @escaping @Sendable (Data) throws -> Void) {
        self.host = host
        self.receive = receive
    }

    func run(_ task: URLSessionTask) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let cancelled = state.withLock { state in
                    guard state.failure == nil else { return true }
                    state.phase = .running(task, continuation)
                    return false
                }
                if cancelled { continuation.resume(throwing: CancellationError()) } else { task.resume() }
            }
        } onCancel: {
            stop(because: CancellationError())
        }
    }

    func giveUpUnlessAnswered() {
        if state.withLock({ $0.hasAnswered }) { return }
        stop(because: ModelStoreError(code: .unreachable, message: "\(host) did not answer in time."))
    }

    /// Ends the transfer from this side; the first reason counts.
    private func stop(because reason: any Error) {
        let task = state.withLock { state -> URLSessionTask? in
            state.failure = state.failure ?? reason
            if case .running(let task, _) = state.phase { return task }
            return nil
        }
        task?.cancel()
    }

    private func finish(with error: (any Error)?) {
        let continuation = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            defer { state.phase = .finished }
            if case .running(_, let continuation) = state.phase { return continuation }
            return nil
        }
        if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        // On Linux a proxy's own answer comes here too, so that only data show that the server has answered.
        if let status = (response as? HTTPURLResponse)?.statusCode, status != 200 {
            stop(because: ModelStoreError(code: .unreachable, message: "\(host) answered with status \(status)."))
        }
        completionHandler(.allow)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        state.withLock { $0.hasAnswered = true }
        completionHandler(request)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isWanted = state.withLock { state in
            state.hasAnswered = true
            return state.failure == nil
        }
        guard isWanted else { return }
        do { try receive(data) } catch { stop(because: error) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if let reason = state.withLock({ $0.failure }) {
            finish(with: reason)
        } else if let error {
            finish(
                with: ModelStoreError(
                    code: .unreachable, message: "\(host) cannot be reached (\(error.localizedDescription)).",
                    cause: error))
        } else {
            finish(with: nil)
        }
    }
}
