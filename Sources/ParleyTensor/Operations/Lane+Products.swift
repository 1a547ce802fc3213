// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

extension Lane {
    /// Computes the matrix product `y = x · wᵀ`, that is, `y.row(t)[r] = Σ_c w[r][c] · x.row(t)[c]`.
    ///
    /// - Parameters:
    ///   - x: the input `[rows, w.columns]`.
    ///   - w: the weights `[w.rows, w.columns]`.
    ///   - y: the output `[rows, w.rows]`, shared by the lanes.
    ///   - quantized: scratch memory for the quantised form of `x`.
    package func multiply(_ x: FloatRows, by w: PackedMatrix, into y: FloatRows, quantized: QuantizedRows) {
        let product = Product.of(w, into: y)
        multiply(x, by: (product, product, product), count: 1, quantized: quantized)
    }

    /// Computes three products of the same rows, such as queries, keys and values.
    package func multiply(
        _ x: FloatRows, by w: (PackedMatrix, PackedMatrix, PackedMatrix), into y: (FloatRows, FloatRows, FloatRows),
        quantized: QuantizedRows
    ) {
        multiply(x, by: (.of(w.0, into: y.0), .of(w.1, into: y.1), .of(w.2, into: y.2)), count: 3, quantized: quantized)
    }

    /// Computes two products of the same rows, such as gate and up.
    package func multiply(
        _ x: FloatRows, by w: (PackedMatrix, PackedMatrix), into y: (FloatRows, FloatRows), quantized: QuantizedRows
    ) {
        let second = Product.of(w.1, into: y.1)
        multiply(x, by: (.of(w.0, into: y.0), second, second), count: 2, quantized: quantized)
    }

    /// A matrix in the form that the kernels take, and the rows that receive the product.
    ///
    /// It holds only plain values, so that copying it counts no references; see `Lane`.
    private struct Product {
        let matrix: parley_matrix
        let panelCount: Int
        let takesQuantizedRows: Bool
        let y: FloatRows

        static func of(_ w: PackedMatrix, into y: FloatRows) -> Product {
            Product(
                matrix: w.kernelMatrix, panelCount: w.panelCount, takesQuantizedRows: w.takesQuantizedRows, y: y)
        }
    }

    /// Computes the first `count` of three products.
    private func multiply(
        _ x: FloatRows, by products: (Product, Product, Product), count: Int, quantized: QuantizedRows
    ) {
        func product(_ number: Int) -> Product { number == 0 ? products.0 : number == 1 ? products.1 : products.2 }
        let quantize =
            products.0.takesQuantizedRows || products.1.takesQuantizedRows || products.2.takesQuantizedRows
        let activations = prepare(x, if: quantize, in: quantized)
        divide(parts: count, total: { product($0).panelCount }, chunksPerLane: 8) { number, panels in
            compute(product(number), x, activations, panels)
        }
    }

    /// Quantises the rows if a product needs it, and returns a pointer to the quantised rows.
    private func prepare(_ x: FloatRows, if needed: Bool, in shared: QuantizedRows) -> UnsafeMutableRawPointer? {
        guard needed else { return nil }
        if x.count <= Self.privateRows, sharesAreFixed {
            kernels.pointee.quantize(x.pointer, x.stride, x.width, activations, x.count, 0, x.count)
            return activations
        }
        let shared = shared.buffer.pointer
        divide(x.count) { rows in
            kernels.pointee.quantize(x.pointer, x.stride, x.width, shared, x.count, rows.lowerBound, rows.upperBound)
        }
        return shared
    }

    /// Computes a range of panels of one product.
    private func compute(
        _ product: Product, _ x: FloatRows, _ activations: UnsafeMutableRawPointer?, _ panels: Range<Int>
    ) {
        var matrix = product.matrix
        if product.takesQuantizedRows {
            kernels.pointee.matmul(
                &matrix, activations, x.count, product.y.pointer, product.y.stride, panels.lowerBound,
                panels.upperBound, work)
        } else {
            kernels.pointee.matmul_float(
                &matrix, x.pointer, x.stride, x.count, product.y.pointer, product.y.stride, panels.lowerBound,
                panels.upperBound, work)
        }
    }
}
