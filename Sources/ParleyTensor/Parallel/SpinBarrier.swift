// SPDX-License-Identifier: Apache-2.0

import CParleyKernels
import Synchronization

/// Where the lanes of a parallel step wait for each other.
///
/// A step has hundreds of barriers a few microseconds apart, so waiting spins; a lane whose peers lost their core
/// yields its own after a while. Sense is kept as a generation count: the last lane to arrive opens the next one.
package final class SpinBarrier: Sendable {
    private let lanes: Int
    private let arrived = Atomic<Int>(0)
    private let generation = Atomic<Int>(0)

    package init(lanes: Int) {
        self.lanes = lanes
    }

    /// Returns when all lanes have arrived; what each wrote before is then visible to all.
    package func wait() {
        guard lanes > 1 else { return }
        let current = generation.load(ordering: .relaxed)
        if arrived.add(1, ordering: .acquiringAndReleasing).newValue == lanes {
            arrived.store(0, ordering: .relaxed)
            generation.store(current &+ 1, ordering: .releasing)
        } else {
            spin { generation.load(ordering: .acquiring) != current }
        }
    }
}

/// Spins until a condition holds. After a few microseconds whoever it waits for has likely lost its core: then it gives
/// its own away between looks.
func spin(until condition: () -> Bool) {
    for _ in 0..<200 {
        if condition() { return }
        parley_spin_hint()
    }
    while !condition() { yieldProcessor() }
}
