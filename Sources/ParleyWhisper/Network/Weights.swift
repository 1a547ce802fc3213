// SPDX-License-Identifier: Apache-2.0

import ParleyTensor

/// The weights of a normalisation by mean and variance ([Ba et al., 2016](https://arxiv.org/abs/1607.06450)).
struct Norm: Sendable {
    private static let epsilon: Float = 1e-5

    let weight: AlignedBuffer
    let bias: AlignedBuffer

    init(_ loader: WeightLoader, _ name: String) throws {
        weight = try loader.floats(name + ".weight", count: loader.file.dimensions.width)
        bias = try loader.floats(name + ".bias", count: loader.file.dimensions.width)
    }

    func run(_ x: FloatRows, into y: FloatRows, on lane: Lane) {
        lane.normalize(x, weight: weight, bias: bias, epsilon: Self.epsilon, into: y)
    }
}

/// A product with a summand.
struct Linear: Sendable {
    let weight: PackedMatrix
    let bias: AlignedBuffer?

    init(_ loader: WeightLoader, _ name: String, rows: Int, columns: Int, hasBias: Bool = true) throws {
        weight = try loader.matrix(name + ".weight", rows: rows, columns: columns)
        bias = hasBias ? try loader.floats(name + ".bias", count: rows) : nil
    }
}

/// The queries, keys, values and output of an attention; keys have no bias.
struct AttentionWeights: Sendable {
    let query: Linear
    let key: Linear
    let value: Linear
    let output: Linear
    let shape: AttentionShape

    init(_ loader: WeightLoader, _ name: String, heads: Int) throws {
        let width = loader.file.dimensions.width
        query = try Linear(loader, name + ".query", rows: width, columns: width)
        key = try Linear(loader, name + ".key", rows: width, columns: width, hasBias: false)
        value = try Linear(loader, name + ".value", rows: width, columns: width)
        output = try Linear(loader, name + ".out", rows: width, columns: width)
        shape = AttentionShape(
            heads: heads, kvHeads: heads, headWidth: width / heads, scale: 1 / Float(width / heads).squareRoot())
    }
}

/// A feed-forward part, `down · gelu(up · x)`.
struct FeedForwardWeights: Sendable {
    let norm: Norm
    let up: Linear
    let down: Linear

    init(_ loader: WeightLoader, _ name: String) throws {
        let (width, inner) = (loader.file.dimensions.width, loader.file.dimensions.innerWidth)
        norm = try Norm(loader, name + "mlp_ln")
        up = try Linear(loader, name + "mlp.0", rows: inner, columns: width)
        down = try Linear(loader, name + "mlp.2", rows: width, columns: inner)
    }

    /// Adds the part's result to `x`; `normed`, `inner` and `branch` are scratch memory.
    func run(
        _ x: FloatRows, normed: FloatRows, inner: FloatRows, branch: FloatRows, quantized: QuantizedRows, on lane: Lane
    ) {
        norm.run(x, into: normed, on: lane)
        lane.multiply(normed, by: up.weight, into: inner, quantized: quantized)
        lane.activateExactly(adding: up.bias, in: inner)
        lane.multiply(inner, by: down.weight, into: branch, quantized: quantized)
        lane.add(branch, summand: down.bias, to: x)
    }
}
