// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

extension Lane {
    /// Causal depthwise convolution of the rows of one sequence: `y[t] = Σ_j weight[j] · x[t + j - (width - 1)]`.
    ///
    /// - Parameters:
    ///   - weight: `[channels][width]`
    ///   - state: the last `width - 1` rows before these, `[width - 1][channels]`, oldest first; updated.
    ///   - y: not `x`.
    public func convolve(
        _ x: FloatRows, weight: AlignedBuffer, width: Int, state: UnsafeMutablePointer<Float>, into y: FloatRows
    ) {
        let channels = share(of: x.width, granule: 16)
        if !channels.isEmpty {
            kernels.pointee.short_convolution(
                x.pointer, x.stride, x.count, weight.floats, width, state, x.width, y.pointer, y.stride,
                channels.lowerBound, channels.upperBound)
        }
        synchronize()
    }
}
