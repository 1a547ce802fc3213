// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyNetwork
import ParleyTensor

/// The usual decoder-only transformer: equal layers, each with attention and a gated feed-forward network, or a choice of
/// several such networks.
struct DenseTransformer: Architecture {
    /// The traits of an architecture that its files do not state; biases and shared tensors are read from the files.
    struct Traits: Sendable {
        var pairing = RotaryEmbedding.Pairing.halves
        var queryNormalization = SelfAttention.QueryNormalization.headsIfPresent
        /// Where attention and the feed-forward network are normalised.
        var normalization = TransformerLayer.Normalization.input
        /// The name of the norm of the feed-forward network's input.
        var feedForwardNorm = "ffn_norm"
        var activation = GatedActivation.silu
        /// Whether each query head has a sink, the score of one more position without a value.
        var hasSinks = false
        /// Whether embeddings are multiplied by the square root of their width.
        var scalesEmbedding = false
        /// Whether the file has factors for embeddings, branches, scores and logits.
        var hasFactors = false
        /// Which layers attend only to a sliding window; nil if none does.
        var windows: Windows?
        /// Whether a layer rotates queries and keys; `windows` has the length of each layer's window, 0 for none.
        var rotates: @Sendable (Hyperparameters, _ layer: Int, _ windows: [Int]) throws -> Bool = { _, _, _ in true }
        /// The width by whose square root attention scores are divided.
        var scoreWidth: @Sendable (Hyperparameters) -> Int = { $0.headWidth }
    }

    /// Which layers attend to a sliding window, where the file does not list them: all but every `period`-th.
    struct Windows: Sendable {
        /// The rotary embedding of these layers.
        enum Rotation: Sendable {
            /// That of the other layers.
            case same
            /// One that is not scaled for long contexts, with this base if the file has none; nil for the other layers'.
            case unscaled(base: Float? = nil)
        }

        var period: Int
        var rotation: Rotation
        /// The length of the windows, if the file has none; 0 for no windows.
        var length: @Sendable (Hyperparameters) -> Int = { _ in 0 }
    }

    let embedding: TokenEmbedding
    /// The rotary embedding of layers that attend to all positions.
    let rotation: RotaryEmbedding
    /// The rotary embedding of layers with a sliding window; nil for that of the others.
    let localRotation: RotaryEmbedding?
    let layers: [TransformerLayer]
    /// Whether each layer rotates queries and keys.
    let rotates: [Bool]
    let head: LanguageHead

    init(_ loader: ModelLoader, _ traits: Traits) throws {
        let hyper = loader.hyperparameters
        let factors = try traits.hasFactors ? Factors(hyper) : Factors()
        var embedding = try TokenEmbedding(loader)
        embedding.factor = traits.scalesEmbedding ? Float(hyper.width).squareRoot() : factors.embedding
        self.embedding = embedding
        let pairing = traits.pairing
        rotation = try loader.rotation(pairing: pairing)
        if case .unscaled(let base)? = traits.windows?.rotation {
            localRotation = try loader.localRotation(pairing: pairing, base: base)
        } else {
            localRotation = nil
        }
        let windows = try traits.windows.map { try hyper.windows($0) } ?? Array(repeating: 0, count: hyper.layers)
        rotates = try windows.indices.map { try traits.rotates(hyper, $0, windows) }
        layers = try windows.enumerated().map { index, window in
            try TransformerLayer(
                loader, index: index,
                attention: SelfAttention(
                    loader, layer: index, normalizes: traits.queryNormalization, window: window,
                    scale: factors.score ?? 1 / Float(traits.scoreWidth(hyper)).squareRoot(), hasSinks: traits.hasSinks),
                feedForward: FeedForwardBranch(loader, layer: index, activation: traits.activation),
                normalization: traits.normalization, feedForwardNorm: traits.feedForwardNorm,
                branchFactor: factors.branch)
        }
        var head = try LanguageHead(loader, embedding: embedding)
        head.factor = factors.logit
        self.head = head
    }

    func run(_ step: ModelStep, on lane: Lane) {
        embedding.run(step, on: lane)
        lane.computeAngles(rotation, sequences: step.sequences, into: step.angles)
        if let localRotation { lane.computeAngles(localRotation, sequences: step.sequences, into: step.localAngles) }
        for (index, layer) in layers.enumerated() {
            let isLocal = localRotation != nil && layer.attention.shape.window > 0
            let angles = isLocal ? step.localAngles : step.angles
            layer.run(
                step, layer: index, angles: rotates[index] ? angles : angles.columns(from: 0, width: 0),
                pairing: rotation.pairing, on: lane)
        }
    }
}

/// The factors that files of some architectures have ([muP](https://arxiv.org/abs/2203.03466)).
private struct Factors {
    var embedding: Float = 1
    /// Of the results of attention and of the feed-forward network.
    var branch: Float = 1
    /// Of attention scores; nil for the usual one.
    var score: Float?
    var logit: Float = 1

    init() {}

    init(_ hyper: Hyperparameters) throws {
        func factor(_ name: String) throws -> Float? {
            guard let value = try hyper.metadata.float(ifPresent: hyper.key(name)), value != 0 else { return nil }
            guard value.isFinite else {
                throw NetworkError(
                    .invalidFile,
                    "\(hyper.key(name)) is \(value), not a number. The file is damaged; download it again.")
            }
            return value
        }
        embedding = try factor("embedding_scale") ?? 1
        branch = try factor("residual_scale") ?? 1
        score = try factor("attention.scale")
        logit = try factor("logit_scale").map { 1 / $0 } ?? 1
    }
}

extension Hyperparameters {
    /// The number of positions that each layer attends to; 0 for all.
    ///
    /// The file lists the layers with a window, or has the period, or neither.
    fileprivate func windows(_ usual: DenseTransformer.Windows) throws -> [Int] {
        let length = try metadata.unsigned(ifPresent: key("attention.sliding_window")) ?? usual.length(self)
        let period = max(metadata[key("attention.sliding_window_pattern")]?.unsigned ?? usual.period, 1)
        let isLocal = attention.slides ?? (1...layers).map { $0 % period != 0 }
        return isLocal.map { $0 ? length : 0 }
    }
}
