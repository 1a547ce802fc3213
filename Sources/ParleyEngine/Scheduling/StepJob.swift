// SPDX-License-Identifier: Apache-2.0

import ParleyNetwork
import ParleyRuntime
import ParleyTokenizer
import Synchronization

/// What the scheduler works on for a timeline: the tokens it holds, its cache, and the step it asks for. Made once for
/// a timeline and used for all its steps, which do not overlap.
///
/// `@unchecked Sendable`: between ``BatchScheduler/submit(_:)`` and the end of the step only the scheduler's thread
/// touches it, otherwise only the timeline.
final class StepJob: @unchecked Sendable {
    let cache: SequenceCache
    let cancellation = Cancellation()
    /// The tokens held.
    private(set) var held: [TokenID] = []
    /// The tokens to append, of which the first ``done`` have been run.
    private(set) var tokens: [TokenID] = []
    private(set) var done = 0
    private(set) var output: LogitRows?

    /// The tokens that room is made for at once; in longer sequences it grows.
    private static let reserved = 1 << 16

    private var positions = TimelineStep.Positions.none
    /// Unchecked, for a checked one is allocated: ``finish(_:)`` is its only use, and leaves none.
    private var continuation: UnsafeContinuation<Void, any Error>?

    private let reservation: SequenceReservation
    private let capacity: Int

    /// - Parameters:
    ///   - cache: the sequence's keys and values.
    ///   - capacity: the tokens that the cache holds at most.
    ///   - reservation: the memory of the cache, which it takes as the sequence grows.
    init(cache: SequenceCache, capacity: Int, reservation: SequenceReservation) {
        self.cache = cache
        self.capacity = capacity
        self.reservation = reservation
        held.reserveCapacity(min(capacity, Self.reserved))
    }

    /// Set by the task that waits for the step.
    final class Cancellation: Sendable {
        private let flag = Atomic<Bool>(false)

        var isSet: Bool { flag.load(ordering: .relaxed) }

        func set() { flag.store(true, ordering: .relaxed) }
        func clear() { flag.store(false, ordering: .relaxed) }
    }

    var remaining: Int { tokens.count - done }

    /// The row of the output for one of the tokens, if its logits are asked for.
    func outputRow(of token: Int) -> Int? {
        switch positions {
        case .none: nil
        case .last: token == tokens.count - 1 ? 0 : nil
        case .all: token
        }
    }
}

extension StepJob {
    /// Takes what a step asks for.
    func prepare(_ step: TimelineStep, into output: LogitRows) {
        cancellation.clear()
        tokens.removeAll(keepingCapacity: true)
        done = 0
        tokens.append(contentsOf: step.tokens)
        positions = step.positions
        self.output = output
    }

    /// Leaves the first `count` of the tokens held.
    func truncate(to count: Int) {
        held.removeSubrange(count...)
    }

    /// Remembers who waits for the step.
    func begin(_ continuation: UnsafeContinuation<Void, any Error>) {
        self.continuation = continuation
    }

    /// Called when tokens have been run: they are now held.
    func advance(by count: Int) {
        held.append(contentsOf: tokens[done..<done + count])
        done += count
        reservation.reached(held.count, of: capacity)
    }

    /// Ends the step; afterwards the job is the timeline's again.
    func finish(_ result: Result<Void, any Error>) {
        guard let continuation else { return }
        self.continuation = nil
        output = nil
        continuation.resume(with: result)
    }
}
