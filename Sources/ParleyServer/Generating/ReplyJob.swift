// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyOpenAI
import Synchronization

/// The work on one request for replies, from its admission to its last event, in a task of its own.
///
/// The task ends when the job is cancelled. Events are kept until they are taken: a client that leaves more
/// than a limit unread counts as gone.
final class ReplyJob: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var clock: Task<Void, any Error>?
        var unread = 0
        var end: ServerError?
        var isCancelled = false
    }

    /// What happens, in order; ``ReplyEvent/failed(_:)`` or ``ReplyEvent/end`` is the last event, unless the job was
    /// cancelled.
    let events: AsyncStream<ReplyEvent>
    private let continuation: AsyncStream<ReplyEvent>.Continuation
    /// No other lock is taken while this one is held.
    private let state = Mutex(State())
    private let limits: ServerLimits

    init(limits: ServerLimits) {
        self.limits = limits
        (events, continuation) = AsyncStream.makeStream()
    }

    /// Whether the client has gone, or the job has been ended.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Begins the work.
    ///
    /// - Parameter body: the work; it passes what happens to ``yield(_:)``.
    func start(_ body: @escaping @Sendable (ReplyJob) async throws -> Void) {
        let clock = Task { [weak self] in
            while true {
                try await Task.sleep(for: .milliseconds(500))
                guard let self else { return }
                continuation.yield(.tick(.now))
            }
        }
        let task = Task { await run(body) }
        let isCancelled = state.withLock { state in
            (state.task, state.clock) = (task, clock)
            return state.isCancelled || state.end != nil
        }
        if isCancelled { task.cancel() }
    }

    private func run(_ body: (ReplyJob) async throws -> Void) async {
        do {
            try await body(self)
            finish(.end)
        } catch {
            let end = state.withLock { state in state.end ?? (state.isCancelled ? .disconnected : nil) }
            finish(.failed(end ?? ServerError(answering: error)))
        }
    }

    private func finish(_ event: ReplyEvent) {
        yield(event)
        continuation.finish()
        state.withLock { $0.clock }?.cancel()
    }

    /// Ends the work because the client has gone, or for another reason that the client is told.
    func cancel(_ reason: ServerError? = nil) {
        let task = state.withLock { state in
            if state.end == nil { state.end = reason }
            state.isCancelled = state.isCancelled || reason == nil
            return state.task
        }
        task?.cancel()
    }

    /// Passes on what happens.
    func yield(_ event: ReplyEvent) {
        let isTooMuch = state.withLock { state in
            state.unread += event.byteCount
            return state.unread > limits.unreadBytes
        }
        continuation.yield(event)
        if isTooMuch { cancel() }
    }

    /// Notes that an event has been taken.
    func take(_ event: ReplyEvent) {
        state.withLock { $0.unread -= event.byteCount }
    }
}

extension ReplyEvent {
    /// About how many bytes the event takes on the way to the client; none where it is a prompt's, which comes as a whole
    /// before any of it can be taken, and is as long as the client has made it.
    fileprivate var byteCount: Int {
        switch self {
        case .response(.chunk(let text), _), .response(.reasoningChunk(let text), _): text.utf8.count + 200
        case .probabilities(let list, _): list.reduce(0) { $0 + 100 * (1 + $1.top.count) }
        default: 0
        }
    }
}
