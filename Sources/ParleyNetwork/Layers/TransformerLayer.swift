// SPDX-License-Identifier: Apache-2.0

package import ParleyTensor

/// A standard transformer layer: `x += attention(norm(x)); x += feedForward(norm(x))`.
///
/// In some architectures, the result of each branch is normalised again before it is added.
package struct TransformerLayer: Sendable {
    let attentionNorm: AlignedBuffer
    package let attention: SelfAttention
    let attentionPostNorm: AlignedBuffer?
    let feedForwardNorm: AlignedBuffer
    let feedForward: FeedForward
    let feedForwardPostNorm: AlignedBuffer?

    /// Creates a layer, and loads the norms of layer `index`.
    package init(
        _ loader: ModelLoader, index: Int, attention: SelfAttention, feedForward: FeedForward, normalizesBranches: Bool
    ) throws {
        func norm(_ name: String) throws -> AlignedBuffer {
            try loader.vector("blk.\(index).\(name).weight", count: loader.hyperparameters.width)
        }
        attentionNorm = try norm("attn_norm")
        self.attention = attention
        attentionPostNorm = normalizesBranches ? try norm("post_attention_norm") : nil
        feedForwardNorm = try norm("ffn_norm")
        self.feedForward = feedForward
        feedForwardPostNorm = normalizesBranches ? try norm("post_ffw_norm") : nil
    }

    package func run(
        _ step: ModelStep, layer: Int, angles: FloatRows, pairing: RotaryEmbedding.Pairing, on lane: Lane
    ) {
        let x = step.hidden(on: lane)
        let inner = step.inner(on: lane)
        let branch = step.branch
        let epsilon = attention.epsilon
        func addBranch(_ norm: AlignedBuffer?) {
            if let norm {
                lane.normalize(branch, weight: norm, epsilon: epsilon, into: inner, addingTo: x)
            } else {
                lane.add(branch, to: x)
            }
        }
        lane.normalize(x, weight: attentionNorm, epsilon: epsilon, into: inner)
        attention.run(inner, into: branch, step: step, layer: layer, angles: angles, pairing: pairing, on: lane)
        addBranch(attentionPostNorm)
        lane.normalize(x, weight: feedForwardNorm, epsilon: epsilon, into: inner)
        feedForward.run(inner, into: branch, step: step, on: lane)
        addBranch(feedForwardPostNorm)
    }
}
