// SPDX-License-Identifier: Apache-2.0

import ParleyTensor

/// The usual layer: `x += attention(norm(x)); x += feedForward(norm(x))`.
struct TransformerLayer: Sendable {
    let attentionNorm: AlignedBuffer
    let attention: SelfAttention
    let feedForwardNorm: AlignedBuffer
    let feedForward: FeedForward

    init(_ loader: ModelLoader, index: Int, normalizesHeads: Bool = false) throws {
        let width = loader.hyperparameters.width
        attentionNorm = try loader.vector("blk.\(index).attn_norm.weight", count: width)
        attention = try SelfAttention(loader, layer: index, normalizesHeads: normalizesHeads)
        feedForwardNorm = try loader.vector("blk.\(index).ffn_norm.weight", count: width)
        feedForward = try FeedForward(loader, layer: index)
    }

    func run(
        _ step: ModelStep, layer: Int, angles: FloatRows, pairing: RotaryEmbedding.Pairing, on lane: Lane
    ) {
        let x = step.hidden(on: lane)
        let inner = step.inner(on: lane)
        let branch = step.branch
        lane.normalize(x, weight: attentionNorm, epsilon: attention.epsilon, into: inner)
        attention.run(inner, into: branch, step: step, layer: layer, angles: angles, pairing: pairing, on: lane)
        lane.add(branch, to: x)
        lane.normalize(x, weight: feedForwardNorm, epsilon: attention.epsilon, into: inner)
        feedForward.run(inner, into: branch, step: step, on: lane)
        lane.add(branch, to: x)
    }
}
