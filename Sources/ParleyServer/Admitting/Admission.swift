// SPDX-License-Identifier: Apache-2.0

import ParleyOpenAI
import Synchronization

/// Lets requests for a model run as its ``FairQueue`` decides.
final class Admission: Sendable {
    private struct State {
        var queue: FairQueue
        var nextTicket = 0
        var waiting: [FairQueue.Ticket: CheckedContinuation<Void, any Error>] = [:]
        /// Requests that may run or are removed before they have begun to wait.
        var early: [FairQueue.Ticket: Result<Void, any Error>] = [:]
    }

    /// What runs and waits.
    struct Counts: Hashable, Sendable {
        var running: Int
        var waiting: Int
        var longestWait: Duration?
    }

    /// No other lock is taken while this one is held: continuations are resumed after its release.
    private let state: Mutex<State>
    private let patience: Duration

    init(parallel: Int, capacity: Int, patience: Duration) {
        state = Mutex(State(queue: FairQueue(parallel: parallel, capacity: capacity, patience: patience)))
        self.patience = patience
    }

    /// How many requests run and wait.
    var counts: Counts {
        state.withLock { state in
            Counts(
                running: state.queue.running.count, waiting: state.queue.waitingCount,
                longestWait: state.queue.longestWait(now: .now))
        }
    }

    /// Runs work when it is the request's turn.
    ///
    /// - Parameters:
    ///   - client: what the queue shares turns over.
    ///   - cost: how much it takes, in tokens.
    ///   - onWait: called if the request has to wait, with the number of those that do.
    ///   - body: the work.
    /// - Returns: what the work returns.
    /// - Throws: ``ServerError`` with code `queue_full` or `queue_timeout`; `CancellationError` if the task is cancelled
    ///   while the request waits; any error of `body`.
    func run<Value>(
        of client: String, cost: Int, onWait: (Int) -> Void = { _ in }, _ body: () async throws -> Value
    ) async throws -> Value {
        let (ticket, arrival) = state.withLock { state in
            state.nextTicket += 1
            return (
                state.nextTicket, state.queue.arrive(state.nextTicket, of: client, cost: cost, now: .now)
            )
        }
        switch arrival {
        case .runs: break
        case .refused:
            throw ServerError(
                503, .queueFull, "Too many requests wait already. Send the request again later.", retryAfter: 5)
        case .waits:
            onWait(counts.waiting)
            try await wait(ticket)
        }
        defer { leave(ticket) }
        try Task.checkCancellation()
        return try await body()
    }

    /// Room for another reply to a request that runs, if nobody waits for it.
    ///
    /// - Returns: what gives the room back, to be called once; nil if there is none.
    func join() -> (@Sendable () -> Void)? {
        let ticket = state.withLock { state -> FairQueue.Ticket? in
            state.nextTicket += 1
            return state.queue.join(state.nextTicket) ? state.nextTicket : nil
        }
        guard let ticket else { return nil }
        return { [self] in leave(ticket) }
    }

    private func wait(_ ticket: FairQueue.Ticket) async throws {
        let timer = Task { [patience] in
            try await Task.sleep(for: patience)
            expire()
        }
        defer { timer.cancel() }
        do {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let early = state.withLock { state in
                        let early = state.early.removeValue(forKey: ticket)
                        if early == nil { state.waiting[ticket] = continuation }
                        return early
                    }
                    if let early { continuation.resume(with: early) }
                }
            } onCancel: {
                finish(with: .failure(CancellationError())) { _ in [ticket] }
            }
        } catch {
            leave(ticket)
            throw error
        }
    }

    private func expire() {
        let error = ServerError(
            503, .queueTimeout, "The request has waited for too long. Send it again later.", retryAfter: 30)
        finish(with: .failure(error)) { $0.queue.expire(now: .now) }
    }

    private func leave(_ ticket: FairQueue.Ticket) {
        finish(with: .success(())) { state in
            state.early[ticket] = nil
            return state.queue.leave(ticket)
        }
    }

    /// Ends the waiting of requests that are chosen under the same lock: one that left in between, because it was cancelled,
    /// would be kept as early for ever.
    private func finish(with result: Result<Void, any Error>, _ choose: (inout State) -> [FairQueue.Ticket]) {
        let continuations = state.withLock { state in
            choose(&state).compactMap { ticket in
                let continuation = state.waiting.removeValue(forKey: ticket)
                if continuation == nil { state.early[ticket] = result }
                return continuation
            }
        }
        for continuation in continuations { continuation.resume(with: result) }
    }
}
