// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyNetwork
import ParleyTensor

/// A network architecture: the weights and the order of the layers.
///
/// All lanes (threads) of a pool execute `run` together, but it is written as if for a single thread.
protocol Architecture: Sendable {
    /// Computes logits from the last hidden state.
    var head: LanguageHead { get }

    /// Runs the rows of a step through all layers and leaves their last hidden state in `step.hidden(on:)`.
    func run(_ step: ModelStep, on lane: Lane)
}

/// The loaders of the supported architectures, by the names used in GGUF files.
let architectures: [String: @Sendable (ModelLoader) throws -> any Architecture] = [
    // ERNIE 4.5 ([Baidu, 2025](https://ernie.baidu.com/blog/publication/ERNIE_Technical_Report.pdf)).
    "ernie4_5": dense(.init(pairing: .adjacent)),
    // EXAONE 4: results are normalised, not inputs; models with windows, as the one of 32B, rotate only in those layers
    // ([LG AI Research, 2025](https://arxiv.org/abs/2507.11407)).
    "exaone4": dense(
        .init(
            queryNormalization: .heads, normalization: .result,
            windows: .init(period: 4, rotation: .same, length: { $0.layers == 64 ? 4_096 : 0 }),
            rotates: { _, layer, windows in windows[layer] > 0 || windows.allSatisfy { $0 == 0 } })),
    // Falcon-H1: a state space beside attention in each layer
    // ([Falcon-LLM Team, 2025](https://arxiv.org/abs/2507.22448)).
    "falcon-h1": hybrid(
        .init(
            mixer: { .both(try SelfAttention($0, layer: $1), try StateSpace($0, layer: $1)) },
            feedForwardNorm: "ffn_norm")),
    // Gemma 3, text: most layers see a sliding window, and each branch is normalised before and after
    // ([Gemma Team, 2025](https://arxiv.org/abs/2503.19786)).
    "gemma3": dense(
        .init(
            queryNormalization: .heads, normalization: .inputAndResult, activation: .gelu, scalesEmbedding: true,
            windows: .init(period: 6, rotation: .unscaled(base: 10_000)),
            // The 27B model scales by the width that a head would have if the heads divided the hidden state evenly.
            scoreWidth: { $0.layers == 62 ? $0.width / $0.heads : $0.headWidth })),
    "gemma3n": { try Gemma3n($0) },
    "gemma4": { try Gemma4($0) },
    // gpt-oss: experts with biases, windows in every other layer, and heads that may attend to nothing
    // ([OpenAI, 2025](https://arxiv.org/abs/2508.10925)).
    "gpt-oss": dense(
        .init(
            feedForwardNorm: "post_attention_norm", activation: .clampedSwish, hasSinks: true,
            windows: .init(period: 2, rotation: .same))),
    // Granite 3 and 4: factors for embeddings, branches, scores and logits; some models rotate nothing
    // ([IBM, 2024](https://github.com/ibm-granite/granite-3.0-language-models/blob/main/paper.pdf)).
    "granite": dense(granite),
    // Granite 3 with experts.
    "granitemoe": dense(granite),
    // LFM2: short convolutions in most layers
    // ([Liquid AI, 2025](https://www.liquid.ai/blog/liquid-foundation-models-v2-our-second-series-of-generative-ai-models)).
    "lfm2": hybrid(lfm2),
    // LFM2 with experts in all but the first layers.
    "lfm2moe": hybrid(lfm2),
    // Llama 2 and 3, Mistral and Mixtral, SmolLM2, TinyLlama ([Touvron et al., 2023](https://arxiv.org/abs/2302.13971)).
    "llama": dense(.init(pairing: .adjacent)),
    // Ministral 3 and its like: scores grow with the position
    // ([Mistral AI, 2025](https://mistral.ai/news/mistral-3)).
    "mistral3": dense(.init(pairing: .adjacent)),
    // OLMo 2 and 3: results are normalised, not inputs, and queries and keys as whole rows; OLMo 3 has windows
    // ([OLMo Team, 2024](https://arxiv.org/abs/2501.00656)).
    "olmo2": dense(
        .init(
            queryNormalization: .rows, normalization: .result, windows: .init(period: 4, rotation: .unscaled()))),
    // Phi 3 and 4: queries, keys and values in one tensor, and gate and up in another
    // ([Abdin et al., 2024](https://arxiv.org/abs/2404.14219)).
    "phi3": dense(.init()),
    // Qwen 2 and 2.5: biases on queries, keys and values ([Yang et al., 2024](https://arxiv.org/abs/2407.10671)).
    "qwen2": dense(.init()),
    // Qwen 3: normalised heads of queries and keys ([Yang et al., 2025](https://arxiv.org/abs/2505.09388)).
    "qwen3": dense(.init(queryNormalization: .heads)),
    // Qwen 3.5: gated delta nets in three of four layers, gated attention in the others
    // ([Yang et al., 2024](https://arxiv.org/abs/2412.06464)).
    "qwen35": hybrid(qwen35),
    // Qwen 3.5 with experts, one of which computes every token.
    "qwen35moe": hybrid(qwen35),
    // Qwen 3 with experts.
    "qwen3moe": dense(.init(queryNormalization: .heads)),
    // SmolLM3: every fourth layer rotates nothing
    // ([Hugging Face, 2025](https://huggingface.co/blog/smollm3)).
    "smollm3": dense(.init(pairing: .adjacent, rotates: { _, layer, _ in (layer + 1) % 4 != 0 })),
]

private let granite = DenseTransformer.Traits(
    pairing: .adjacent, hasFactors: true,
    rotates: { hyper, _, _ in try hyper.metadata.bool(ifPresent: hyper.key("rope.scaling.finetuned")) ?? true })

private let lfm2 = HybridTransformer.Traits(
    mixer: { loader, layer in
        loader.hyperparameters.kvHeads[layer] > 0
            ? .attention(try SelfAttention(loader, layer: layer, normalizes: .heads))
            : .convolution(try ShortConvolution(loader, layer: layer))
    },
    outputNorm: "token_embd_norm.weight")

private let qwen35 = HybridTransformer.Traits(
    mixer: { loader, layer in
        loader.hyperparameters.kvHeads[layer] > 0
            ? .attention(try SelfAttention(loader, layer: layer, normalizes: .heads, isGated: true))
            : .deltaNet(try GatedDeltaNet(loader, layer: layer))
    },
    feedForwardNorm: "post_attention_norm.weight")

private func hybrid(_ traits: HybridTransformer.Traits) -> @Sendable (ModelLoader) throws -> any Architecture {
    { try HybridTransformer($0, traits) }
}

private func dense(_ traits: DenseTransformer.Traits) -> @Sendable (ModelLoader) throws -> any Architecture {
    { try DenseTransformer($0, traits) }
}
