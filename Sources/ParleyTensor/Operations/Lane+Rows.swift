// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

extension Lane {
    /// Copies the rows with the given numbers from a matrix, such as the embeddings of tokens.
    ///
    /// - Parameters:
    ///   - indices: row numbers below `matrix.rows`, one for each row of `y`.
    ///   - matrix: the matrix to read from.
    ///   - y: the output `[indices.count, matrix.columns]`.
    ///   - factor: multiplies every value.
    package func lookUp(
        _ indices: UnsafeBufferPointer<Int32>, in matrix: PackedMatrix, into y: FloatRows, factor: Float = 1
    ) {
        forEachRow(of: y) { row in
            matrix.unpack(row: Int(indices[row]), into: y.row(row))
            if factor != 1 { kernels.pointee.scale(factor, y.row(row), y.width) }
        }
    }

    /// Normalises each row by its root mean square: `y = x / sqrt(mean(x²) + ε) · weight` ([Zhang and Sennrich,
    /// 2019](https://arxiv.org/abs/1910.07467)).
    ///
    /// - Parameters:
    ///   - x: the rows to normalise.
    ///   - weight: one factor for each column.
    ///   - epsilon: the ε of the formula.
    ///   - y: the output, which may be `x`.
    package func normalize(_ x: FloatRows, weight: AlignedBuffer, epsilon: Float, into y: FloatRows) {
        forEachRow(of: y) { row in
            kernels.pointee.rms_norm(x.row(row), weight.floats, y.row(row), x.width, epsilon)
        }
    }

    /// Normalises parts of each row, as wide as `weight`, one by one.
    package func normalizeParts(of x: FloatRows, weight: AlignedBuffer, epsilon: Float) {
        let width = weight.byteCount / MemoryLayout<Float>.stride
        forEachRow(of: x) { row in
            for part in stride(from: x.row(row), to: x.row(row) + x.width, by: width) {
                kernels.pointee.rms_norm(part, weight.floats, part, width, epsilon)
            }
        }
    }

    /// Computes `y += normalised x`; the normalised rows are also written to `normalized`, which must be private to
    /// each lane if `y` is.
    package func normalize(
        _ x: FloatRows, weight: AlignedBuffer, epsilon: Float, into normalized: FloatRows, addingTo y: FloatRows
    ) {
        forEachRow(of: y) { row in
            kernels.pointee.rms_norm(x.row(row), weight.floats, normalized.row(row), x.width, epsilon)
            kernels.pointee.add(normalized.row(row), y.row(row), x.width)
        }
    }

    /// Copies `x` to `y`.
    package func copy(_ x: FloatRows, into y: FloatRows) {
        forEachRow(of: y) { row in y.row(row).update(from: x.row(row), count: y.width) }
    }

    /// Copies each row of `x` to a place of its own, unless there are no places; the lanes share each row.
    package func copy(_ x: FloatRows, into places: UnsafeBufferPointer<UnsafeMutablePointer<Float>>) {
        guard !places.isEmpty else { return }
        divide(parts: x.count, total: { _ in x.width }, granule: 64) { row, columns in
            (places[row] + columns.lowerBound).update(from: x.row(row) + columns.lowerBound, count: columns.count)
        }
    }

    /// Adds `x` to `y`, element by element.
    package func add(_ x: FloatRows, to y: FloatRows) {
        forEachRow(of: y) { row in kernels.pointee.add(x.row(row), y.row(row), x.width) }
    }

    /// Computes `y += factor · x`; the products are also written to `scaled`, which must be private to each lane if `y`
    /// is.
    package func add(_ x: FloatRows, times factor: Float, into scaled: FloatRows, addingTo y: FloatRows) {
        forEachRow(of: y) { row in
            scaled.row(row).update(from: x.row(row), count: x.width)
            kernels.pointee.scale(factor, scaled.row(row), x.width)
            kernels.pointee.add(scaled.row(row), y.row(row), x.width)
        }
    }

    /// Adds a vector to every row of `y`.
    package func add(_ bias: AlignedBuffer, to y: FloatRows) {
        forEachRow(of: y) { row in kernels.pointee.add(bias.floats, y.row(row), y.width) }
    }

    /// Multiplies every value of `y` by `factor`.
    package func scale(_ y: FloatRows, by factor: Float) {
        guard factor != 1 else { return }
        forEachPart(of: y) { values, count in kernels.pointee.scale(factor, values, count) }
    }

    /// Limits every value of `y` softly: `y = limit · tanh(y / limit)`.
    package func limit(_ y: FloatRows, by limit: Float) {
        forEachPart(of: y) { values, count in kernels.pointee.softcap(limit, values, count) }
    }

    /// Computes `y = x · y`, element by element.
    package func multiplyValues(_ x: FloatRows, into y: FloatRows) {
        forEachRow(of: y) { row in kernels.pointee.mul(x.row(row), y.row(row), y.width) }
    }

    /// Computes the gated activation of a feed-forward layer, `y = f(gate) · up`; `y` may be `gate`.
    package func activate(_ gate: FloatRows, up: FloatRows, with function: GatedActivation, into y: FloatRows) {
        forEachRow(of: y) { row in
            activate(gate.row(row), up.row(row), with: function, into: y.row(row), count: y.width)
        }
    }

    /// The same for `count` values, on this lane alone.
    func activate(
        _ gate: UnsafePointer<Float>, _ up: UnsafePointer<Float>, with function: GatedActivation,
        into y: UnsafeMutablePointer<Float>, count: Int
    ) {
        switch function {
        case .silu: kernels.pointee.silu_mul(gate, up, y, count)
        case .clampedSwish: kernels.pointee.clamped_swish_mul(gate, up, y, count)
        case .gelu: kernels.pointee.gelu_mul(gate, up, y, count)
        }
    }

    /// Copies the rows of `x` with the given numbers to `y`.
    package func gather(_ indices: UnsafeBufferPointer<Int32>, from x: FloatRows, into y: FloatRows) {
        forEachRow(of: y) { row in y.row(row).update(from: x.row(Int(indices[row])), count: y.width) }
    }
}

/// The activation function `f` of a gated feed-forward layer ([Shazeer, 2020](https://arxiv.org/abs/2002.05202)).
package enum GatedActivation: Sendable {
    /// `x · sigmoid(x)`
    case silu
    /// `x · sigmoid(1.702 · x)` of an x of at most 7, times one more than the linear part, which is limited to 7 too.
    case clampedSwish
    /// The Gaussian error linear unit in its tanh approximation.
    case gelu
}
