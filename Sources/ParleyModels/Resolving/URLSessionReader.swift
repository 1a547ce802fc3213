// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Reads from the web with Foundation's `URLSession`.
///
/// The proxies that the environment names are used, as ``URLSessionDownloader`` does.
public struct URLSessionReader: WebReader {
    /// How long a server may stay silent, in seconds.
    private static let idleTimeout: Double = 20
    /// How long an answer may take altogether, in seconds.
    private static let wholeTimeout: Double = 120

    /// Creates a reader.
    public init() {}

    /// Sends a request; see ``WebReader``.
    public func answer(to request: WebRequest) async throws -> WebAnswer {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = Self.idleTimeout
        configuration.timeoutIntervalForResource = Self.wholeTimeout
        configuration.useProxies(from: ProcessInfo.processInfo.environment)
        var foundationRequest = URLRequest(url: request.url)
        foundationRequest.httpMethod = request.method
        for (name, value) in request.headers { foundationRequest.setValue(value, forHTTPHeaderField: name) }
        let exchange = Exchange(request)
        let session = URLSession(configuration: configuration, delegate: exchange, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        return try await exchange.run(session.dataTask(with: foundationRequest))
    }
}

/// One request and its answer; ends exactly once.
private final class Exchange: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        var continuation: CheckedContinuation<WebAnswer, any Error>?
        var task: URLSessionTask?
        var body = Data()
        /// Why the exchange was ended from this side.
        var failure: (any Error)?
    }

    private let request: WebRequest
    private let state = Mutex(State())

    init(_ request: WebRequest) {
        self.request = request
    }

    func run(_ task: URLSessionTask) async throws -> WebAnswer {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let failure = state.withLock { state in
                    if state.failure == nil { (state.continuation, state.task) = (continuation, task) }
                    return state.failure
                }
                if let failure { continuation.resume(throwing: failure) } else { task.resume() }
            }
        } onCancel: {
            stop(because: CancellationError())
        }
    }

    private func stop(because reason: any Error) {
        let task = state.withLock { state in
            state.failure = state.failure ?? reason
            return state.task
        }
        task?.cancel()
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest next: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        guard request.followsRedirects else { return completionHandler(nil) }
        var next = next
        // A token is for the host it was meant for.
        if next.url?.origin != request.url.origin { next.setValue(nil, forHTTPHeaderField: "Authorization") }
        completionHandler(next)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = state.withLock { state in
            if state.body.count + data.count <= request.limit { state.body.append(data) } else { return true }
            return false
        }
        guard isTooLong else { return }
        stop(
            because: ModelStoreError(
                code: .unreachable,
                message: "\(request.url.host() ?? "The server") sent more than the \(request.limit >> 10) KiB that "
                    + "were expected."))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let (continuation, failure, body) = state.withLock { state in
            defer { state.continuation = nil }
            return (state.continuation, state.failure, state.body)
        }
        if let failure {
            continuation?.resume(throwing: failure)
        } else if let response = task.response as? HTTPURLResponse, error == nil {
            var headers: [String: String] = [:]
            for (name, value) in response.allHeaderFields { headers["\(name)"] = "\(value)" }
            continuation?.resume(returning: WebAnswer(status: response.statusCode, headers: headers, body: body))
        } else {
            let reason = error.map { " (\($0.localizedDescription))" } ?? ""
            continuation?.resume(
                throwing: ModelStoreError(
                    code: .unreachable,
                    message: "\(request.url.host() ?? "The server") cannot be reached\(reason). Check the network and "
                        + "the proxy (HTTPS_PROXY).", cause: error))
        }
    }
}
