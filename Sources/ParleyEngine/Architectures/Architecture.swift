// SPDX-License-Identifier: Apache-2.0

import ParleyTensor

/// A network: its weights and the order of its layers.
///
/// `run` is executed by all lanes of a pool side by side; it reads as if one thread ran it.
protocol Architecture: Sendable {
    /// Reads the weights.
    init(_ loader: ModelLoader) throws

    /// From the last hidden state to logits.
    var head: LanguageHead { get }

    /// Takes the rows of a step through all layers; leaves their last hidden state in `step.hidden(on:)`.
    func run(_ step: ModelStep, on lane: Lane)
}

/// The architectures the engine runs, by the name that files give them.
let architectures: [String: any Architecture.Type] = [
    "gemma3": Gemma3.self,
    "lfm2": LFM2.self,
    "llama": Llama.self,
    "phi3": Phi3.self,
    "qwen2": Qwen2.self,
    "qwen3": Qwen3.self,
]
