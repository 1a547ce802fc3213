// SPDX-License-Identifier: Apache-2.0

import ParleyTensor

/// Llama 2 and 3, Mistral, SmolLM2, TinyLlama ([Touvron et al., 2023](https://arxiv.org/abs/2302.13971)).
struct Llama: Architecture {
    let embedding: TokenEmbedding
    let rotation: RotaryEmbedding
    let layers: [TransformerLayer]
    let head: LanguageHead

    init(_ loader: ModelLoader) throws {
        embedding = try TokenEmbedding(loader)
        rotation = try loader.rotation(pairing: .adjacent)
        layers = try (0..<loader.hyperparameters.layers).map { try TransformerLayer(loader, index: $0) }
        head = try LanguageHead(loader, embedding: embedding)
    }

    func run(_ step: ModelStep, on lane: Lane) {
        embedding.run(step, on: lane)
        lane.computeAngles(rotation, sequences: step.sequences, into: step.angles)
        for (index, layer) in layers.enumerated() {
            layer.run(step, layer: index, angles: step.angles, pairing: rotation.pairing, on: lane)
        }
    }
}
