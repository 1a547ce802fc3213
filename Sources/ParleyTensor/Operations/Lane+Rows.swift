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
        for row in share(of: y.count) {
            matrix.unpack(row: Int(indices[row]), into: y.row(row))
            if factor != 1 { kernels.pointee.scale(factor, y.row(row), y.width) }
        }
        synchronize()
    }

    /// Root mean square normalisation of each row: `y = x / sqrt(mean(x²) + ε) · weight`
    /// ([Zhang and Sennrich, 2019](https://arxiv.org/abs/1910.07467)).
    ///
    /// - Parameters:
    ///   - weight: one value a column.
    ///   - y: may be `x`.
    public func normalize(_ x: FloatRows, weight: AlignedBuffer, epsilon: Float, into y: FloatRows) {
        for row in share(of: x.count) {
            kernels.pointee.rms_norm(x.row(row), weight.floats, y.row(row), x.width, epsilon)
        }
        synchronize()
    }

    /// Normalises each row and adds it to another: `y += normalised x`.
    public func normalize(_ x: FloatRows, weight: AlignedBuffer, epsilon: Float, addingTo y: FloatRows) {
        for row in share(of: x.count) {
            kernels.pointee.rms_norm(x.row(row), weight.floats, x.row(row), x.width, epsilon)
            kernels.pointee.add(x.row(row), y.row(row), x.width)
        }
        synchronize()
    }

    /// Normalises each of the heads in each row by itself.
    public func normalizeHeads(_ x: FloatRows, headWidth: Int, weight: AlignedBuffer, epsilon: Float) {
        for row in share(of: x.count) {
            for head in 0..<x.width / headWidth {
                let values = x.row(row) + head * headWidth
                kernels.pointee.rms_norm(values, weight.floats, values, headWidth, epsilon)
            }
        }
        synchronize()
    }

    /// `y += x`.
    public func add(_ x: FloatRows, to y: FloatRows) {
        for row in share(of: x.count) { kernels.pointee.add(x.row(row), y.row(row), x.width) }
        synchronize()
    }

    /// Adds the same vector to every row.
    public func add(_ bias: AlignedBuffer, to y: FloatRows) {
        for row in share(of: y.count) { kernels.pointee.add(bias.floats, y.row(row), y.width) }
        synchronize()
    }

    /// `y *= factor`.
    public func scale(_ y: FloatRows, by factor: Float) {
        guard factor != 1 else { return }
        for row in share(of: y.count) { kernels.pointee.scale(factor, y.row(row), y.width) }
        synchronize()
    }

    /// `y = x · y`, value by value.
    public func multiplyValues(_ x: FloatRows, into y: FloatRows) {
        for row in share(of: y.count) { kernels.pointee.mul(x.row(row), y.row(row), y.width) }
        synchronize()
    }

    /// The gated activation of a feed-forward layer, in place: `gate = f(gate) · up`.
    public func activate(_ gate: FloatRows, up: FloatRows, with function: GatedActivation) {
        for row in share(of: gate.count) {
            switch function {
            case .silu: kernels.pointee.silu_mul(gate.row(row), up.row(row), gate.row(row), gate.width)
            case .gelu: kernels.pointee.gelu_mul(gate.row(row), up.row(row), gate.row(row), gate.width)
            }
        }
        synchronize()
    }

    /// Copies rows picked by number.
    public func gather(_ indices: UnsafeBufferPointer<Int32>, from x: FloatRows, into y: FloatRows) {
        for row in share(of: y.count) { y.row(row).update(from: x.row(Int(indices[row])), count: y.width) }
        synchronize()
    }
}

/// The function between gate and up of a feed-forward layer ([Shazeer, 2020](https://arxiv.org/abs/2002.05202)).
public enum GatedActivation: Sendable {
    /// `x · sigmoid(x)`
    case silu
    /// The tanh form of the Gaussian error linear unit.
    case gelu
}
