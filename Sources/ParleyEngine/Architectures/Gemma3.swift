// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyTensor

/// Gemma 3, text: most layers see a sliding window, and each branch is normalised before and after
/// ([Gemma Team, 2025](https://arxiv.org/abs/2503.19786)).
struct Gemma3: Architecture {
    struct Layer: Sendable {
        let attentionNorm: AlignedBuffer
        let attention: SelfAttention
        let attentionPostNorm: AlignedBuffer
        let feedForwardNorm: AlignedBuffer
        let feedForward: FeedForward
        let feedForwardPostNorm: AlignedBuffer
    }

    let embedding: TokenEmbedding
    /// For layers that see everything.
    let rotation: RotaryEmbedding
    /// For layers with a window.
    let localRotation: RotaryEmbedding
    let layers: [Layer]
    let head: LanguageHead

    init(_ loader: ModelLoader) throws {
        let hyper = loader.hyperparameters
        let window = try hyper.metadata.unsigned(ifPresent: hyper.key("attention.sliding_window")) ?? 0
        let isLocal = try Self.localLayers(hyper)
        let localBase = try hyper.metadata.float(ifPresent: hyper.key("rope.freq_base_swa")) ?? 10_000
        // The 27B model divides by the width a head would have if the heads shared the hidden state.
        let scaledWidth = hyper.layers == 62 ? hyper.width / hyper.heads : hyper.headWidth
        var embedding = try TokenEmbedding(loader)
        embedding.factor = Float(hyper.width).squareRoot()
        self.embedding = embedding
        rotation = try loader.rotation(pairing: .halves)
        localRotation = try loader.checked(
            RotaryEmbedding(width: hyper.rotaryWidth, base: Double(localBase), pairing: .halves))
        layers = try (0..<hyper.layers).map { index in
            func norm(_ name: String) throws -> AlignedBuffer {
                try loader.vector("blk.\(index).\(name).weight", count: hyper.width)
            }
            return Layer(
                attentionNorm: try norm("attn_norm"),
                attention: try SelfAttention(
                    loader, layer: index, normalizesHeads: true, window: isLocal[index] ? window : 0,
                    scale: 1 / Float(scaledWidth).squareRoot()),
                attentionPostNorm: try norm("post_attention_norm"), feedForwardNorm: try norm("ffn_norm"),
                feedForward: try FeedForward(loader, layer: index, activation: .gelu),
                feedForwardPostNorm: try norm("post_ffw_norm"))
        }
        head = try LanguageHead(loader, embedding: embedding)
    }

    func run(_ step: ModelStep, on lane: Lane) {
        let x = step.hidden(on: lane)
        let inner = step.inner(on: lane)
        let branch = step.branch
        embedding.run(step, on: lane)
        lane.computeAngles(rotation, sequences: step.sequences, into: step.angles)
        lane.computeAngles(localRotation, sequences: step.sequences, into: step.localAngles)
        for (index, layer) in layers.enumerated() {
            let epsilon = layer.attention.epsilon
            let angles = layer.attention.shape.window > 0 ? step.localAngles : step.angles
            lane.normalize(x, weight: layer.attentionNorm, epsilon: epsilon, into: inner)
            layer.attention.run(
                inner, into: branch, step: step, layer: index, angles: angles, pairing: .halves, on: lane)
            lane.normalize(branch, weight: layer.attentionPostNorm, epsilon: epsilon, into: inner, addingTo: x)
            lane.normalize(x, weight: layer.feedForwardNorm, epsilon: epsilon, into: inner)
            layer.feedForward.run(inner, into: branch, step: step, on: lane)
            lane.normalize(branch, weight: layer.feedForwardPostNorm, epsilon: epsilon, into: inner, addingTo: x)
        }
    }

    /// Which layers have a window: as the file lists them, or all but every sixth.
    private static func localLayers(_ hyper: Hyperparameters) throws -> [Bool] {
        let key = hyper.key("attention.sliding_window_pattern")
        if let value = hyper.metadata[key], value.count == hyper.layers, let listed = value.bools { return listed }
        let period = max(hyper.metadata[key]?.unsigned ?? 6, 1)
        return (0..<hyper.layers).map { ($0 + 1) % period != 0 }
    }
}
