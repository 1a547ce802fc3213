// SPDX-License-Identifier: Apache-2.0

import ParleyLlamaCpp
import ParleyModelFile
import ParleySystem
import ParleyTesting
import Testing

@Suite("Scratch memory of llama.cpp")
struct LlamaCppScratchTests {
    private let ledger = MemoryLedger { MachineMemory(physical: 1 << 30, available: 1 << 30) }

    private func plan(sees: Bool) throws -> LlamaCppMemoryPlan {
        let file = try GGUFFile(bytes: TinyModel().writer().encoded()[...])
        return try LlamaCppMemoryPlan(file, projector: sees ? file : nil)
    }

    @Test("a batch of the most tokens writes all of the logits' memory, also beside a projector")
    func tokens() throws {
        let plan = try plan(sees: true)
        let scratch = LlamaCppScratch(plan, in: ledger)
        #expect(ledger.unwrittenBytes == plan.scratch.count)
        scratch.reached(tokens: 128)
        let activations = plan.activations.count
        #expect(ledger.unwrittenBytes == plan.logits.count / 2 + activations - activations / 2_048 * 128)
        scratch.reached(tokens: 256)
        #expect(ledger.unwrittenBytes == activations - activations / 2_048 * 256)
        scratch.reached(imageRows: 2_048)
        #expect(ledger.unwrittenBytes == 0)
    }

    @Test("without a projector all is written by a batch of the most tokens; the promise ends with the context")
    func text() throws {
        let plan = try plan(sees: false)
        for (count, left) in [(256, 0), (128, plan.scratch.count / 2)] {
            let scratch = LlamaCppScratch(plan, in: ledger)
            scratch.reached(tokens: count)
            withExtendedLifetime(scratch) { #expect(ledger.unwrittenBytes == left) }
        }
        #expect(ledger.unwrittenBytes == 0)
    }
}
