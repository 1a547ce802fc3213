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
        let rowForm: PackedMatrix.RowForm
        let y: FloatRows

        static func of(_ w: PackedMatrix, into y: FloatRows) -> Product {
            Product(matrix: w.kernelMatrix, panelCount: w.panelCount, rowForm: w.rowForm, y: y)
        }
    }

    /// Computes the first `count` of three products.
    private func multiply(
        _ x: FloatRows, by products: (Product, Product, Product), count: Int, quantized: QuantizedRows
    ) {
        func product(_ number: Int) -> Product { number == 0 ? products.0 : number == 1 ? products.1 : products.2 }
        let forms = (products.0.rowForm, products.1.rowForm, products.2.rowForm)
        func needs(_ form: PackedMatrix.RowForm) -> Bool { forms.0 == form || forms.1 == form || forms.2 == form }
        if needs(.blocks), needs(.groups) {
            // There is memory for one form of the rows at a time.
            for number in 0..<count {
                let product = product(number)
                multiply(x, by: (product, product, product), count: 1, quantized: quantized)
            }
            return
        }
        let form: PackedMatrix.RowForm = needs(.groups) ? .groups : needs(.blocks) ? .blocks : .floats
        let activations = prepare(x, as: form, in: quantized)
        divide(parts: count, total: { product($0).panelCount }, chunksPerLane: 8) { number, panels in
            compute(product(number), x, activations, panels)
        }
    }

    /// Quantises the rows if they are needed in another form than that of floats, and returns a pointer to them.
    private func prepare(
        _ x: FloatRows, as form: PackedMatrix.RowForm, in shared: QuantizedRows
    ) -> UnsafeMutableRawPointer? {
        switch form {
        case .floats: return nil
        case .blocks:
            if x.count <= Self.privateRows, sharesAreFixed {
                kernels.pointee.quantize(x.pointer, x.stride, x.width, activations, x.count, 0, x.count)
                return activations
            }
            let rows = shared.buffer.pointer
            divide(x.count) { part in
                kernels.pointee.quantize(x.pointer, x.stride, x.width, rows, x.count, part.lowerBound, part.upperBound)
            }
            return rows
        case .groups:
            // A lane's own memory has room for blocks only.
            precondition(
                shared.buffer.byteCount >= parley_q8_256_activation_bytes(x.count, x.width),
                "\(x.count) rows in memory for blocks")
            let rows = shared.buffer.pointer
            divide(x.count) { part in
                kernels.pointee.quantize_q8_256(
                    x.pointer, x.stride, x.width, rows, x.count, part.lowerBound, part.upperBound)
            }
            return rows
        }
    }

    /// Computes a range of panels of one product.
    private func compute(
        _ product: Product, _ x: FloatRows, _ activations: UnsafeMutableRawPointer?, _ panels: Range<Int>
    ) {
        var matrix = product.matrix
        let (first, end) = (panels.lowerBound, panels.upperBound)
        let (y, stride) = (product.y.pointer, product.y.stride)
        switch product.rowForm {
        case .floats: kernels.pointee.matmul_float(&matrix, x.pointer, x.stride, x.count, y, stride, first, end, work)
        case .blocks: kernels.pointee.matmul(&matrix, activations, x.count, y, stride, first, end, work)
        case .groups: kernels.pointee.matmul_q8_256(&matrix, activations, x.count, y, stride, first, end, work)
        }
    }
}
