// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyNetwork
import ParleyTensor

/// The usual decoder-only transformer: equal layers, each with attention and a gated feed-forward network.
struct DenseTransformer: Architecture {
    /// The traits of an architecture that its files do not state; biases and shared tensors are read from the files.
    struct Traits: Sendable {
        var pairing = RotaryEmbedding.Pairing.halves
        /// Whether the heads of queries and keys are normalised.
        var normalizesHeads = false
        /// Whether the output of attention and of the feed-forward network is normalised before it is added.
        var normalizesBranches = false
        var activation = GatedActivation.silu
        /// Whether embeddings are multiplied by the square root of their width.
        var scalesEmbedding = false
        /// Whether some layers attend only to a sliding window, and have their own rotary embedding.
        var hasWindows = false
        /// The width by whose square root attention scores are divided.
        var scoreWidth: @Sendable (Hyperparameters) -> Int = { $0.headWidth }
    }

    let embedding: TokenEmbedding
    /// The rotary embedding of layers that attend to all positions.
    let rotation: RotaryEmbedding
    /// The rotary embedding of layers with a sliding window.
    let localRotation: RotaryEmbedding?
    let layers: [TransformerLayer]
    let head: LanguageHead

    init(_ loader: ModelLoader, _ traits: Traits) throws {
        let hyper = loader.hyperparameters
        var embedding = try TokenEmbedding(loader)
        if traits.scalesEmbedding { embedding.factor = Float(hyper.width).squareRoot() }
        self.embedding = embedding
        rotation = try loader.rotation(pairing: traits.pairing)
        localRotation = traits.hasWindows ? try loader.localRotation(pairing: traits.pairing) : nil
        let windows = traits.hasWindows ? try hyper.windows : []
        layers = try (0..<hyper.layers).map { index in
            try TransformerLayer(
                loader, index: index,
                attention: SelfAttention(
                    loader, layer: index, normalizesHeads: traits.normalizesHeads,
                    window: windows.isEmpty ? 0 : windows[index],
                    scale: 1 / Float(traits.scoreWidth(hyper)).squareRoot()),
                feedForward: FeedForward(loader, layer: index, activation: traits.activation),
                normalizesBranches: traits.normalizesBranches)
        }
        head = try LanguageHead(loader, embedding: embedding)
    }

    func run(_ step: ModelStep, on lane: Lane) {
        embedding.run(step, on: lane)
        lane.computeAngles(rotation, sequences: step.sequences, into: step.angles)
        if let localRotation { lane.computeAngles(localRotation, sequences: step.sequences, into: step.localAngles) }
        for (index, layer) in layers.enumerated() {
            let angles = layer.attention.shape.window > 0 ? step.localAngles : step.angles
            layer.run(step, layer: index, angles: angles, pairing: rotation.pairing, on: lane)
        }
    }
}

extension Hyperparameters {
    /// The number of positions that each layer attends to; 0 for all.
    ///
    /// The file lists the layers with a window; if it does not, all layers but every sixth have one.
    fileprivate var windows: [Int] {
        get throws {
            let window = try metadata.unsigned(ifPresent: key("attention.sliding_window")) ?? 0
            let pattern = metadata[key("attention.sliding_window_pattern")]
            let period = max(pattern?.unsigned ?? 6, 1)
            let listed = pattern?.count == layers ? pattern?.bools : nil
            let isLocal = listed ?? (1...layers).map { $0 % period != 0 }
            return isLocal.map { $0 ? window : 0 }
        }
    }
}
