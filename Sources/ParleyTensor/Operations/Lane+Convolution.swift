// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

extension Lane {
    /// Computes the causal depthwise convolution of consecutive rows of one sequence, `y[t] = Σ_j weight[j] · x[t + j -
    /// (taps - 1)]`.
    ///
    /// - Parameters:
    ///   - x: the input `[rows, channels]`.
    ///   - weight: the kernel `[channels][taps]`.
    ///   - taps: the length of the kernel.
    ///   - history: the inputs before these rows; these rows are added to it.
    ///   - position: the position of the first row in its sequence.
    ///   - y: the output `[rows, channels]`, which must not be the memory of `x`.
    package func convolve(
        _ x: FloatRows, weight: AlignedBuffer, taps: Int, history: ConvolutionHistory, position: Int, into y: FloatRows
    ) {
        divide(x.width, granule: 16) { channels in
            var row = 0
            // The rows are cut where the history saves a copy of its state.
            while row < x.count {
                let interval = ConvolutionHistory.interval
                let count = min(x.count - row, interval - (position + row) % interval)
                kernels.pointee.short_convolution(
                    x.row(row), x.stride, count, weight.floats, taps, history.state.floats, x.width, y.row(row),
                    y.stride, channels.lowerBound, channels.upperBound)
                row += count
                guard (position + row) % interval == 0 else { continue }
                let saved = history.savedState(at: position + row)
                for tap in 0..<taps - 1 {
                    let offset = tap * x.width + channels.lowerBound
                    (saved + offset).update(from: history.state.floats + offset, count: channels.count)
                }
            }
        }
    }
}
