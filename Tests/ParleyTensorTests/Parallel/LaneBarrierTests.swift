// SPDX-License-Identifier: Apache-2.0

import ParleyTensor
import Synchronization
import Testing

@Suite("Lane barrier")
struct LaneBarrierTests {
    @Test("no lane runs ahead of another by more than a round", arguments: [2, 3, 8])
    func keepsLanesTogether(lanes: Int) {
        let barrier = LaneBarrier(lanes: lanes)
        let arrived = Atomic<Int>(0)
        let mistakes = Atomic<Int>(0)
        let finished = runOnThreads(lanes) { lane in
            for round in 1...300 {
                arrived.add(1, ordering: .relaxed)
                barrier.wait(as: lane, of: lanes)
                if arrived.load(ordering: .relaxed) < round * lanes { mistakes.add(1, ordering: .relaxed) }
            }
        }
        #expect(finished)
        #expect(arrived.load(ordering: .relaxed) == 300 * lanes)
        #expect(mistakes.load(ordering: .relaxed) == 0)
    }

    @Test("one lane never waits")
    func passesAlone() {
        let barrier = LaneBarrier(lanes: 1)
        for _ in 0..<10 { barrier.wait(as: 0, of: 1) }
    }

    @Test("lanes that have slept for long are woken")
    func wakesSleepers() {
        let barrier = LaneBarrier(lanes: 3)
        let latecomers = Atomic<Int>(0)
        let finished = runOnThreads(3) { lane in
            for _ in 0..<5 {
                // Arrives long after the others have stopped spinning.
                if lane == 0 { for _ in 0..<2_000_000 { latecomers.add(1, ordering: .relaxed) } }
                barrier.wait(as: lane, of: 3)
            }
        }
        #expect(finished)
    }
}
