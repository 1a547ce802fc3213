// SPDX-License-Identifier: Apache-2.0

import ParleyTensor
import Synchronization
import Testing

@Suite("Step gate", .timeLimit(.minutes(15)))
struct StepGateTests {
    @Test("lanes are numbered as they enter, and none enters a step that is closed, finished or in the future")
    func numbersLanes() {
        let gate = StepGate()
        #expect(gate.step == 0)
        #expect(gate.enter(0) == nil)
        gate.beginStep()
        #expect(gate.step == 1)
        #expect(gate.count == nil)
        #expect(gate.enter(1) == 1)
        #expect(gate.enter(2) == nil)
        #expect(gate.enter(1) == 2)
        #expect(gate.entered == 3)
        #expect(gate.close() == 3)
        #expect(gate.count == 3)
        #expect(gate.enter(1) == nil)
        gate.beginStep()
        #expect(gate.step == 2)
        #expect(gate.enter(1) == nil)
        #expect(gate.enter(2) == 1)
        #expect(gate.close() == 2)
        #expect(gate.close() == 2)
    }

    @Test("lanes that enter at the same time get different numbers")
    func numbersAtOnce() {
        let gate = StepGate()
        let sum = Atomic<Int>(0)
        gate.beginStep()
        let finished = runOnThreads(6) { _ in
            if let number = gate.enter(1) { sum.add(1 << (number * 4), ordering: .relaxed) }
        }
        #expect(finished)
        #expect(gate.close() == 7)
        #expect(sum.load(ordering: .relaxed) == 0x111_1110)
    }
}
