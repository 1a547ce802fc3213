// SPDX-License-Identifier: Apache-2.0

import Dispatch
import ParleyTensor
import Synchronization
import Testing

@Suite("Spin barrier")
struct SpinBarrierTests {
    @Test("no lane runs ahead of another by more than a round", arguments: [2, 3, 8])
    func keepsLanesTogether(lanes: Int) {
        let barrier = SpinBarrier(lanes: lanes)
        let arrived = Atomic<Int>(0)
        let mistakes = Atomic<Int>(0)
        let finished = runOnThreads(lanes) {
            for round in 1...300 {
                arrived.add(1, ordering: .relaxed)
                barrier.wait()
                if arrived.load(ordering: .relaxed) < round * lanes { mistakes.add(1, ordering: .relaxed) }
            }
        }
        #expect(finished)
        #expect(arrived.load(ordering: .relaxed) == 300 * lanes)
        #expect(mistakes.load(ordering: .relaxed) == 0)
    }

    @Test("one lane never waits")
    func passesAlone() {
        let barrier = SpinBarrier(lanes: 1)
        for _ in 0..<10 { barrier.wait() }
    }
}

/// Runs a closure on so many threads at once and returns whether all have finished after ten seconds.
private func runOnThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) -> Bool {
    let group = DispatchGroup()
    for _ in 0..<count {
        group.enter()
        let started = startThread {
            body()
            group.leave()
        }
        guard !started else { continue }
        Issue.record("the system gave no thread")
        group.leave()
    }
    return group.wait(timeout: .now() + 10) == .success
}
