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
        multiply(x, by: (w, w, w), into: (y, y, y), products: 1, quantized: quantized)
    }

    /// Three products of the same rows, such as queries, keys and values.
    public func multiply(
        _ x: FloatRows, by w: (PackedMatrix, PackedMatrix, PackedMatrix), into y: (FloatRows, FloatRows, FloatRows),
        quantized: QuantizedRows
    ) {
        multiply(x, by: w, into: y, products: 3, quantized: quantized)
    }

    /// Two products of the same rows, such as gate and up.
    public func multiply(
        _ x: FloatRows, by w: (PackedMatrix, PackedMatrix), into y: (FloatRows, FloatRows), quantized: QuantizedRows
    ) {
        multiply(x, by: (w.0, w.1, w.1), into: (y.0, y.1, y.1), products: 2, quantized: quantized)
    }

    /// The first of three products.
    private func multiply(
        _ x: FloatRows, by w: (PackedMatrix, PackedMatrix, PackedMatrix), into y: (FloatRows, FloatRows, FloatRows),
        products: Int, quantized: QuantizedRows
    ) {
        func matrix(_ number: Int) -> PackedMatrix { number == 0 ? w.0 : number == 1 ? w.1 : w.2 }
        let quantize = w.0.takesQuantizedRows || w.1.takesQuantizedRows || w.2.takesQuantizedRows
        let activations = prepare(x, if: quantize, in: quantized)
        divide(parts: products, total: { matrix($0).panelCount }, chunksPerLane: 8) { number, panels in
            product(x, activations, matrix(number), number == 0 ? y.0 : number == 1 ? y.1 : y.2, panels)
        }
    }

    /// Quantises the rows where a product needs it and returns where they stand.
    private func prepare(_ x: FloatRows, if needed: Bool, in shared: QuantizedRows) -> UnsafeMutableRawPointer? {
        guard needed else { return nil }
        if x.count <= Self.privateRows, claims == nil {
            let own = scratch.activations.pointer
            kernels.pointee.quantize(x.pointer, x.stride, x.width, own, x.count, 0, x.count)
            return own
        }
        divide(x.count) { rows in
            kernels.pointee.quantize(
                x.pointer, x.stride, x.width, shared.buffer.pointer, x.count, rows.lowerBound, rows.upperBound)
        }
        return shared.buffer.pointer
    }

    /// Some panels of one product.
    private func product(
        _ x: FloatRows, _ activations: UnsafeMutableRawPointer?, _ w: PackedMatrix, _ y: FloatRows, _ panels: Range<Int>
    ) {
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
