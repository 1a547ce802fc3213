// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Lane {
    /// Splits rows of pairs of heads, `[rows, heads · 2 · width]`, into the first and the second of each pair.
    package func splitHeads(_ x: FloatRows, width: Int, into first: FloatRows, _ second: FloatRows) {
        forEachRow(of: first) { row in
            for head in 0..<first.width / width {
                let pair = x.row(row) + 2 * head * width
                (first.row(row) + head * width).update(from: pair, count: width)
                (second.row(row) + head * width).update(from: pair + width, count: width)
            }
        }
    }

    /// Multiplies every value of `y` by `sigmoid(gate)`.
    package func multiplyValues(bySigmoidOf gate: FloatRows, into y: FloatRows) {
        forEachRow(of: y) { row in kernels.pointee.sigmoid_mul(gate.row(row), y.row(row), y.width) }
    }

    /// Multiplies each row of `y` by the sigmoid of one number, `[rows, 1]`.
    package func scaleRows(_ y: FloatRows, bySigmoidOf gate: FloatRows) {
        forEachRow(of: y) { row in kernels.pointee.scale(1 / (1 + exp(-gate.row(row)[0])), y.row(row), y.width) }
    }
}
