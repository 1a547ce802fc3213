// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
package import ParleyTensor

/// A selective state space as in Mamba-2, which is linear attention with a decay
/// ([Dao and Gu, 2024](https://arxiv.org/abs/2405.21060)): the convolution of values, keys and queries (there x, B and C) is
/// followed by the recurrence, a share of the values, a gate and perhaps a norm.
package struct StateSpace: Sendable {
    /// The gate, the convolution's input and the step of each head, `[innerWidth + channels + heads, width]`.
    let input: PackedMatrix
    /// `[heads]`
    let stepBias: AlignedBuffer
    /// How fast the state of each head decays, negative, `[heads]`.
    let decay: AlignedBuffer
    /// How much of the values each head adds to its result, `[heads]`.
    let skip: AlignedBuffer
    /// `[channels, taps]`
    let kernel: AlignedBuffer
    /// `[channels]`
    let kernelBias: AlignedBuffer?
    /// `[groups, innerWidth / groups]`
    let norm: AlignedBuffer?
    /// `[width, innerWidth]`
    let output: PackedMatrix
    let shape: LinearAttentionShape
    let channels: Int
    let epsilon: Float

    /// Loads the tensors of layer `index` by their usual names.
    ///
    /// - Throws: ``NetworkError`` if the file has no sizes of recurrent layers; errors from reading the tensors.
    package init(_ loader: ModelLoader, layer index: Int) throws {
        let hyper = loader.hyperparameters
        guard let sizes = hyper.recurrence, sizes.layers[index] else {
            throw NetworkError(
                .invalidFile,
                "\(loader.file.name): \(hyper.key("ssm.state_size")) is missing. The file is damaged; download it "
                    + "again.")
        }
        let name = "blk.\(index).ssm_"
        input = try loader.matrix(
            name + "in.weight", rows: sizes.innerWidth + sizes.channels + sizes.heads, columns: hyper.width)
        stepBias = try loader.vector(name + "dt.bias", count: sizes.heads)
        decay = try loader.vector(name + "a", count: sizes.heads)
        skip = try loader.vector(name + "d", count: sizes.heads)
        kernel = try loader.vector(name + "conv1d.weight", count: sizes.channels * sizes.taps)
        kernelBias = try loader.vector(ifPresent: name + "conv1d.bias", count: sizes.channels)
        norm = try loader.vector(ifPresent: name + "norm.weight", count: sizes.innerWidth)
        output = try loader.matrix(name + "out.weight", rows: hyper.width, columns: sizes.innerWidth)
        shape = LinearAttentionShape(
            heads: sizes.heads, keyHeads: sizes.groups, keyWidth: sizes.keyWidth, valueWidth: sizes.valueWidth,
            grouping: .neighbours, corrects: false)
        channels = sizes.channels
        epsilon = hyper.epsilon
    }

    /// Computes `y = space(x)` with the state of `layer`; both are `[rows, width]`, `x` is already normalised, and `y` is
    /// shared by the lanes.
    package func run(_ x: FloatRows, into y: FloatRows, step: ModelStep, layer: Int, on lane: Lane) {
        let inner = shape.heads * shape.valueWidth
        let projected = step.projected.columns(from: 0, width: input.rows)
        let gate = projected.columns(from: 0, width: inner)
        let decays = projected.columns(from: inner + channels, width: shape.heads)
        let convolved = step.projected.columns(from: input.rows, width: channels)
        let rates = step.projected.columns(from: input.rows + channels, width: shape.heads)
        let mixed = step.mixed.columns(from: 0, width: inner)
        let keys = shape.keyHeads * shape.keyWidth
        let v = convolved.columns(from: 0, width: inner)
        let k = convolved.columns(from: inner, width: keys)
        let q = convolved.columns(from: inner + keys, width: keys)

        lane.multiply(x, by: input, into: projected, quantized: step.quantized)
        for (number, sequence) in step.sequences.enumerated() {
            lane.convolve(
                projected.columns(from: inner, width: channels).rows(sequence.rows), weight: kernel, bias: kernelBias,
                activates: true, state: step.caches[number].state(of: layer), position: sequence.position,
                into: convolved.rows(sequence.rows))
        }
        lane.computeDecay(decays, bias: stepBias, a: decay, rate: rates)
        lane.attendLinearly(
            q: q, k: k, v: v, decay: decays, rate: rates, into: mixed, shape: shape, sequences: step.sequences,
            state: { step.caches[$0].state(of: layer) })
        lane.addHeads(of: v, times: skip, to: mixed, width: shape.valueWidth, gate: gate)
        if let norm { lane.normalizeParts(mixed, count: shape.keyHeads, weight: norm, epsilon: epsilon) }
        lane.multiply(mixed, by: output, into: y, quantized: step.quantized)
    }
}
