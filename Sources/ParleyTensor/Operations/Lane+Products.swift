// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

extension Lane {
    /// `y = x · wᵀ`: one product, `y.row(t)[r] = Σ_c w[r][c] · x.row(t)[c]`.
    ///
    /// - Parameters:
    ///   - x: `[rows, w.columns]`
    ///   - w: `[w.rows, w.columns]`
    ///   - y: `[rows, w.rows]`, shared by the lanes.
    ///   - quantized: room for the quantised form of `x`.
    public func multiply(_ x: FloatRows, by w: PackedMatrix, into y: FloatRows, quantized: QuantizedRows) {
        let activations = prepare(x, if: w.takesQuantizedRows, in: quantized)
        product(x, activations, w, y)
        synchronize()
    }

    /// Three products of the same rows, such as queries, keys and values.
    public func multiply(
        _ x: FloatRows, by w: (PackedMatrix, PackedMatrix, PackedMatrix), into y: (FloatRows, FloatRows, FloatRows),
        quantized: QuantizedRows
    ) {
        let quantize = w.0.takesQuantizedRows || w.1.takesQuantizedRows || w.2.takesQuantizedRows
        let activations = prepare(x, if: quantize, in: quantized)
        product(x, activations, w.0, y.0)
        product(x, activations, w.1, y.1)
        product(x, activations, w.2, y.2)
        synchronize()
    }

    /// Two products of the same rows, such as gate and up.
    public func multiply(
        _ x: FloatRows, by w: (PackedMatrix, PackedMatrix), into y: (FloatRows, FloatRows), quantized: QuantizedRows
    ) {
        let activations = prepare(x, if: w.0.takesQuantizedRows || w.1.takesQuantizedRows, in: quantized)
        product(x, activations, w.0, y.0)
        product(x, activations, w.1, y.1)
        synchronize()
    }

    /// Quantises the rows where a product needs it and returns where they stand.
    private func prepare(_ x: FloatRows, if needed: Bool, in shared: QuantizedRows) -> UnsafeMutableRawPointer? {
        guard needed else { return nil }
        if x.count <= Self.privateRows {
            let own = scratch.activations.pointer
            kernels.pointee.quantize(x.pointer, x.stride, x.width, own, x.count, 0, x.count)
            return own
        }
        let rows = share(of: x.count)
        kernels.pointee.quantize(
            x.pointer, x.stride, x.width, shared.buffer.pointer, x.count, rows.lowerBound, rows.upperBound)
        synchronize()
        return shared.buffer.pointer
    }

    /// This lane's panels of one product.
    private func product(
        _ x: FloatRows, _ activations: UnsafeMutableRawPointer?, _ w: PackedMatrix, _ y: FloatRows
    ) {
        let panels = share(of: w.panelCount)
        guard !panels.isEmpty else { return }
        var matrix = w.kernelMatrix
        if w.takesQuantizedRows {
            kernels.pointee.matmul(
                &matrix, activations, x.count, y.pointer, y.stride, panels.lowerBound, panels.upperBound,
                scratch.work.pointer)
        } else {
            kernels.pointee.matmul_float(
                &matrix, x.pointer, x.stride, x.count, y.pointer, y.stride, panels.lowerBound, panels.upperBound,
                scratch.work.pointer)
        }
    }
}
