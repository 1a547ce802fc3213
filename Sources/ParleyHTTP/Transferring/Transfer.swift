// SPDX-License-Identifier: Apache-2.0

import Dispatch
package import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// One request and its answer: events of URLSession go in, the head and the pieces of the body come out.
///
/// The handler of an event waits while more of the body is here than ``mostWaiting``. Whoever reads, or stops the
/// transfer, lets it go on.
package final class Transfer: Sendable {
    /// More redirects than this are a circle.
    private static let mostRedirects = 10
    /// How many bytes of the body wait to be read before the network has to wait.
    private static let mostWaiting = 1 << 20

    private struct State {
        var task: URLSessionTask?
        /// Whether the answer has begun; a redirect is none.
        var hasAnswered = false
        var redirects = 0
        /// The request as it was last sent: to the first address, or to the one that the last redirect named.
        var current: HTTPRequest
        var head: (status: Int, headers: HTTPHeaders)?
        /// The bytes of the body that have come.
        var received: Int64 = 0
        /// What has come and has not been read, the next piece last.
        var pieces: [Data] = []
        /// What came after it, the next piece first.
        var later: [Data] = []
        var waiting = 0
        var isDeliveryHeld = false
        /// How the transfer ended; what came before is read first.
        var end: Result<Void, HTTPError>?
        /// Why the transfer was ended from this side, after which nothing is read any more.
        var failure: (any Error)?
        /// How often something has happened, so that nobody waits for what happened meanwhile.
        var news = 0
        var readers: [CheckedContinuation<Void, Never>] = []

        /// Whoever waits for news, to be woken outside of the lock.
        mutating func takeReaders() -> [CheckedContinuation<Void, Never>] {
            defer { readers = [] }
            news += 1
            return readers
        }

        /// Takes the head of the answer in, once.
        ///
        /// Only data, or the end, show that the head is the server's: on Linux a proxy's own answer looks like one too.
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
    /// What a handler waits at.
    private let room = DispatchSemaphore(value: 0)

    package init(_ request: HTTPRequest) {
        self.request = request
        state = Mutex(State(current: request.redirected(to: request.url)))
    }

    /// Starts the transfer; called on the queue for that.
    func start(in session: TransferSession) {
        let (first, failure) = state.withLock { ($0.current, $0.failure) }
        if failure != nil { return }
        let task = session.task(for: urlRequest(first), transfer: self)
        state.withLock { $0.task = task }
        task.resume()
        // Whoever stopped it meanwhile found no task to cancel.
        if state.withLock({ $0.failure }) != nil { task.cancel() }
    }

    private func urlRequest(_ request: HTTPRequest) -> URLRequest {
        var result = URLRequest(url: request.url)
        result.httpMethod = request.method
        result.httpBody = request.body
        for (name, value) in request.headers.values { result.setValue(value, forHTTPHeaderField: name) }
        let silence = request.limits.pace.map { max($0.interval, .seconds(60)) } ?? .seconds(7 * 24 * 3_600)
        result.timeoutInterval = TimeInterval(silence.components.seconds)
        return result
    }

    // MARK: Reading

    /// The bytes of the body that have come; nil before the server has answered, after it has sent all, and while what
    /// came waits for its reader, for then it is not the server that is slow.
    var received: Int64? {
        state.withLock { $0.head == nil || $0.end != nil || $0.waiting > 0 ? nil : $0.received }
    }

    /// The head of the answer.
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

    /// The next piece of the body; nil at its end.
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

    /// Waits until there is something to take, or the task that reads is cancelled.
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

    /// Ends a transfer that takes too long.
    func giveUp(unlessAnswered: Bool) {
        let what = unlessAnswered ? "answer" : "finish"
        stop(
            because: HTTPError(.timedOut, "\(request.host) did not \(what) in time."), unlessAnswered: unlessAnswered)
    }

    /// Ends a transfer that goes on but brings next to nothing.
    func giveUpStalled() {
        stop(because: HTTPError(.timedOut, "\(request.host) has all but stopped sending."))
    }

    /// Ends the transfer from this side, or with `unlessAnswered` only where the server has sent nothing; the first
    /// reason counts.
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

    /// Follows a redirect, or ends the transfer where it must not be followed.
    ///
    /// On Linux an answer that comes after the task was cancelled ends the process. So the answer is given under the lock,
    /// before anybody can cancel, and a transfer that was ended before gives none: cancelling completes its task.
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

    /// Takes a piece of the body in, and waits where too many are here already.
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

    /// Ends the body.
    func finish(_ response: URLResponse?, error: (any Error)?) {
        let readers = state.withLock { state in
            if error == nil { state.takeHead(response) }
            state.end = .success(())
            if let error {
                let message = "\(request.host) cannot be reached (\(error.localizedDescription))."
                state.end = .failure(HTTPError(.unreachable, message, cause: error))
            }
            return state.takeReaders()
        }
        for reader in readers { reader.resume() }
    }
}
