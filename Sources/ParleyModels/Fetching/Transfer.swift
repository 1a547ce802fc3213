// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request and its answer: hands pieces on as they come and ends exactly once.
final class Transfer: Sendable {
    /// More redirects than this are a circle.
    private static let maximumRedirects = 10

    private enum Phase {
        case idle
        case running(URLSessionTask, CheckedContinuation<Void, any Error>)
        case finished
    }

    private struct State {
        var phase = Phase.idle
        var hasAnswered = false
        var hasResponded = false
        var redirects = 0
        /// Why the transfer was ended from this side.
        var failure: (any Error)?
    }

    private let state = Mutex(State())
    private let request: DownloadRequest
    private let respond: @Sendable (DownloadResponse) throws -> Void
    private let receive: @Sendable (Data) throws -> Void

    init(
        _ request: DownloadRequest, respond: @escaping @Sendable (DownloadResponse) throws -> Void,
        receive: @escaping @Sendable (Data) throws -> Void
    ) {
        self.request = request
        self.respond = respond
        self.receive = receive
    }

    private var host: String { request.url.host() ?? "The server" }

    func run(in session: TransferSession) async throws {
        let task = session.task(for: request.foundationRequest(to: request.url), transfer: self)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // Started under the lock, so that a cancellation comes either before it or after.
                let isStarted = state.withLock { state in
                    if state.failure != nil { return false }
                    state.phase = .running(task, continuation)
                    task.resume()
                    return true
                }
                if !isStarted {
                    session.forget(task)
                    continuation.resume(throwing: CancellationError())
                }
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

    /// What to ask for after a redirect; nil ends the transfer.
    func redirect(to target: URL) -> URLRequest? {
        let redirects = state.withLock { state in
            state.hasAnswered = true
            state.redirects += 1
            return state.redirects
        }
        let isDowngrade = request.url.scheme?.lowercased() == "https" && target.scheme?.lowercased() != "https"
        if isDowngrade || redirects > Self.maximumRedirects {
            let reason = isDowngrade ? "redirects to an address without encryption" : "redirects without end"
            stop(because: ModelStoreError(code: .unreachable, message: "\(host) \(reason)."))
            return nil
        }
        return request.foundationRequest(to: target)
    }

    func receive(_ data: Data, response: URLResponse?) {
        do {
            try announce(response)
            let isWanted = state.withLock { $0.failure == nil }
            if isWanted { try receive(data) }
        } catch {
            stop(because: error)
        }
    }

    /// Hands the head of the answer on, once.
    ///
    /// Only data, or the end, show that the head is the server's: on Linux a proxy's own answer looks like one too.
    private func announce(_ response: URLResponse?) throws {
        let isFirst = state.withLock { state in
            defer { (state.hasAnswered, state.hasResponded) = (true, true) }
            return !state.hasResponded && state.failure == nil
        }
        guard isFirst, let response = response as? HTTPURLResponse else { return }
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields { headers["\(name)"] = "\(value)" }
        try respond(DownloadResponse(status: response.statusCode, headers: headers))
    }

    func finish(_ response: URLResponse?, error: (any Error)?) {
        if error == nil {
            do { try announce(response) } catch { stop(because: error) }
        }
        let (continuation, failure) = state.withLock { state in
            defer { state.phase = .finished }
            if case .running(_, let continuation) = state.phase { return (Optional(continuation), state.failure) }
            return (nil, state.failure)
        }
        if let failure {
            continuation?.resume(throwing: failure)
        } else if let error {
            continuation?.resume(
                throwing: ModelStoreError(
                    code: .unreachable, message: "\(host) cannot be reached (\(error.localizedDescription)).",
                    cause: error))
        } else {
            continuation?.resume()
        }
    }
}
