// SPDX-License-Identifier: Apache-2.0

import ParleyNetwork
import ParleyTensor

/// A network: its weights and the order of its layers.
///
/// `run` is executed by all lanes of a pool side by side; it reads as if one thread ran it.
protocol Architecture: Sendable {
    /// From the last hidden state to logits.
    var head: LanguageHead { get }

    /// Takes the rows of a step through all layers; leaves their last hidden state in `step.hidden(on:)`.
    func run(_ step: ModelStep, on lane: Lane)
}

/// What reads the weights of the architectures that the engine runs, by the name that files give them.
let architectures: [String: @Sendable (ModelLoader) throws -> any Architecture] = [
    // Gemma 3, text: most layers see a sliding window, and each branch is normalised before and after
    // ([Gemma Team, 2025](https://arxiv.org/abs/2503.19786)).
    "gemma3": dense(
        .init(
            normalizesHeads: true, normalizesBranches: true, activation: .gelu, scalesEmbedding: true, hasWindows: true,
            // The 27B model divides by the width a head would have if the heads shared the hidden state.
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
