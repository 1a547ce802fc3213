// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import Testing

@Suite("Tensor types")
struct TensorTypeTests {
    @Test("types have their usual names")
    func hasNames() {
        #expect(
            TensorType.allCases.map(\.name) == [
                "F32", "F16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K",
                "IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S", "IQ2_S", "IQ4_XS", "IQ1_M", "BF16", "TQ1_0",
                "TQ2_0", "MXFP4",
            ])
    }

    @Test("a block takes at least one bit and a half and at most 32 for each value", arguments: TensorType.allCases)
    func hasPlausibleBlocks(type: TensorType) {
        let bits = Double(type.blockBytes * 8) / Double(type.blockSize)
        #expect((1.5...32).contains(bits))
    }
}
