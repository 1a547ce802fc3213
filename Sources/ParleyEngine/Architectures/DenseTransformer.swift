// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyNetwork
import ParleyTensor

/// The decoder that most language models are: layers of attention and a gated feed-forward part, one like the other.
struct DenseTransformer: Architecture {
    /// What distinguishes an architecture, beside what its files say themselves (biases, tensors that are shared).
    struct Traits: Sendable {
        var pairing = RotaryEmbedding.Pairing.halves
        /// Whether queries and keys must have norms.
        var normalizesHeads = false
        /// Whether branches are normalised once more before they are added.
        var normalizesBranches = false
        var activation = GatedActivation.silu
        /// Whether embeddings are multiplied by the root of their width.
        var scalesEmbedding = false
        /// Whether some layers see a sliding window, and have a rotation of their own.
        var hasWindows = false
        /// Scores are divided by the root of it.
        var scoreWidth: @Sendable (Hyperparameters) -> Int = { $0.headWidth }
    }

    let embedding: TokenEmbedding
    /// For layers that see everything.
    let rotation: RotaryEmbedding
    /// For layers with a window.
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
    /// How many positions each layer sees, 0 for all: as the file lists the layers with a window, or all but every sixth.
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
