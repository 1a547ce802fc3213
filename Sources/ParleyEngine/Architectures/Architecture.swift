// SPDX-License-Identifier: Apache-2.0

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
    // Gemma 3, text: most layers see a sliding window, and each branch is normalised before and after
    // ([Gemma Team, 2025](https://arxiv.org/abs/2503.19786)).
    "gemma3": dense(
        .init(
            normalizesHeads: true, normalizesBranches: true, activation: .gelu, scalesEmbedding: true, hasWindows: true,
            // The 27B model scales by the width that a head would have if the heads divided the hidden state evenly.
            scoreWidth: { $0.layers == 62 ? $0.width / $0.heads : $0.headWidth })),
    "lfm2": { try LFM2($0) },
    // Llama 2 and 3, Mistral, SmolLM2, TinyLlama ([Touvron et al., 2023](https://arxiv.org/abs/2302.13971)).
    "llama": dense(.init(pairing: .adjacent)),
    // Phi 3 and 4: queries, keys and values in one tensor, and gate and up in another
    // ([Abdin et al., 2024](https://arxiv.org/abs/2404.14219)).
    "phi3": dense(.init()),
    // Qwen 2 and 2.5: biases on queries, keys and values ([Yang et al., 2024](https://arxiv.org/abs/2407.10671)).
    "qwen2": dense(.init()),
    // Qwen 3: normalised heads of queries and keys ([Yang et al., 2025](https://arxiv.org/abs/2505.09388)).
    "qwen3": dense(.init(normalizesHeads: true)),
]

private func dense(_ traits: DenseTransformer.Traits) -> @Sendable (ModelLoader) throws -> any Architecture {
    { try DenseTransformer($0, traits) }
}
