// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ParleyTensor
import Synchronization
import Testing

@Suite("Sleeper")
struct SleeperTests {
    /// Two threads wake each other in turn. If one wake-up were lost, both would sleep for ever.
    @Test("no wake-up is lost", arguments: [0, 1, 30, 20_000])
    func wakes(spins: Int) {
        let (ping, pong) = (Sleeper(spins: spins), Sleeper(spins: spins))
        let turn = Atomic<Int>(0)
        // Spinning threads hold up their peers where others compete for the cores.
        let rounds = spins > 1_000 ? 200 : 5_000
        let done = DispatchSemaphore(value: 0)
        let first = startThread {
            for round in 0..<rounds {
                turn.add(1, ordering: .sequentiallyConsistent)
                pong.wake()
                ping.wait { turn.load(ordering: .sequentiallyConsistent) == 2 * round + 2 }
            }
            done.signal()
        }
        let second = startThread {
            for round in 0..<rounds {
                pong.wait { turn.load(ordering: .sequentiallyConsistent) == 2 * round + 1 }
                turn.add(1, ordering: .sequentiallyConsistent)
                ping.wake()
            }
            done.signal()
        }
        #expect(first && second)
        guard done.wait(timeout: .now() + 300) == .success, done.wait(timeout: .now() + 300) == .success else {
            Issue.record("both sleep for ever")
            return
        }
        #expect(turn.load(ordering: .relaxed) == 2 * rounds)
    }

    @Test("wake-ups of several threads, expected or not, leave no state behind")
    func collectsWakes() {
        let sleeper = Sleeper(spins: 0)
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
        let sleeper = Sleeper(spins: 0)
        sleeper.wake()
        sleeper.wait { true }
        sleeper.wait { true }
    }
}
