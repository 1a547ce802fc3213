// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyDialect
import ParleyTestSupport
import Testing

@Suite("The formats of calls of real templates")
struct TemplateFormatTests {
    private static let formats: [(format: FunctionCallFormat, names: [String])] = [
        (
            FunctionCallFormat.lfmPythonic,
            [
                "LFM2-8B-A1B", "LFM2.5-8B-A1B", "LFM2.5-Instruct",
            ]
        ),
        (
            FunctionCallFormat.apriel,
            [
                "Apriel-1.6-15b-Thinker-fixed", "unsloth-Apriel-1.5",
            ]
        ),
        (
            FunctionCallFormat.hermes,
            [
                "Bielik-11B-v3.0-Instruct", "MiMo-VL", "NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use",
                "NousResearch-Hermes-3-Llama-3.1-8B-tool_use", "Qwen-QwQ-32B", "Qwen-Qwen2.5-7B-Instruct",
                "Qwen-Qwen3-0.6B", "Reka-Edge", "ibm-granite-granite-4.0", "ibm-granite-granite-4.1",
            ]
        ),
        (
            FunctionCallFormat.qwenCoder,
            [
                "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "Qwen3-Coder", "Qwen3.5-4B", "StepFun3.5-Flash",
            ]
        ),
        (
            FunctionCallFormat.harmony,
            [
                "openai-gpt-oss-120b"
            ]
        ),
        (
            FunctionCallFormat.gemma,
            [
                "google-gemma-4-31B-it", "google-gemma-4-31B-it-interleaved",
            ]
        ),
        (
            FunctionCallFormat.mistralNamed,
            [
                "Mistral-Small-3.2-24B-Instruct-2506", "mistralai-Ministral-3-14B-Reasoning-2512",
                "unsloth-mistral-Devstral-Small-2507",
            ]
        ),
        (
            FunctionCallFormat.mistralJSON,
            [
                "mistralai-Mistral-Nemo-Instruct-2407"
            ]
        ),
        (
            FunctionCallFormat.llama3JSON,
            [
                "meta-llama-Llama-3.1-8B-Instruct", "meta-llama-Llama-3.2-3B-Instruct",
                "meta-llama-Llama-3.3-70B-Instruct",
            ]
        ),
    ]

    /// Those that take no functions.
    private static let plain = [
        "HuggingFaceTB-SmolLM3-3B", "deepseek-ai-DeepSeek-R1-Distill-Llama-8B",
        "deepseek-ai-DeepSeek-R1-Distill-Qwen-32B", "deepseek-ai-DeepSeek-V3.1", "google-gemma-2-2b-it",
        "llama-cpp-rwkv-world", "microsoft-Phi-3.5-mini-instruct",
    ]

    @Test(
        "Each template of the collection has the format that its model writes",
        .enabled(if: !TemplateCorpus.names.isEmpty, References.hint))
    func formats() throws {
        for file in TemplateCorpus.names {
            let name = String(file.dropLast(".jinja".count))
            let support = FunctionCallSupport(template: try TemplateCorpus.source(file))
            let format = Self.formats.first { $0.names.contains(name) }?.format
            let takesFunctions = !Self.plain.contains(name)
            #expect(support.takesFunctions == takesFunctions, "\(name)")
            #expect(support.format == (takesFunctions ? format ?? .rawText : .hermes), "\(name)")
        }
    }
}
