// SPDX-License-Identifier: Apache-2.0

import ParleyModels
import Testing

@Suite("QuantizationName")
struct QuantizationNameTests {
    @Test(
        "the last part of a name that looks like a quantisation is one",
        arguments: [
            ("model-Q4_K_M.gguf", "Q4_K_M"), ("model.q8_0.gguf", "Q8_0"), ("model_Q4_0.gguf", "Q4_0"),
            ("folder-Q2_K/model-UD-IQ2_XXS-00001-of-00002.gguf", "IQ2_XXS"), ("model-fp16.gguf", "F16"),
            ("MODEL.BF16.GGUF", "BF16"), ("gpt-oss-20b-mxfp4.gguf", "MXFP4"), ("model-TQ1_0.gguf", "TQ1_0"),
            ("q4_0-of-a-Q6_K.gguf", "Q6_K"),
        ])
    func found(name: String, quantization: String) {
        #expect(QuantizationName.of(name) == quantization)
    }

    @Test(
        "a version, a size or a word is none",
        arguments: ["Qwen3-0.6B.gguf", "phi-4-mini.gguf", "model-Q.gguf", "q45_0", ""])
    func none(name: String) {
        #expect(QuantizationName.of(name) == nil)
    }
}
