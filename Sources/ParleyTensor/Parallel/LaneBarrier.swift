// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ParleySystem
import Synchronization

/// Where the lanes of a step wait for each other.
///
/// A step has hundreds of barriers a few microseconds apart, so a waiting lane spins at first. A longer wait means that
/// another lane has lost its core to another program. On a crowded machine the waiting lane then sleeps: spinning would
/// use up this process's share of time, and giving the core away for a moment (`sched_yield`) counts on Linux as a
/// whole turn. A lane that slept is soon given its core back, so that the lanes come to run, and to pause, at the same
/// times.
///
/// While nobody sleeps, lanes touch nothing here but the two counters.
package final class LaneBarrier: Sendable {
    private let arrived = Atomic<Int>(0)
    private let generation = Atomic<Int>(0)
    /// How many lanes sleep or are about to: whether there may be somebody to wake.
    private let sleeping = Atomic<Int>(0)
    private let waited = Atomic<Int>(0)
    private let sleepers: [Sleeper]

    /// - Parameter lanes: how many lanes can meet here.
    package init(lanes: Int) {
        sleepers = (0..<lanes).map { _ in Sleeper() }
    }

    /// Returns when `count` lanes, which are numbered from 0, have arrived; what each wrote before is then visible to
    /// all.
    package func wait(as lane: Int, of count: Int, patience: LanePatience = .calm) {
        guard count > 1 else { return }
        let current = generation.load(ordering: .relaxed)
        if arrived.add(1, ordering: .acquiringAndReleasing).newValue == count {
            arrived.store(0, ordering: .relaxed)
            generation.store(current &+ 1, ordering: .sequentiallyConsistent)
            guard sleeping.load(ordering: .sequentiallyConsistent) > 0 else { return }
            for other in 0..<count where other != lane { sleepers[other].wake() }
        } else if !spin(patience.expected, until: { generation.load(ordering: .acquiring) != current }) {
            waitLonger(lane, while: current, patience)
        }
    }

    /// The sum of the lanes' waits beyond what is expected since the last call, in nanoseconds.
    package func takeWaited() -> Int { waited.exchange(0, ordering: .relaxed) }

    @inline(never)
    private func waitLonger(_ lane: Int, while current: Int, _ patience: LanePatience) {
        let began = DispatchTime.now().uptimeNanoseconds
        if !spin(patience.further, until: { generation.load(ordering: .acquiring) != current }) {
            sleeping.add(1, ordering: .sequentiallyConsistent)
            sleepers[lane].wait { generation.load(ordering: .sequentiallyConsistent) != current }
            sleeping.subtract(1, ordering: .sequentiallyConsistent)
        }
        waited.add(Int(DispatchTime.now().uptimeNanoseconds - began), ordering: .relaxed)
    }
}

/// How often a lane checks whether the others have arrived before it sleeps; a check takes 10 to 40 ns.
package struct LanePatience: Sendable {
    /// The checks that lanes of equal shares may need.
    let expected: Int
    /// The checks beyond that.
    let further: Int

    /// Where other programs rarely take a core, and never for long: sleeping and waking takes longer than most waits.
    package static let calm = LanePatience(expected: 8_000, further: 100_000)
    /// Where other programs take the core for milliseconds.
    package static let crowded = LanePatience(expected: 1_000, further: 0)
}
