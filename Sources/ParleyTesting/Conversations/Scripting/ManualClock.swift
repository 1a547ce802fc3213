// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A clock whose time changes only when it is advanced.
///
/// ```swift
/// let clock = ManualClock()
/// // … start something that sleeps on it, then:
/// await clock.sleeper()
/// clock.advance(by: .seconds(5))
/// ```
public final class ManualClock: Clock {
    /// A point in time, measured from the clock's creation.
    public struct Instant: InstantProtocol, Sendable {
        let offset: Swift.Duration

        /// Returns the point in time that is later by a duration.
        public func advanced(by duration: Swift.Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// The duration from this point in time to another.
        public func duration(to other: Instant) -> Swift.Duration {
            other.offset - offset
        }

        /// Whether the first point in time is before the second.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.offset < right.offset
        }
    }

    private struct State {
        var now = Instant(offset: .zero)
        var nextTicket = 0
        var sleeping: [Int: (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var watching: [CheckedContinuation<Void, Never>] = []
    }

    /// No other lock may be taken while this one is held, so continuations are resumed after it is released.
    private let state = Mutex(State())

    /// Creates a clock at time zero.
    public init() {}

    /// The clock's current time.
    public var now: Instant { state.withLock { $0.now } }

    /// Zero, because the clock is exact.
    public var minimumResolution: Swift.Duration { .zero }

    /// Advances the clock and wakes the tasks whose deadline has been reached.
    public func advance(by duration: Swift.Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let due = state.sleeping.filter { $0.value.deadline <= now }
            for ticket in due.keys { state.sleeping[ticket] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Sleeps until the clock has been advanced to the deadline.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before that.
    public func sleep(until deadline: Instant, tolerance: Swift.Duration? = nil) async throws {
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (passes, watching) = state.withLock { state in
                    let passes = deadline <= state.now || Task.isCancelled
                    if !passes { state.sleeping[ticket] = (deadline, continuation) }
                    defer { state.watching = [] }
                    return (passes, state.watching)
                }
                if passes { continuation.resume() }
                for continuation in watching { continuation.resume() }
            }
            try Task.checkCancellation()
        } onCancel: {
            let sleeper = state.withLock { $0.sleeping.removeValue(forKey: ticket) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Waits until at least one task is sleeping on the clock.
    public func sleeper() async {
        await withCheckedContinuation { continuation in
            let hasSleeper = state.withLock { state in
                if state.sleeping.isEmpty { state.watching.append(continuation) }
                return !state.sleeping.isEmpty
            }
            if hasSleeper { continuation.resume() }
        }
    }
}
