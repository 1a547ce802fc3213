// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Where a thread sleeps until another one has made a condition hold.
package final class Sleeper: Sendable {
    private let asleep = Atomic<Bool>(false)
    private let semaphore = DispatchSemaphore(value: 0)

    /// Creates a place for one thread at a time.
    package init() {}

    /// Returns once the condition holds; the thread that makes it hold calls ``wake()`` afterwards.
    ///
    /// - Returns: how long the thread slept, in nanoseconds.
    @discardableResult
    package func wait(until condition: () -> Bool) -> Int {
        if condition() { return 0 }
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
