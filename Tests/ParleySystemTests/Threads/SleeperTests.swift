// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ParleySystem
import Synchronization
import Testing

@Suite("Sleeper")
struct SleeperTests {
    @Test("wake-ups of several threads, expected or not, leave no state behind")
    func collectsWakes() {
        let sleeper = Sleeper()
        let sum = Atomic<Int>(0)
        let wakers = 3
        let each = 3_000
        for _ in 0..<wakers {
            let started = startThread {
                for _ in 0..<each {
                    sum.add(1, ordering: .sequentiallyConsistent)
                    sleeper.wake()
                    sleeper.wake()
                }
            }
            #expect(started)
        }
        let done = DispatchSemaphore(value: 0)
        let waiting = startThread {
            for target in stride(from: 500, through: wakers * each, by: 500) {
                sleeper.wait { sum.load(ordering: .sequentiallyConsistent) >= target }
            }
            done.signal()
        }
        #expect(waiting)
        #expect(done.wait(timeout: .now() + 300) == .success)
        #expect(sum.load(ordering: .sequentiallyConsistent) == wakers * each)
    }

    @Test("waiting for a condition that is already true returns immediately")
    func passes() {
        let sleeper = Sleeper()
        sleeper.wake()
        sleeper.wait { true }
        sleeper.wait { true }
    }
}
