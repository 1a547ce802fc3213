// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Where the lanes of a step wait for each other.
///
/// A step has hundreds of barriers a few microseconds apart, so waiting spins at first. Who waits longer waits for a
/// lane that has lost its core to another program, and sleeps: spinning on would spend the time that the system owes
/// to this process, and giving the core away for a moment only (`sched_yield`) counts on Linux as a whole turn. One
/// that slept is soon given its core back, so that the lanes come to run, and to pause, at the same times.
///
/// While nobody sleeps, lanes touch nothing here but the two counters.
package final class LaneBarrier: Sendable {
    /// Looks of 10 to 40 ns each: longer than lanes of equal shares differ, and little beside the milliseconds after
    /// which a core changes hands.
    package static let spins = 8_000

    private let arrived = Atomic<Int>(0)
    private let generation = Atomic<Int>(0)
    /// How many lanes sleep or are about to: whether there may be somebody to wake.
    private let sleeping = Atomic<Int>(0)
    private let slept = Atomic<Int>(0)
    private let sleepers: [Sleeper]

    /// - Parameter lanes: how many lanes can meet here.
    package init(lanes: Int) {
        sleepers = (0..<lanes).map { _ in Sleeper(spins: 0) }
    }

    /// Returns when `count` lanes, which are numbered from 0, have arrived; what each wrote before is then visible to
    /// all.
    ///
    /// - Parameter spins: how often to look before sleeping.
    package func wait(as lane: Int, of count: Int, spins: Int = LaneBarrier.spins) {
        guard count > 1 else { return }
        let current = generation.load(ordering: .relaxed)
        if arrived.add(1, ordering: .acquiringAndReleasing).newValue == count {
            arrived.store(0, ordering: .relaxed)
            generation.store(current &+ 1, ordering: .sequentiallyConsistent)
            guard sleeping.load(ordering: .sequentiallyConsistent) > 0 else { return }
            for other in 0..<count where other != lane { sleepers[other].wake() }
        } else if !spin(spins, until: { generation.load(ordering: .acquiring) != current }) {
            sleep(lane, while: current)
        }
    }

    /// How long lanes have slept here since this was last asked, added up, in nanoseconds.
    package func takeSlept() -> Int { slept.exchange(0, ordering: .relaxed) }

    @inline(never)
    private func sleep(_ lane: Int, while current: Int) {
        sleeping.add(1, ordering: .sequentiallyConsistent)
        let duration = sleepers[lane].wait { generation.load(ordering: .sequentiallyConsistent) != current }
        sleeping.subtract(1, ordering: .sequentiallyConsistent)
        slept.add(duration, ordering: .relaxed)
    }
}
