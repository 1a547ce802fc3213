// SPDX-License-Identifier: Apache-2.0

import ParleyTensor

/// Qwen 3: Llama's layers with normalised heads of queries and keys ([Yang et al., 2025](https://arxiv.org/abs/2505.09388)).
struct Qwen3: Architecture {
    let embedding: TokenEmbedding
    let rotation: RotaryEmbedding
    let layers: [TransformerLayer]
    let head: LanguageHead

    init(_ loader: ModelLoader) throws {
        embedding = try TokenEmbedding(loader)
        rotation = try loader.rotation(pairing: .halves)
        layers = try (0..<loader.hyperparameters.layers).map {
            try TransformerLayer(loader, index: $0, normalizesHeads: true)
        }
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
