// SPDX-License-Identifier: Apache-2.0

import ParleySystem
import Synchronization

/// Distributes the chunks of each operation to the lanes that are ready for them.
///
/// An operation is complete when all its chunks are done, whichever lanes did them. A lane that starts late, or never,
/// therefore delays no other, and a lane that has fallen behind skips operations that are complete. All lanes go
/// through the same operations in the same order.
package final class ChunkClaims: Sendable {
    /// How often a lane checks for the end of an operation before it sleeps: for about as long as a chunk takes.
    private static let spins = Spinning.checks(in: 100_000)

    /// The number of the current operation (32 bits), how many of its chunks have been claimed (16 bits), and how many
    /// are done (16 bits).
    private let state = Atomic<UInt64>(0)
    private let slept = Atomic<Int>(0)
    private let sleepers: [Sleeper]

    /// Creates the state for steps.
    ///
    /// - Parameter lanes: how many lanes can take part.
    package init(lanes: Int) {
        sleepers = (0..<lanes).map { _ in Sleeper() }
    }

    /// Begins a step, whose first operation has number 1; must not be called while a lane is in
    /// ``run(_:chunks:as:_:)``.
    package func reset() {
        state.store(0, ordering: .sequentiallyConsistent)
    }

    /// Works on chunks of an operation until none is left, and returns when all are done, with everything that other
    /// lanes wrote in them visible to this one.
    ///
    /// - Parameters:
    ///   - operation: the operation's number; the operation before it must be complete.
    ///   - chunks: the number of chunks, 1 to 65,535; the same on every lane.
    ///   - lane: the number of the calling lane.
    ///   - body: does the chunk with a given number.
    package func run(_ operation: Int, chunks: Int, as lane: Int, _ body: (Int) -> Void) {
        while let chunk = claim(operation, chunks: chunks) {
            body(chunk)
            let state = state.add(1, ordering: .sequentiallyConsistent).newValue
            guard Self.done(state) == chunks else { continue }
            for other in sleepers.indices where other != lane { sleepers[other].wake() }
            return
        }
        let duration = sleepers[lane].wait(spinning: Self.spins) {
            let state = state.load(ordering: .sequentiallyConsistent)
            return Self.operation(state) != operation || Self.done(state) == chunks
        }
        if duration > 0 { slept.add(duration, ordering: .relaxed) }
    }

    /// Returns the total time that lanes have slept since the last call, in nanoseconds.
    package func takeSlept() -> Int { slept.exchange(0, ordering: .relaxed) }

    /// Claims the next chunk and returns its number; nil if all are claimed.
    private func claim(_ operation: Int, chunks: Int) -> Int? {
        var state = state.load(ordering: .acquiring)
        while true {
            let isNew = Self.operation(state) < operation
            guard isNew || Self.operation(state) == operation && Self.claimed(state) < chunks else { return nil }
            let next = isNew ? UInt64(operation) << 32 | 1 << 16 : state + 1 << 16
            let (exchanged, original) = self.state.weakCompareExchange(
                expected: state, desired: next, ordering: .acquiringAndReleasing)
            if exchanged { return Self.claimed(next) - 1 }
            state = original
        }
    }

    private static func operation(_ state: UInt64) -> Int { Int(state >> 32) }
    private static func claimed(_ state: UInt64) -> Int { Int(state >> 16 & 0xFFFF) }
    private static func done(_ state: UInt64) -> Int { Int(state & 0xFFFF) }
}
