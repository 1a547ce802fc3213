// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

/// The operations of experts on a single row, as in every step of a lone reply.
///
/// Each lane chooses the experts for itself, and computes the same rows of each expert's matrices, so that lanes wait for
/// each other only where one needs what others have computed. Shares must be fixed. The bits are those of the operations on
/// many rows.
extension Lane {
    /// Chooses the experts of a row by the scores of a router, for this lane alone; see
    /// ``route(_:by:bias:factor:factors:into:)``.
    ///
    /// - Parameters:
    ///   - scores: the router's output `[1, experts]`, shared by the lanes, and not changed.
    ///   - gating: how scores become probabilities.
    ///   - scoreBias: is added to the scores, `[experts]`.
    ///   - bias: is added to the probabilities for the choice alone, `[experts]`.
    ///   - factor: multiplies the weights.
    ///   - factors: multiply the weights too, one for each expert, `[experts]`.
    ///   - own: memory of this lane for the probabilities, `[experts]`.
    ///   - routes: the result, in memory of this lane. Slots are in the order of likelihood.
    package func routeAlone(
        _ scores: FloatRows, by gating: ExpertGating, scoreBias: AlignedBuffer? = nil, bias: AlignedBuffer?,
        factor: Float, factors: AlignedBuffer? = nil, probabilities own: UnsafeMutablePointer<Float>,
        into routes: ExpertRoutes
    ) {
        own.update(from: scores.pointer, count: routes.experts)
        if let scoreBias { kernels.pointee.add(scoreBias.floats, own, routes.experts) }
        route(own, 0, by: gating, bias: bias, factor: factor, factors: factors, into: routes)
    }

    /// Multiplies a row by the parts of two matrices that belong to its experts.
    ///
    /// - Parameters:
    ///   - x: the input `[1, columns]`, the same on every lane.
    ///   - w: the weights of all experts, one after the other; each expert's rows fill whole panels.
    ///   - biases: what is added to the results, `[experts, rows of an expert]`.
    ///   - y: the outputs `[experts used, rows of an expert]`, shared by the lanes, the likeliest expert's first.
    ///   - routes: the experts.
    package func multiply(
        _ x: FloatRows, byChosenOf w: (PackedMatrix, PackedMatrix),
        biases: (AlignedBuffer?, AlignedBuffer?) = (nil, nil), into y: (FloatRows, FloatRows), routes: ExpertRoutes
    ) {
        if w.0.takesBlocks || w.1.takesBlocks {
            kernels.pointee.quantize(x.pointer, x.stride, x.width, activations, 1, 0, 1)
        }
        for rank in 0..<routes.used {
            let expert = Int(routes.choices[rank])
            multiplyShare(x.pointer, by: w.0, biases.0, of: expert, among: routes.experts, into: y.0.row(rank))
            multiplyShare(x.pointer, by: w.1, biases.1, of: expert, among: routes.experts, into: y.1.row(rank))
        }
        synchronize()
    }

    /// Multiplies the gated results of a row's experts by their parts of a matrix, and adds them up by their weights.
    ///
    /// - Parameters:
    ///   - gate: `[experts used, columns]`, shared by the lanes.
    ///   - up: `[experts used, columns]`, shared by the lanes.
    ///   - w: the weights of all experts, one after the other; each expert's rows fill whole panels.
    ///   - bias: what is added to each expert's result, `[experts, rows of an expert]`.
    ///   - activation: how gates and linear parts become one.
    ///   - gated: memory of this lane for what they become, `[columns]`.
    ///   - parts: memory for each expert's result, `[experts used, rows of an expert]`, shared by the lanes.
    ///   - y: the output `[1, rows of an expert]`, shared by the lanes.
    ///   - adds: whether the result is added to `y`.
    ///   - routes: the experts and their weights.
    package func combine(
        _ gate: FloatRows, up: FloatRows, byChosenOf w: PackedMatrix, bias: AlignedBuffer? = nil,
        activation: GatedActivation = .silu, gated: UnsafeMutablePointer<Float>, parts: FloatRows, into y: FloatRows,
        adds: Bool, routes: ExpertRoutes
    ) {
        let share = share(of: w.rows / routes.experts, granule: Int(PARLEY_PANEL_ROWS))
        let total = parts.pointer + share.lowerBound
        for rank in 0..<routes.used {
            activate(gate.row(rank), up.row(rank), with: activation, into: gated, count: gate.width)
            if w.takesBlocks {
                kernels.pointee.quantize(gated, gate.width, gate.width, activations, 1, 0, 1)
            }
            multiplyShare(
                gated, by: w, bias, of: Int(routes.choices[rank]), among: routes.experts, into: parts.row(rank))
            let part = parts.row(rank) + share.lowerBound
            kernels.pointee.scale(routes.weights[rank], part, share.count)
            if rank > 0 { kernels.pointee.add(part, total, share.count) }
        }
        let result = y.pointer + share.lowerBound
        if adds {
            kernels.pointee.add(total, result, share.count)
        } else {
            result.update(from: total, count: share.count)
        }
        synchronize()
    }

    /// Computes this lane's share of the rows of an expert's matrix; `x` has been quantised if the matrix needs it.
    private func multiplyShare(
        _ x: UnsafePointer<Float>, by w: PackedMatrix, _ bias: AlignedBuffer?, of expert: Int, among experts: Int,
        into y: UnsafeMutablePointer<Float>
    ) {
        let whole = w.kernelMatrix
        let rows = whole.rows / experts
        let panels = rows / Int(PARLEY_PANEL_ROWS)
        let share = share(of: panels)
        guard !share.isEmpty else { return }
        let skipped = expert * panels * parley_panel_bytes(whole.type, whole.columns)
        var matrix = parley_matrix(
            panels: whole.panels + skipped, type: whole.type, rows: rows, columns: whole.columns)
        if w.takesBlocks {
            kernels.pointee.matmul(&matrix, activations, 1, y, rows, share.lowerBound, share.upperBound, work)
        } else {
            kernels.pointee.matmul_float(
                &matrix, x, whole.columns, 1, y, rows, share.lowerBound, share.upperBound, work)
        }
        guard let bias else { return }
        let first = share.lowerBound * Int(PARLEY_PANEL_ROWS)
        kernels.pointee.add(bias.floats + expert * rows + first, y + first, share.count * Int(PARLEY_PANEL_ROWS))
    }
}
