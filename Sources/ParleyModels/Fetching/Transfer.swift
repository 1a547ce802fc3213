// SPDX-License-Identifier: Apache-2.0

import Dispatch
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
        var received: Int64 = 0
        /// Why the transfer was ended from this side.
        var failure: (any Error)?
    }

    private let state = Mutex(State())
    private let url: URL
    private let followsRedirects: Bool
    private let request: @Sendable (URL) -> URLRequest
    private let respond: @Sendable (_ status: Int, _ headers: [String: String]) throws -> Void
    private let receive: @Sendable (Data) throws -> Void

    /// - Parameters:
    ///   - url: where the request goes first.
    ///   - followsRedirects: whether a redirect is followed; else it is the answer.
    ///   - request: makes the request to that address, or to one it is redirected to. Redirected requests are made anew,
    ///     because systems differ in which headers they carry over.
    ///   - respond: called once, before any piece of the body.
    ///   - receive: called with each piece of the body.
    init(
        to url: URL, followsRedirects: Bool = true, request: @escaping @Sendable (URL) -> URLRequest,
        respond: @escaping @Sendable (_ status: Int, _ headers: [String: String]) throws -> Void,
        receive: @escaping @Sendable (Data) throws -> Void
    ) {
        self.url = url
        self.followsRedirects = followsRedirects
        self.request = request
        self.respond = respond
        self.receive = receive
    }

    private var host: String { url.host() ?? "The server" }

    func run(in session: TransferSession) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                Self.control.async { self.start(in: session, continuation) }
            }
        } onCancel: {
            stop(because: CancellationError())
        }
    }

    /// Where tasks are started and cancelled: on Linux both wait until the session's own thread has time, and that may be
    /// waiting for room in the queue of events. So neither a task of Swift's nor the handler of an event may do it.
    private static let control = DispatchQueue(label: "parley.transfer-control")

    private func start(in session: TransferSession, _ continuation: CheckedContinuation<Void, any Error>) {
        if let failure = state.withLock({ $0.failure }) { return continuation.resume(throwing: failure) }
        let task = session.task(for: request(url), transfer: self)
        state.withLock { $0.phase = .running(task, continuation) }
        task.resume()
        // Whoever stopped it meanwhile found no task to cancel.
        if state.withLock({ $0.failure }) != nil { task.cancel() }
    }

    /// The bytes of the body that have come; nil before the server has answered.
    var received: Int64? { state.withLock { $0.hasResponded ? $0.received : nil } }

    /// Ends a transfer that takes too long.
    func giveUp(unlessAnswered: Bool) {
        if unlessAnswered, state.withLock({ $0.hasAnswered }) { return }
        let what = unlessAnswered ? "answer" : "finish"
        stop(because: ModelStoreError(code: .unreachable, message: "\(host) did not \(what) in time."))
    }

    /// Ends a transfer that goes on but brings next to nothing.
    func giveUpStalled() {
        stop(because: ModelStoreError(code: .unreachable, message: "\(host) has all but stopped sending."))
    }

    /// Ends the transfer from this side; the first reason counts.
    private func stop(because reason: any Error) {
        let task = state.withLock { state -> URLSessionTask? in
            state.failure = state.failure ?? reason
            if case .running(let task, _) = state.phase { return task }
            return nil
        }
        if let task { Self.control.async { task.cancel() } }
    }

    /// Follows a redirect, or ends the transfer where it must not be followed.
    ///
    /// On Linux an answer that comes after the task was cancelled ends the process. So the answer is given under the lock,
    /// before anybody can cancel, and a transfer that was ended before gives none: cancelling completes its task.
    func redirect(to target: URL, _ answer: (URLRequest?) -> Void) {
        let refusal = url.refusal(ofSendingTo: target)
        state.withLock { state in
            state.hasAnswered = true
            state.redirects += 1
            guard state.failure == nil else { return }
            guard followsRedirects else { return answer(nil) }
            guard refusal != nil || state.redirects > Self.maximumRedirects else {
                return answer(request(target))
            }
            let reason = refusal ?? "redirects without end"
            state.failure = ModelStoreError(code: .unreachable, message: "\(host) \(reason).")
            answer(nil)
        }
    }

    func receive(_ data: Data, response: URLResponse?) {
        do {
            try announce(response)
            let isWanted = state.withLock { state in
                state.received += Int64(data.count)
                return state.failure == nil
            }
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
        try respond(response.statusCode, headers)
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
