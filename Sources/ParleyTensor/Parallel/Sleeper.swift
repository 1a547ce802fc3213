// SPDX-License-Identifier: Apache-2.0

import CParleyKernels
import Dispatch
import Synchronization

/// Where a thread waits for work: it may spin for a moment, and then sleeps until woken.
package final class Sleeper: Sendable {
    private let asleep = Atomic<Bool>(false)
    private let semaphore = DispatchSemaphore(value: 0)

    private let spins: Int

    /// - Parameter spins: how often to check before sleeping; a check costs 10 to 40 ns. Spinning pays where the wait
    ///   is short and a core is free for it.
    package init(spins: Int) {
        self.spins = spins
    }

    /// Returns once the condition holds; the thread that makes it hold calls ``wake()`` afterwards.
    ///
    /// - Returns: how long the thread slept, in nanoseconds.
    @discardableResult
    package func wait(until condition: () -> Bool) -> Int {
        guard !spin(spins, until: condition) else { return 0 }
        let began = DispatchTime.now().uptimeNanoseconds
        while true {
            asleep.store(true, ordering: .sequentiallyConsistent)
            // The condition may have become true before `asleep` was set; then there may be no signal any more.
            if condition(), asleep.exchange(false, ordering: .sequentiallyConsistent) { break }
            semaphore.wait()
            if condition() { break }
        }
        return Int(DispatchTime.now().uptimeNanoseconds - began)
    }

    /// Makes the thread check its condition again.
    package func wake() {
        guard asleep.load(ordering: .sequentiallyConsistent) else { return }
        if asleep.exchange(false, ordering: .sequentiallyConsistent) { semaphore.signal() }
    }
}

/// Checks at most so many times whether a condition holds, 10 to 40 ns each.
///
/// - Returns: whether it does.
@inline(__always)
func spin(_ looks: Int, until condition: () -> Bool) -> Bool {
    for _ in 0..<looks {
        if condition() { return true }
        parley_spin_hint()
    }
    return condition()
}
