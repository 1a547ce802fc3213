// SPDX-License-Identifier: Apache-2.0

import ParleyTensor
import Testing

@Suite("Instruction sets")
struct InstructionSetTests {
    @Test("the portable one is always there, and the best one too")
    func areAvailable() {
        #expect(InstructionSet.generic.isAvailable)
        #expect(InstructionSet.best.isAvailable)
    }

    @Test("no machine has instruction sets of two processor architectures")
    func excludesOthers() {
        let x86 = InstructionSet.avx2.isAvailable || InstructionSet.avx512.isAvailable
        let arm = InstructionSet.neon.isAvailable || InstructionSet.neonI8MM.isAvailable
        #expect(!(x86 && arm))
    }

    @Test("AMX is for machines that have AVX-512, and then the best")
    func prefersTiles() {
        let hasTiles = InstructionSet.amx.isAvailable
        #expect(!hasTiles || InstructionSet.avx512.isAvailable)
        #expect((InstructionSet.best == .amx) == hasTiles)
    }

    @Test("the names for commands are stable")
    func hasNames() {
        #expect(
            InstructionSet.allCases.map(\.rawValue) == [
                "generic", "avx2", "avx-vnni", "avx512", "amx", "neon", "neon-i8mm",
            ])
    }
}
