// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ParleySystem
import Synchronization

/// The barrier at which the lanes of a step wait for each other.
///
/// A step has hundreds of barriers a few microseconds apart, so a waiting lane first spins. If the wait is longer,
/// another lane has probably lost its core to another program. On a crowded machine the waiting lane then sleeps:
/// spinning would use up the processor time that the scheduler grants this process, and `sched_yield` costs a whole
/// time slice on Linux. A lane that has slept soon gets its core back, so that the lanes come to run, and to pause, at
/// the same times.
///
/// While no lane sleeps, lanes access only the two counters `arrived` and `generation`.
package final class LaneBarrier: Sendable {
    private let arrived = Atomic<Int>(0)
    private let generation = Atomic<Int>(0)
    /// How many lanes sleep or are about to, which tells the last lane to arrive whether it must wake any.
    private let sleeping = Atomic<Int>(0)
    private let waited = Atomic<Int>(0)
    private let sleepers: [Sleeper]

    /// Creates a barrier.
    ///
    /// - Parameter lanes: the largest number of lanes that can wait at it.
    package init(lanes: Int) {
        sleepers = (0..<lanes).map { _ in Sleeper() }
    }

    /// Waits until `count` lanes, numbered from 0, have arrived; everything they wrote before is then visible to all.
    ///
    /// - Returns: how long it waited, as a number of checks; see ``Spinning/checks(in:)``.
    @discardableResult
    package func wait(as lane: Int, of count: Int, patience: LanePatience = .calm) -> Int {
        guard count > 1 else { return 0 }
        let current = generation.load(ordering: .relaxed)
        if arrived.add(1, ordering: .acquiringAndReleasing).newValue == count {
            arrived.store(0, ordering: .relaxed)
            generation.store(current &+ 1, ordering: .sequentiallyConsistent)
            guard sleeping.load(ordering: .sequentiallyConsistent) > 0 else { return 0 }
            for other in 0..<count where other != lane { sleepers[other].wake() }
            return 0
        }
        let checks = countingSpin(patience.expected) { generation.load(ordering: .acquiring) != current }
        return checks ?? patience.expected + waitLonger(lane, while: current, patience)
    }

    /// Returns the total time that lanes have waited beyond what is expected since the last call, in nanoseconds.
    package func takeWaited() -> Int { waited.exchange(0, ordering: .relaxed) }

    /// Returns how long it waited, as a number of checks.
    @inline(never)
    private func waitLonger(_ lane: Int, while current: Int, _ patience: LanePatience) -> Int {
        let began = DispatchTime.now().uptimeNanoseconds
        if !spin(patience.further, until: { generation.load(ordering: .acquiring) != current }) {
            sleeping.add(1, ordering: .sequentiallyConsistent)
            sleepers[lane].wait { generation.load(ordering: .sequentiallyConsistent) != current }
            sleeping.subtract(1, ordering: .sequentiallyConsistent)
        }
        let duration = Int(DispatchTime.now().uptimeNanoseconds - began)
        waited.add(duration, ordering: .relaxed)
        return Spinning.checks(in: duration)
    }
}

/// How often a lane checks whether the others have arrived before it sleeps.
package struct LanePatience: Sendable {
    /// The number of checks that is normal for lanes with equal shares.
    let expected: Int
    /// The number of further checks before the lane sleeps.
    let further: Int

    /// For machines on which other programs rarely take a core, and only briefly: spinning is then cheaper than
    /// sleeping.
    package static let calm = LanePatience(
        expected: Spinning.checks(in: 150_000), further: Spinning.checks(in: 2_000_000))
    /// For machines on which other programs take a core for milliseconds. Three times as long makes replies half as
    /// fast there: what a lane spins is taken off the time in which it could work.
    package static let crowded = LanePatience(expected: Spinning.checks(in: 20_000), further: 0)
}
