// SPDX-License-Identifier: Apache-2.0

import ParleySystem
import Synchronization

/// Work that lanes take chunk by chunk, operation after operation.
///
/// An operation is complete when its chunks are done, by whichever lanes: a lane that begins late, or never, delays no
/// other, and one that is behind skips operations that are complete. All lanes go through the same operations.
package final class ChunkClaims: Sendable {
    /// How often a lane checks before it sleeps, 10 to 40 ns each: about as long as a chunk takes.
    private static let spins = 4_000

    /// The current operation (32 bits), how many of its chunks are claimed (16), and how many are done (16).
    private let state = Atomic<UInt64>(0)
    private let slept = Atomic<Int>(0)
    private let sleepers: [Sleeper]

    /// - Parameter lanes: how many lanes can take part.
    package init(lanes: Int) {
        sleepers = (0..<lanes).map { _ in Sleeper() }
    }

    /// Begins a step, whose first operation is number 1. Not while a lane is inside ``run(_:chunks:as:_:)``.
    package func reset() {
        state.store(0, ordering: .sequentiallyConsistent)
    }

    /// Does chunks of an operation until none is left, and returns when all are done; what all lanes wrote in them is
    /// then visible.
    ///
    /// - Parameters:
    ///   - operation: its number; the one before is complete.
    ///   - chunks: how many it has, 1 to 65,535; the same on every lane.
    ///   - lane: the caller's number.
    ///   - body: does a chunk, given its number.
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

    /// The sum of the lanes' sleep since the last call, in nanoseconds.
    package func takeSlept() -> Int { slept.exchange(0, ordering: .relaxed) }

    /// The next chunk that nobody has claimed; nil where none is left.
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
