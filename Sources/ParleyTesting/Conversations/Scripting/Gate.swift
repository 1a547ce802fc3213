// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Blocks the tasks that wait at it until it is opened, so that a test controls the timing without sleeping.
///
/// ```swift
/// let gate = Gate()
/// let reply = ScriptedReply(steps: [.token("Hel"), .wait(gate), .token("lo")])
/// // … start a generation, then:
/// await gate.arrival()  // "Hel" has been generated
/// gate.open()
/// ```
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var hasArrival = false
        var nextTicket = 0
        var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
        var watching: [CheckedContinuation<Void, Never>] = []
    }

    /// No other lock may be taken while this one is held, so continuations are resumed after it is released.
    private let state = Mutex(State())

    /// Creates a closed gate.
    public init() {}

    /// Opens the gate for all tasks that are waiting or will wait.
    public func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until the gate is open.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before that.
    public func wait() async throws {
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (passes, watching) = state.withLock { state in
                    let passes = state.isOpen || Task.isCancelled
                    if !passes { state.waiting[ticket] = continuation }
                    state.hasArrival = true
                    defer { state.watching = [] }
                    return (passes, state.watching)
                }
                if passes { continuation.resume() }
                for continuation in watching { continuation.resume() }
            }
            try Task.checkCancellation()
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume(throwing: CancellationError())
        }
    }

    /// Waits until a task has reached the gate; returns at once if one ever has.
    public func arrival() async {
        await withCheckedContinuation { continuation in
            let hasArrival = state.withLock { state in
                if !state.hasArrival { state.watching.append(continuation) }
                return state.hasArrival
            }
            if hasArrival { continuation.resume() }
        }
    }
}
