// SPDX-License-Identifier: Apache-2.0

import ParleyTensor

/// Phi 3 and 4: Llama's layers with queries, keys and values in one tensor, and gate and up in another ([Abdin et al., 2024](https://arxiv.org/abs/2404.14219)).
struct Phi3: Architecture {
    let embedding: TokenEmbedding
    let rotation: RotaryEmbedding
    let layers: [TransformerLayer]
    let head: LanguageHead

    init(_ loader: ModelLoader) throws {
        embedding = try TokenEmbedding(loader)
        rotation = try loader.rotation(pairing: .halves)
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
