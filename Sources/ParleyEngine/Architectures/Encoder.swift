// SPDX-License-Identifier: Apache-2.0

import ParleyNetwork
import ParleyTensor

/// The network of an encoder: the weights and the order of the layers.
///
/// All lanes (threads) of a pool execute `run` together, but it is written as if for a single thread.
protocol Encoder: Sendable {
    /// Runs the texts of a step through all layers and leaves the last hidden state of their rows in `step.hidden`.
    func run(_ step: EncoderStep, on lane: Lane)
}

/// The loaders of the supported encoders, by the names used in GGUF files.
let encoders: [String: @Sendable (ModelLoader) throws -> any Encoder] = [
    "bert": { try BERT($0) }
]

/// BERT and the models of its form, such as MiniLM ([Devlin et al., 2018](https://arxiv.org/abs/1810.04805)).
struct BERT: Encoder {
    let embedding: EncoderEmbedding
    let layers: [EncoderLayer]

    init(_ loader: ModelLoader) throws {
        embedding = try EncoderEmbedding(loader)
        layers = try (0..<loader.hyperparameters.layers).map { try EncoderLayer(loader, index: $0) }
    }

    func run(_ step: EncoderStep, on lane: Lane) {
        embedding.run(step, on: lane)
        for layer in layers { layer.run(step, on: lane) }
    }
}
