// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleySystem

extension Catalog {
    static let lfm2 = [
        CatalogEntry(
            name: "lfm2-350m", title: "LFM2-350M", family: "LFM2", parameterCount: 354_483_968,
            trainedContext: 32_768, license: "LFM Open License v1.0",
            homepage: "https://huggingface.co/LiquidAI/LFM2-350M", capabilities: [.chat, .functions],
            minimumMemory: 450_000_000, sampling: lfm2Sampling,
            files: [
                CatalogFile(
                    quantization: "Q4_K_M", hub: HubReference("LiquidAI/LFM2-350M-GGUF", file: "LFM2-350M-Q4_K_M.gguf"),
                    byteCount: 229_309_376)
            ],
            repositories: ["LiquidAI/LFM2-350M-GGUF"]),
        CatalogEntry(
            name: "lfm2-1.2b", title: "LFM2-1.2B", family: "LFM2", parameterCount: 1_170_340_608,
            trainedContext: 32_768, license: "LFM Open License v1.0",
            homepage: "https://huggingface.co/LiquidAI/LFM2-1.2B", capabilities: [.chat, .functions],
            minimumMemory: 1_000_000_000, sampling: lfm2Sampling,
            files: [
                CatalogFile(
                    quantization: "Q4_K_M", hub: HubReference("LiquidAI/LFM2-1.2B-GGUF", file: "LFM2-1.2B-Q4_K_M.gguf"),
                    byteCount: 730_893_248)
            ],
            repositories: ["LiquidAI/LFM2-1.2B-GGUF"]),
    ]

    static let gemma3 = [
        CatalogEntry(
            name: "gemma3-270m", title: "Gemma 3 270M (instruction-tuned)", family: "Gemma 3",
            parameterCount: 268_098_176, trainedContext: 32_768, license: "Gemma Terms of Use",
            homepage: "https://huggingface.co/google/gemma-3-270m-it", minimumMemory: 700_000_000,
            sampling: gemma3Sampling,
            files: [
                CatalogFile(
                    quantization: "Q8_0",
                    hub: HubReference("ggml-org/gemma-3-270m-it-GGUF", file: "gemma-3-270m-it-Q8_0.gguf"),
                    byteCount: 291_545_600,
                    sha256: "0ef57d2c838458a1952664260dcba38e5bdda37494f3af732f06e4add24068e3")
            ],
            repositories: ["ggml-org/gemma-3-270m-it-GGUF", "unsloth/gemma-3-270m-it-GGUF"]),
        CatalogEntry(
            name: "gemma3-1b", title: "Gemma 3 1B (instruction-tuned)", family: "Gemma 3",
            parameterCount: 999_885_952, trainedContext: 32_768, license: "Gemma Terms of Use",
            homepage: "https://huggingface.co/google/gemma-3-1b-it", minimumMemory: 1_400_000_000,
            sampling: gemma3Sampling,
            files: [
                CatalogFile(
                    quantization: "Q4_K_M",
                    hub: HubReference(
                        "ggml-org/gemma-3-1b-it-GGUF", revision: "f9c28bcd85737ffc5aef028638d3341d49869c27",
                        file: "gemma-3-1b-it-Q4_K_M.gguf"),
                    byteCount: 806_058_240,
                    sha256: "8ccc5cd1f1b3602548715ae25a66ed73fd5dc68a210412eea643eb20eb75a135")
            ],
            repositories: ["ggml-org/gemma-3-1b-it-GGUF", "unsloth/gemma-3-1b-it-GGUF"]),
    ]

    static let llama3 = [
        CatalogEntry(
            name: "llama3.2-1b", title: "Llama-3.2-1B-Instruct", family: "Llama 3.2", parameterCount: 1_235_814_400,
            trainedContext: 131_072, license: "Llama 3.2 Community License",
            homepage: "https://huggingface.co/meta-llama/Llama-3.2-1B-Instruct", capabilities: [.chat, .functions],
            minimumMemory: 1_300_000_000, sampling: llama3Sampling,
            files: [
                CatalogFile(
                    quantization: "Q4_K_M",
                    hub: HubReference(
                        "bartowski/Llama-3.2-1B-Instruct-GGUF", revision: "067b946cf014b7c697f3654f621d577a3e3afd1c",
                        file: "Llama-3.2-1B-Instruct-Q4_K_M.gguf"),
                    byteCount: 807_694_464,
                    sha256: "6f85a640a97cf2bf5b8e764087b1e83da0fdb51d7c9fab7d0fece9385611df83")
            ],
            repositories: ["bartowski/Llama-3.2-1B-Instruct-GGUF", "unsloth/Llama-3.2-1B-Instruct-GGUF"]),
        CatalogEntry(
            name: "llama3.2-3b", title: "Llama-3.2-3B-Instruct", family: "Llama 3.2", parameterCount: 3_212_749_888,
            trainedContext: 131_072, license: "Llama 3.2 Community License",
            homepage: "https://huggingface.co/meta-llama/Llama-3.2-3B-Instruct", capabilities: [.chat, .functions],
            minimumMemory: 3_200_000_000, sampling: llama3Sampling,
            files: [
                CatalogFile(
                    quantization: "Q4_K_M",
                    hub: HubReference(
                        "bartowski/Llama-3.2-3B-Instruct-GGUF", revision: "5ab33fa94d1d04e903623ae72c95d1696f09f9e8",
                        file: "Llama-3.2-3B-Instruct-Q4_K_M.gguf"),
                    byteCount: 2_019_377_696,
                    sha256: "6c1a2b41161032677be168d354123594c0e6e67d2b9227c84f296ad037c728ff")
            ],
            repositories: ["bartowski/Llama-3.2-3B-Instruct-GGUF", "unsloth/Llama-3.2-3B-Instruct-GGUF"]),
    ]

    static let phi4 = [
        CatalogEntry(
            name: "phi4-mini", title: "Phi-4-mini-instruct", family: "Phi 4", parameterCount: 3_836_021_856,
            trainedContext: 131_072, license: "MIT", homepage: "https://huggingface.co/microsoft/Phi-4-mini-instruct",
            capabilities: [.chat, .functions], minimumMemory: 4_000_000_000,
            files: [
                CatalogFile(
                    quantization: "Q4_K_M",
                    hub: HubReference(
                        "unsloth/Phi-4-mini-instruct-GGUF", revision: "78eb92a46fc37e6b524df991ed9aca9bc6aa7b80",
                        file: "Phi-4-mini-instruct-Q4_K_M.gguf"),
                    byteCount: 2_491_874_272,
                    sha256: "88c00229914083cd112853aab84ed51b87bdf6b9ce42f532d8c85c7c63b1730a")
            ],
            repositories: ["unsloth/Phi-4-mini-instruct-GGUF", "bartowski/microsoft_Phi-4-mini-instruct-GGUF"])
    ]

    // The sampling that the authors of each family recommend.
    private static let lfm2Sampling = SamplingDefaults(temperature: 0.3, minP: 0.15, repetitionPenalty: 1.05)
    private static let gemma3Sampling = SamplingDefaults(temperature: 1, topK: 64, topP: 0.95, minP: 0)
    private static let llama3Sampling = SamplingDefaults(temperature: 0.6, topP: 0.9)
}
