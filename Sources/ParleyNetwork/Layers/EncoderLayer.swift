// SPDX-License-Identifier: Apache-2.0

package import ParleyTensor

/// A layer of an encoder, which normalises after each branch as the original transformer does
/// ([Vaswani et al., 2017](https://arxiv.org/abs/1706.03762)): `x = norm(x + attention(x)); x = norm(x + feedForward(x))`.
package struct EncoderLayer: Sendable {
    private let attention: SelfAttention
    private let attentionNorm: LayerNorm
    /// `[feedForwardWidth, width]`
    private let up: PackedMatrix
    /// `[width, feedForwardWidth]`
    private let down: PackedMatrix
    private let upBias: AlignedBuffer?
    private let downBias: AlignedBuffer?
    /// As many ones as the feed-forward part is wide; see ``Lane/activate(adding:ones:in:)``.
    private let ones: AlignedBuffer
    private let outputNorm: LayerNorm

    /// Loads the tensors of layer `index` by their usual names; biases are optional.
    package init(_ loader: ModelLoader, index: Int) throws {
        let hyper = loader.hyperparameters
        let width = hyper.feedForwardWidth[index]
        let name = "blk.\(index)."
        attention = try SelfAttention(loader, layer: index)
        attentionNorm = try LayerNorm(loader, name + "attn_output_norm")
        up = try loader.matrix(name + "ffn_up.weight", rows: width, columns: hyper.width)
        down = try loader.matrix(name + "ffn_down.weight", rows: hyper.width, columns: width)
        upBias = try loader.vector(ifPresent: name + "ffn_up.bias", count: width)
        downBias = try loader.vector(ifPresent: name + "ffn_down.bias", count: hyper.width)
        ones = try AlignedBuffer(zeroedFloats: width)
        ones.floats.update(repeating: 1, count: width)
        outputNorm = try LayerNorm(loader, name + "layer_output_norm")
    }

    /// Computes the layer in place on the hidden state of the step.
    package func run(_ step: EncoderStep, on lane: Lane) {
        let x = step.hidden
        let inner = step.inner.columns(from: 0, width: up.rows)
        attention.run(x, into: step.branch, step: step, on: lane)
        end(attentionNorm, bias: attention.outputBias, step, on: lane)
        lane.multiply(x, by: up, into: inner, quantized: step.scratch.quantized)
        lane.activate(adding: upBias, ones: ones, in: inner)
        lane.multiply(inner, by: down, into: step.branch, quantized: step.scratch.quantized)
        end(outputNorm, bias: downBias, step, on: lane)
    }

    private func end(_ norm: LayerNorm, bias: AlignedBuffer?, _ step: EncoderStep, on lane: Lane) {
        lane.addAndNormalize(
            step.branch, summand: bias, weight: norm.weight, bias: norm.bias, epsilon: norm.epsilon, into: step.hidden)
    }
}

extension SelfAttention {
    /// Computes the attention of all rows of a text to all of them, without the bias of the output: both are `[rows,
    /// width]`.
    fileprivate func run(_ x: FloatRows, into y: FloatRows, step: EncoderStep, on lane: Lane) {
        let q = step.queries.columns(from: 0, width: query.rows)
        let k = step.keys.columns(from: 0, width: key.rows)
        let v = step.values.columns(from: 0, width: value.rows)
        let mixed = step.mixed.columns(from: 0, width: query.rows)
        let cache = step.scratch.cache
        lane.multiply(x, by: (query, key, value), into: (q, k, v), quantized: step.scratch.quantized)
        lane.addAndStore(
            q: q, k: k, v: v, biases: (queryBias, keyBias, valueBias), shape: shape, sequences: step.texts,
            cache: cache)
        lane.attendToAll(q: q, into: mixed, shape: shape, sequences: step.texts, cache: cache)
        lane.multiply(mixed, by: output, into: y, quantized: step.scratch.quantized)
    }
}
