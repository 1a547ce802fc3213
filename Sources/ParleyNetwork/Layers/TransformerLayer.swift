// SPDX-License-Identifier: Apache-2.0

package import ParleyTensor

/// A standard transformer layer: `x += attention(norm(x)); x += feedForward(norm(x))`.
///
/// In some architectures, the result of each branch is normalised before it is added, also or instead.
package struct TransformerLayer: Sendable {
    /// Where the two branches of a layer, attention and the feed-forward network, are normalised.
    package enum Normalization: Sendable {
        /// Their input.
        case input
        /// Their input and their result.
        case inputAndResult
        /// Their result.
        case result
    }

    let attentionNorm: AlignedBuffer?
    package let attention: SelfAttention
    let attentionPostNorm: AlignedBuffer?
    let feedForwardNorm: AlignedBuffer?
    let feedForward: FeedForwardBranch
    let feedForwardPostNorm: AlignedBuffer?
    /// A factor for the result of each branch.
    let branchFactor: Float

    /// Creates a layer, and loads the norms of layer `index`; `feedForwardNorm` is the name of the one before the
    /// feed-forward network.
    package init(
        _ loader: ModelLoader, index: Int, attention: SelfAttention, feedForward: FeedForwardBranch,
        normalization: Normalization = .input, feedForwardNorm: String = "ffn_norm", branchFactor: Float = 1
    ) throws {
        func norm(_ name: String, if isNeeded: Bool) throws -> AlignedBuffer? {
            guard isNeeded else { return nil }
            return try loader.vector("blk.\(index).\(name).weight", count: loader.hyperparameters.width)
        }
        attentionNorm = try norm("attn_norm", if: normalization != .result)
        self.attention = attention
        attentionPostNorm = try norm("post_attention_norm", if: normalization != .input)
        self.feedForwardNorm = try norm(feedForwardNorm, if: normalization != .result)
        self.feedForward = feedForward
        feedForwardPostNorm = try norm("post_ffw_norm", if: normalization != .input)
        self.branchFactor = branchFactor
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
            } else if branchFactor != 1 {
                lane.add(branch, times: branchFactor, into: inner, addingTo: x)
            } else {
                lane.add(branch, to: x)
            }
        }
        func input(_ norm: AlignedBuffer?) -> FloatRows {
            guard let norm else { return x }
            lane.normalize(x, weight: norm, epsilon: epsilon, into: inner)
            return inner
        }
        attention.run(
            input(attentionNorm), into: branch, step: step, layer: layer, angles: angles, pairing: pairing, on: lane)
        addBranch(attentionPostNorm)
        feedForward.run(input(feedForwardNorm), into: branch, step: step, on: lane)
        addBranch(feedForwardPostNorm)
    }
}
