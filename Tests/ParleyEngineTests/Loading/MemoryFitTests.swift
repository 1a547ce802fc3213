// SPDX-License-Identifier: Apache-2.0

import ParleyEngine
import ParleyModelFile
import ParleyRuntime
import ParleySystem
import ParleyTesting
import Testing

@Suite("Memory fit")
struct MemoryFitTests {
    private func plan() throws -> MemoryPlan {
        var model = TinyModel(.llama)
        model.context = 100_000
        return try MemoryPlan(GGUFFile(bytes: model.writer().encoded()[...]))
    }

    private func verdict(_ plan: MemoryPlan, available: Int, context: Int = 4_000) -> MemoryFit.Verdict {
        MemoryFit(plan, context: context, memory: MachineMemory(physical: .max, available: available)).verdict
    }

    @Test("the verdict agrees with the loader: fits, fits with a shorter context, or does not fit")
    func verdicts() throws {
        let plan = try plan()
        let enough = plan.total(context: 4_000).count
        #expect(verdict(plan, available: enough) == .fits)
        #expect(verdict(plan, available: enough - 1) == .fitsWithContext(3_984))
        #expect(verdict(plan, available: plan.total(context: 2_000).count) == .fitsWithContext(2_000))
        #expect(verdict(plan, available: plan.weights.count) == .doesNotFit)
        for available in [enough, plan.total(context: 2_000).count] {
            let memory = MachineMemory(physical: .max, available: available)
            let granted = try plan.context(requested: nil, usual: 4_000, memory: memory, name: "m.gguf")
            #expect(verdict(plan, available: available) == (granted == 4_000 ? .fits : .fitsWithContext(granted)))
        }
    }

    @Test("a context that is too short to be useful has a verdict of its own")
    func shortContext() throws {
        let plan = try plan()
        #expect(verdict(plan, available: plan.total(context: 40).count, context: 40) == .fits)
    }

    @Test("this machine has some memory, and not more is available than there is")
    func thisMachine() {
        let memory = MachineMemory.current()
        #expect(memory.available > 0 && memory.available <= memory.physical)
    }
}
