// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Puts a thread to sleep until another thread has made a condition true.
package final class Sleeper: Sendable {
    private let asleep = Atomic<Bool>(false)
    private let semaphore = DispatchSemaphore(value: 0)

    /// Creates a sleeper, which serves one thread at a time.
    package init() {}

    /// Waits until the condition is true; the thread that makes it true must call ``wake()`` afterwards.
    ///
    /// - Returns: how long the thread slept, in nanoseconds.
    @discardableResult
    package func wait(until condition: () -> Bool) -> Int {
        if condition() { return 0 }
        let began = DispatchTime.now().uptimeNanoseconds
        while true {
            asleep.store(true, ordering: .sequentiallyConsistent)
            // The condition may have become true before `asleep` was set, in which case no signal may come.
            if condition(), asleep.exchange(false, ordering: .sequentiallyConsistent) { break }
            semaphore.wait()
            if condition() { break }
        }
        return Int(DispatchTime.now().uptimeNanoseconds - began)
    }

    /// Wakes the thread to check its condition again.
    package func wake() {
        guard asleep.load(ordering: .sequentiallyConsistent) else { return }
        if asleep.exchange(false, ordering: .sequentiallyConsistent) { semaphore.signal() }
    }
}
