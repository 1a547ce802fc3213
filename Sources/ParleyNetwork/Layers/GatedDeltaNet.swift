// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
package import ParleyTensor

/// A gated delta net, linear attention whose state decays and is corrected
/// ([Yang et al., 2024](https://arxiv.org/abs/2412.06464)): the convolution of the input's queries, keys and values is
/// followed by the delta rule and a gated norm.
package struct GatedDeltaNet: Sendable {
    /// Queries, keys and values, `[channels, width]`.
    let input: PackedMatrix
    /// `[innerWidth, width]`
    let gate: PackedMatrix
    /// `[heads, width]`
    let rate: PackedMatrix
    /// `[heads, width]`
    let step: PackedMatrix
    /// `[heads]`
    let stepBias: AlignedBuffer
    /// How fast the state of each head decays, negative, `[heads]`.
    let decay: AlignedBuffer
    /// `[channels, taps]`
    let kernel: AlignedBuffer
    /// `[valueWidth]`
    let norm: AlignedBuffer
    /// `[width, innerWidth]`
    let output: PackedMatrix
    let shape: LinearAttentionShape
    let epsilon: Float

    /// Loads the tensors of layer `index` by their usual names.
    ///
    /// - Throws: ``NetworkError`` if the file has no sizes of recurrent layers, or other ones for values than for keys; errors
    ///   from reading the tensors.
    package init(_ loader: ModelLoader, layer index: Int) throws {
        let hyper = loader.hyperparameters
        guard let sizes = hyper.recurrence, sizes.valueWidth == sizes.keyWidth else {
            throw NetworkError(
                .invalidFile,
                "\(loader.file.name): \(hyper.key("ssm.inner_size")) is not \(hyper.key("ssm.time_step_rank")) times "
                    + "\(hyper.key("ssm.state_size")). The file is damaged; download it again.")
        }
        let name = "blk.\(index)."
        input = try loader.matrix(name + "attn_qkv.weight", rows: sizes.channels, columns: hyper.width)
        gate = try loader.matrix(name + "attn_gate.weight", rows: sizes.innerWidth, columns: hyper.width)
        rate = try loader.matrix(name + "ssm_beta.weight", rows: sizes.heads, columns: hyper.width)
        step = try loader.matrix(name + "ssm_alpha.weight", rows: sizes.heads, columns: hyper.width)
        stepBias = try loader.vector(name + "ssm_dt.bias", count: sizes.heads)
        decay = try loader.vector(name + "ssm_a", count: sizes.heads)
        kernel = try loader.vector(name + "ssm_conv1d.weight", count: sizes.channels * sizes.taps)
        norm = try loader.vector(name + "ssm_norm.weight", count: sizes.valueWidth)
        output = try loader.matrix(name + "ssm_out.weight", rows: hyper.width, columns: sizes.innerWidth)
        shape = LinearAttentionShape(
            heads: sizes.heads, keyHeads: sizes.groups, keyWidth: sizes.keyWidth, valueWidth: sizes.valueWidth,
            grouping: .interleaved, corrects: true)
        epsilon = hyper.epsilon
    }

    /// Computes `y = net(x)` with the state of `layer`; both are `[rows, width]`, `x` is already normalised, and `y` is
    /// shared by the lanes.
    package func run(_ x: FloatRows, into y: FloatRows, step model: ModelStep, layer: Int, on lane: Lane) {
        var used = 0
        func part(_ width: Int) -> FloatRows {
            defer { used += width }
            return model.projected.columns(from: used, width: width)
        }
        let (projected, convolved) = (part(input.rows), part(input.rows))
        let (gates, rates, decays) = (part(gate.rows), part(shape.heads), part(shape.heads))
        let mixed = model.mixed.columns(from: 0, width: gate.rows)
        let keys = shape.keyHeads * shape.keyWidth
        let q = convolved.columns(from: 0, width: keys)
        let k = convolved.columns(from: keys, width: keys)
        let v = convolved.columns(from: 2 * keys, width: gate.rows)

        lane.multiply(x, by: (input, gate), into: (projected, gates), quantized: model.quantized)
        lane.multiply(x, by: (rate, step), into: (rates, decays), quantized: model.quantized)
        for (number, sequence) in model.sequences.enumerated() {
            lane.convolve(
                projected.rows(sequence.rows), weight: kernel, activates: true,
                state: model.caches[number].state(of: layer), position: sequence.position,
                into: convolved.rows(sequence.rows))
        }
        lane.prepareDeltaRule(q: q, k: k, rate: rates, width: shape.keyWidth, epsilon: epsilon)
        lane.computeDecay(decays, bias: stepBias, a: decay)
        lane.attendLinearly(
            q: q, k: k, v: v, decay: decays, rate: rates, into: mixed, shape: shape, sequences: model.sequences,
            state: { model.caches[$0].state(of: layer) })
        lane.normalizeHeads(mixed, weight: norm, width: shape.valueWidth, epsilon: epsilon, gate: gates)
        lane.multiply(mixed, by: output, into: y, quantized: model.quantized)
    }
}
