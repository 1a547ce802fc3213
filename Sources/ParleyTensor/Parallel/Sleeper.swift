// SPDX-License-Identifier: Apache-2.0

import CParleyKernels
import Dispatch
import Synchronization

/// Where a thread waits for work: it spins for a fraction of a millisecond and then sleeps until woken.
package final class Sleeper: Sendable {
    private let asleep = Atomic<Bool>(false)
    private let semaphore = DispatchSemaphore(value: 0)

    package init() {}

    /// Returns once the condition holds; whoever makes it hold calls ``wake()`` afterwards.
    package func wait(until condition: () -> Bool) {
        for _ in 0..<20_000 {
            if condition() { return }
            parley_spin_hint()
        }
        while true {
            asleep.store(true, ordering: .sequentiallyConsistent)
            // The condition may have come true before `asleep` was set; then nobody may signal any more.
            if condition(), asleep.exchange(false, ordering: .sequentiallyConsistent) { return }
            semaphore.wait()
            if condition() { return }
        }
    }

    /// Tells the thread to look at its condition again.
    package func wake() {
        if asleep.exchange(false, ordering: .sequentiallyConsistent) { semaphore.signal() }
    }
}
