// SPDX-License-Identifier: Apache-2.0

import Dispatch
package import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// One request and its response: it receives the events of URLSession and provides the head and the pieces of the body.
///
/// The handler of an event blocks while more than ``mostWaiting`` bytes of the body are unread. Reading the body, or
/// stopping the transfer, lets it continue.
package final class Transfer: Sendable {
    /// The maximum number of redirects; more are taken for a loop.
    private static let mostRedirects = 10
    /// The number of unread bytes of the body after which the network connection has to wait.
    private static let mostWaiting = 1 << 20

    private struct State {
        var task: URLSessionTask?
        /// Whether the response has begun; a redirect does not count.
        var hasAnswered = false
        var redirects = 0
        /// The request as it was last sent: to the original address, or to that of the last redirect.
        var current: HTTPRequest
        var head: (status: Int, headers: HTTPHeaders)?
        /// The response that asked for other credentials.
        var refusal: URLResponse?
        /// The number of bytes of the body received so far.
        var received: Int64 = 0
        /// Unread pieces of the body in reverse order: the next one to read is last.
        var pieces: [Data] = []
        /// Unread pieces that follow those in `pieces`, in order.
        var later: [Data] = []
        var waiting = 0
        var isDeliveryHeld = false
        /// The result of the transfer; pieces received before it are read first.
        var end: Result<Void, HTTPError>?
        /// The error with which the transfer was stopped on this side, after which nothing more can be read.
        var failure: (any Error)?
        /// The number of changes so far, with which readers notice those that happen before they begin to wait.
        var news = 0
        var readers: [CheckedContinuation<Void, Never>] = []

        /// Removes and returns the waiting readers, which are to be woken after the lock has been released.
        mutating func takeReaders() -> [CheckedContinuation<Void, Never>] {
            defer { readers = [] }
            news += 1
            return readers
        }

        /// Stores the head of the response, once.
        ///
        /// Only data or the end of the transfer proves that the head is the server's: on Linux, a proxy's own response
        /// looks the same.
        mutating func takeHead(_ response: URLResponse?) {
            hasAnswered = true
            guard head == nil, let response = response as? HTTPURLResponse else { return }
            var headers = HTTPHeaders([:])
            for (name, value) in response.allHeaderFields { headers["\(name)"] = "\(value)" }
            head = (response.statusCode, headers)
        }

        mutating func nextPiece() -> Data? {
            if pieces.isEmpty {
                pieces = later.reversed()
                later = []
            }
            guard let piece = pieces.popLast() else { return nil }
            waiting -= piece.count
            return piece
        }
    }

    private let state: Mutex<State>
    private let request: HTTPRequest
    /// The semaphore on which the handler of an event waits.
    private let room = DispatchSemaphore(value: 0)

    package init(_ request: HTTPRequest) {
        self.request = request
        state = Mutex(State(current: request.redirected(to: request.url)))
    }

    /// Starts the transfer; called on the control queue.
    func start(in session: TransferSession) {
        let (first, failure) = state.withLock { ($0.current, $0.failure) }
        if failure != nil { return }
        let task = session.task(for: urlRequest(first), transfer: self)
        state.withLock { $0.task = task }
        task.resume()
        // If the transfer was stopped in the meantime, there was no task to cancel then.
        if state.withLock({ $0.failure }) != nil { task.cancel() }
    }

    private func urlRequest(_ request: HTTPRequest) -> URLRequest {
        var result = URLRequest(url: request.url)
        result.httpMethod = request.method
        result.httpBody = request.body
        for (name, value) in request.headers.values { result.setValue(value, forHTTPHeaderField: name) }
        // The client's watchdogs keep the limits; that of URLSession would also end an answer that may take longer.
        result.timeoutInterval = 7 * 24 * 3_600
        return result
    }

    // MARK: Reading

    /// Whether the answer has come to its end, and the server has not said that it closes the connection.
    var leavesConnection: Bool {
        state.withLock { state in
            guard case .success? = state.end, state.failure == nil, let head = state.head else { return false }
            return head.headers["connection"]?.lowercased() != "close"
        }
    }

    /// The number of bytes of the body received so far, for the check of the pace.
    ///
    /// It is nil before the server has responded, after it has sent everything, and while received data is unread,
    /// because in that case the delay is not the server's.
    var received: Int64? {
        state.withLock { $0.head == nil || $0.end != nil || $0.waiting > 0 ? nil : $0.received }
    }

    /// Waits for the head of the response.
    ///
    /// - Throws: ``HTTPError``, or `CancellationError`.
    func head() async throws -> (status: Int, headers: HTTPHeaders) {
        try await read { state in
            if let head = state.head { return head }
            guard let end = state.end else { return nil }
            try end.get()
            throw HTTPError(.unreachable, "\(self.request.host) ended the connection without an answer.")
        }
    }

    /// Waits for the next piece of the body and returns it; nil at its end.
    ///
    /// - Throws: ``HTTPError``, or `CancellationError`.
    func next() async throws -> Data? {
        let (piece, isToGoOn) = try await read { state -> (Data?, Bool)? in
            if let piece = state.nextPiece() {
                let isToGoOn = state.isDeliveryHeld && state.waiting <= Self.mostWaiting / 2
                if isToGoOn { state.isDeliveryHeld = false }
                return (piece, isToGoOn)
            }
            try state.end?.get()
            return state.end == nil ? nil : (nil, false)
        }
        if isToGoOn { room.signal() }
        return piece
    }

    /// Waits until `take` returns a value, or the task is cancelled.
    private func read<Value: Sendable>(_ take: (inout State) throws -> Value?) async throws -> Value {
        while true {
            try Task.checkCancellation()
            let (value, seen) = try state.withLock { state in
                if let failure = state.failure { throw failure }
                return (try take(&state), state.news)
            }
            if let value { return value }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isToWait = state.withLock { state in
                        if state.news == seen { state.readers.append(continuation) }
                        return state.news == seen
                    }
                    if !isToWait { continuation.resume() }
                }
            } onCancel: {
                for reader in state.withLock({ $0.takeReaders() }) { reader.resume() }
            }
        }
    }

    // MARK: Ending

    /// Ends a transfer that takes longer than its limit.
    func giveUp(unlessAnswered: Bool) {
        let what = unlessAnswered ? "answer" : "finish"
        stop(
            because: HTTPError(.timedOut, "\(request.host) did not \(what) in time."), unlessAnswered: unlessAnswered)
    }

    /// Ends a transfer that has all but stopped.
    func giveUpStalled() {
        stop(because: HTTPError(.timedOut, "\(request.host) has all but stopped sending."))
    }

    /// Ends a transfer whose connection has ended without an answer.
    func loseConnection() {
        stop(because: HTTPError(.unreachable, "\(request.host) ended the connection without an answer."))
    }

    /// Stops the transfer on this side; with `unlessAnswered`, only if the server has not responded yet. The first
    /// reason is kept.
    func stop(because reason: any Error, unlessAnswered: Bool = false) {
        let (readers, isHeld, task) = state.withLock {
            state -> ([CheckedContinuation<Void, Never>], Bool, URLSessionTask?) in
            if unlessAnswered, state.hasAnswered { return ([], false, nil) }
            defer { state.isDeliveryHeld = false }
            state.failure = state.failure ?? reason
            (state.pieces, state.later, state.waiting) = ([], [], 0)
            return (state.takeReaders(), state.isDeliveryHeld, state.end == nil ? state.task : nil)
        }
        if isHeld { room.signal() }
        if let task { TransferSession.control.async { task.cancel() } }
        for reader in readers { reader.resume() }
    }

    // MARK: Events

    /// Follows a redirect, or ends the transfer if the redirect must not be followed.
    ///
    /// On Linux, calling `answer` after the task was cancelled ends the process. It is therefore called under the lock,
    /// before anything can cancel the task, and not at all if the transfer has been stopped; cancelling then completes
    /// the task.
    package func redirect(to target: URL, status: Int, _ answer: (URLRequest?) -> Void) {
        let readers = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.redirects += 1
            guard state.failure == nil else { return [] }
            guard request.followsRedirects else {
                answer(nil)
                return []
            }
            let withBody = !state.current.losesBody(at: status)
            let refusal = state.current.refusal(ofRedirectTo: target, withBody: withBody)
            if refusal == nil, state.redirects <= Self.mostRedirects {
                state.current = state.current.redirected(to: target, withBody: withBody)
                answer(urlRequest(state.current))
                return []
            }
            state.failure = HTTPError(.refusedRedirect, "\(request.host) \(refusal ?? "redirects without end").")
            answer(nil)
            return state.takeReaders()
        }
        for reader in readers { reader.resume() }
    }

    /// Declines a server's or a proxy's request for credentials, so that its response is the answer.
    ///
    /// Apple's systems then deliver it as any other. On Linux the task is cancelled, and without an answer it would wait
    /// for ever; the body is not read there. As with redirects, `answer` must not be called after the task was cancelled.
    func decline(_ refusal: URLResponse?, _ answer: (URLSession.AuthChallengeDisposition, URLCredential?) -> Void) {
        state.withLock { state in
            guard state.failure == nil else { return }
            state.refusal = refusal
            answer(.rejectProtectionSpace, nil)
        }
    }

    /// Appends a piece of the body, and waits if too much is unread.
    func receive(_ data: Data, response: URLResponse?) {
        let (readers, isHeld) = state.withLock { state in
            state.takeHead(response)
            state.received += Int64(data.count)
            guard state.failure == nil else { return (state.takeReaders(), false) }
            state.later.append(data)
            state.waiting += data.count
            state.isDeliveryHeld = state.waiting > Self.mostWaiting
            return (state.takeReaders(), state.isDeliveryHeld)
        }
        for reader in readers { reader.resume() }
        if isHeld { room.wait() }
    }

    /// Records the end of the body or its error.
    func finish(_ response: URLResponse?, error: (any Error)?) {
        let readers = state.withLock { state in
            if error == nil || state.refusal != nil { state.takeHead(state.refusal ?? response) }
            state.end = .success(())
            if let error, state.refusal == nil {
                let message = "\(request.host) cannot be reached (\(error.localizedDescription))."
                state.end = .failure(HTTPError(.unreachable, message, cause: error))
            }
            return state.takeReaders()
        }
        for reader in readers { reader.resume() }
    }
}
