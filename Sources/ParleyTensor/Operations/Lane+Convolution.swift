// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

extension Lane {
    /// Computes the causal depthwise convolution of consecutive rows of one sequence, `y[t] = Σ_j weight[j] · x[t + j -
    /// (taps - 1)]`.
    ///
    /// - Parameters:
    ///   - x: the input `[rows, channels]`.
    ///   - weight: the kernel `[channels][taps]`.
    ///   - bias: is added to every row of the result, `[channels]`; nil for none.
    ///   - activates: whether the result is passed through SiLU.
    ///   - state: the inputs before these rows; these rows are added to it.
    ///   - position: the position of the first row in its sequence.
    ///   - y: the output `[rows, channels]`, which must not be the memory of `x`.
    package func convolve(
        _ x: FloatRows, weight: AlignedBuffer, bias: AlignedBuffer? = nil, activates: Bool = false,
        state: RecurrentState, position: Int, into y: FloatRows
    ) {
        let taps = state.shape.taps
        divide(x.width, granule: 16) { channels in
            state.forEachInterval(of: x.count, at: position) { rows, end in
                kernels.pointee.short_convolution(
                    x.row(rows.lowerBound), x.stride, rows.count, weight.floats, taps, state.inputs, x.width,
                    y.row(rows.lowerBound), y.stride, channels.lowerBound, channels.upperBound)
                if let end { state.save(state.inputs, rows: taps - 1, width: x.width, columns: channels, at: end) }
            }
            guard activates else { return }
            for row in 0..<y.count {
                kernels.pointee.silu(
                    bias.map { $0.floats + channels.lowerBound }, y.row(row) + channels.lowerBound, channels.count)
            }
        }
    }
}
