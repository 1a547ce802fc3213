// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ParleySystem
import ParleyTensor
import Synchronization
import Testing

@Suite("Spinning")
struct SpinningTests {
    /// Two threads wake each other in turn. If one wake-up were lost, both would sleep for ever.
    @Test("no wake-up is lost", arguments: [0, 1, 30, 20_000])
    func wakes(spins: Int) {
        let (ping, pong) = (Sleeper(), Sleeper())
        let turn = Atomic<Int>(0)
        // Spinning threads hold up their peers where others compete for the cores.
        let rounds = spins > 1_000 ? 200 : 5_000
        let done = DispatchSemaphore(value: 0)
        let first = startThread {
            for round in 0..<rounds {
                turn.add(1, ordering: .sequentiallyConsistent)
                pong.wake()
                ping.wait(spinning: spins) { turn.load(ordering: .sequentiallyConsistent) == 2 * round + 2 }
            }
            done.signal()
        }
        let second = startThread {
            for round in 0..<rounds {
                pong.wait(spinning: spins) { turn.load(ordering: .sequentiallyConsistent) == 2 * round + 1 }
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
}
