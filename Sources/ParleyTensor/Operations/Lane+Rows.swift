// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

extension Lane {
    /// Writes the rows of a matrix that `indices` name, such as the embeddings of tokens.
    ///
    /// - Parameters:
    ///   - indices: row numbers, each below `matrix.rows`; one for each row of `y`.
    ///   - factor: multiplies every value.
    public func lookUp(
        _ indices: UnsafeBufferPointer<Int32>, in matrix: PackedMatrix, into y: FloatRows, factor: Float = 1
    ) {
        for row in rows(of: y) {
            matrix.unpack(row: Int(indices[row]), into: y.row(row))
            if factor != 1 { kernels.pointee.scale(factor, y.row(row), y.width) }
        }
        finish(y)
    }

    /// Root mean square normalisation of each row: `y = x / sqrt(mean(x²) + ε) · weight`
    /// ([Zhang and Sennrich, 2019](https://arxiv.org/abs/1910.07467)).
    ///
    /// - Parameters:
    ///   - weight: one value a column.
    ///   - y: may be `x`.
    public func normalize(_ x: FloatRows, weight: AlignedBuffer, epsilon: Float, into y: FloatRows) {
        for row in rows(of: y) {
            kernels.pointee.rms_norm(x.row(row), weight.floats, y.row(row), x.width, epsilon)
        }
        finish(y)
    }

    /// Normalises each row and adds it to another: `y += normalised x`.
    ///
    /// - Parameter normalized: takes the normalised rows; as private as `y`.
    public func normalize(
        _ x: FloatRows, weight: AlignedBuffer, epsilon: Float, into normalized: FloatRows, addingTo y: FloatRows
    ) {
        for row in rows(of: y) {
            kernels.pointee.rms_norm(x.row(row), weight.floats, normalized.row(row), x.width, epsilon)
            kernels.pointee.add(normalized.row(row), y.row(row), x.width)
        }
        finish(y)
    }

    /// Normalises each of the heads in each row by itself.
    public func normalizeHeads(of y: FloatRows, headWidth: Int, weight: AlignedBuffer, epsilon: Float) {
        for row in rows(of: y) {
            for head in 0..<y.width / headWidth {
                let values = y.row(row) + head * headWidth
                kernels.pointee.rms_norm(values, weight.floats, values, headWidth, epsilon)
            }
        }
        finish(y)
    }

    /// `y += x`.
    public func add(_ x: FloatRows, to y: FloatRows) {
        for row in rows(of: y) { kernels.pointee.add(x.row(row), y.row(row), x.width) }
        finish(y)
    }

    /// Adds the same vector to every row.
    public func add(_ bias: AlignedBuffer, to y: FloatRows) {
        for row in rows(of: y) { kernels.pointee.add(bias.floats, y.row(row), y.width) }
        finish(y)
    }

    /// `y *= factor`.
    public func scale(_ y: FloatRows, by factor: Float) {
        guard factor != 1 else { return }
        for row in rows(of: y) { kernels.pointee.scale(factor, y.row(row), y.width) }
        finish(y)
    }

    /// `y = x · y`, value by value.
    public func multiplyValues(_ x: FloatRows, into y: FloatRows) {
        for row in rows(of: y) { kernels.pointee.mul(x.row(row), y.row(row), y.width) }
        finish(y)
    }

    /// The gated activation of a feed-forward layer: `y = f(gate) · up`; `y` may be `gate`.
    public func activate(_ gate: FloatRows, up: FloatRows, with function: GatedActivation, into y: FloatRows) {
        for row in rows(of: y) {
            switch function {
            case .silu: kernels.pointee.silu_mul(gate.row(row), up.row(row), y.row(row), y.width)
            case .gelu: kernels.pointee.gelu_mul(gate.row(row), up.row(row), y.row(row), y.width)
            }
        }
        finish(y)
    }

    /// Copies rows picked by number.
    public func gather(_ indices: UnsafeBufferPointer<Int32>, from x: FloatRows, into y: FloatRows) {
        for row in rows(of: y) { y.row(row).update(from: x.row(Int(indices[row])), count: y.width) }
        finish(y)
    }
}

/// The function between gate and up of a feed-forward layer ([Shazeer, 2020](https://arxiv.org/abs/2002.05202)).
public enum GatedActivation: Sendable {
    /// `x · sigmoid(x)`
    case silu
    /// The tanh form of the Gaussian error linear unit.
    case gelu
}
