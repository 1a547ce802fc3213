// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
package import ParleyTensor

/// A gated feed-forward layer ([Shazeer, 2020](https://arxiv.org/abs/2002.05202)): `down · (f(gate · x) ⊙ up · x)`.
package struct FeedForward: Sendable {
    /// `[feedForwardWidth, width]`
    let gate: PackedMatrix
    /// `[feedForwardWidth, width]`
    let up: PackedMatrix
    /// `[width, feedForwardWidth]`
    let down: PackedMatrix
    let gateBias: AlignedBuffer?
    let upBias: AlignedBuffer?
    let downBias: AlignedBuffer?
    let activation: GatedActivation
    /// How many standard deviations above their mean gates must be to count; nil if all count.
    package var deviations: Float?

    /// Loads the tensors of layer `index` by their usual names; the tensor named `up` may contain both gate and up.
    ///
    /// - Parameters:
    ///   - loader: reads the tensors.
    ///   - index: the number of the layer.
    ///   - suffix: what follows the usual names, as `_shexp` does for an expert that computes every token.
    ///   - width: the width of the layer; nil for the file's.
    ///   - activation: the function of the gate.
    /// - Throws: ``NetworkError`` if a tensor has another shape; errors from reading the tensors.
    package init(
        _ loader: ModelLoader, layer index: Int, suffix: String = "", width: Int? = nil,
        activation: GatedActivation = .silu
    ) throws {
        let hyper = loader.hyperparameters
        let width = width ?? hyper.feedForwardWidth[index]
        func name(_ part: String, _ kind: String) -> String { "blk.\(index).ffn_\(part)\(suffix).\(kind)" }
        if loader.file.tensor(ifPresent: name("gate", "weight")) == nil {
            let both = name("up", "weight")
            gate = try loader.matrix(both, rows: 0..<width, of: 2 * width, columns: hyper.width)
            up = try loader.matrix(both, rows: width..<2 * width, of: 2 * width, columns: hyper.width)
        } else {
            gate = try loader.matrix(name("gate", "weight"), rows: width, columns: hyper.width)
            up = try loader.matrix(name("up", "weight"), rows: width, columns: hyper.width)
        }
        down = try loader.matrix(name("down", "weight"), rows: hyper.width, columns: width)
        gateBias = try loader.vector(ifPresent: name("gate", "bias"), count: width)
        upBias = try loader.vector(ifPresent: name("up", "bias"), count: width)
        downBias = try loader.vector(ifPresent: name("down", "bias"), count: hyper.width)
        self.activation = activation
    }

    /// Computes `y = feedForward(x)`; both are `[rows, width]`, and `y` is shared by the lanes.
    package func run(_ x: FloatRows, into y: FloatRows, step: ModelStep, on lane: Lane) {
        let gated = step.gate.columns(from: 0, width: gate.rows)
        let activated = step.activated(on: lane).columns(from: 0, width: gate.rows)
        let linear = step.up.columns(from: 0, width: up.rows)
        lane.multiply(x, by: (gate, up), into: (gated, linear), quantized: step.quantized)
        if let gateBias { lane.add(gateBias, to: gated) }
        if let upBias { lane.add(upBias, to: linear) }
        if let deviations { lane.keepAboveDeviations(deviations, of: gated) }
        lane.activate(gated, up: linear, with: activation, into: activated)
        lane.multiply(activated, by: down, into: y, quantized: step.quantized)
        if let downBias { lane.add(downBias, to: y) }
    }
}
