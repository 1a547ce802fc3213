// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

/// The operations of networks that keep several hidden states for each row, in streams side by side
/// ([Baykal et al., 2023](https://arxiv.org/abs/2301.13310)), and of sparse gates.
extension Lane {
    /// Computes each stream's prediction: the stream, and all streams times coefficients.
    ///
    /// - Parameters:
    ///   - streams: the streams `[rows, count · width]`.
    ///   - coefficients: for each prediction one for each stream, `[rows, count · count]`.
    ///   - count: the number of streams.
    ///   - y: the predictions, as `streams`, shared by the lanes.
    package func predict(_ streams: FloatRows, by coefficients: FloatRows, count: Int, into y: FloatRows) {
        let width = streams.width / count
        divide(y.count * count) { items in
            for item in items {
                let (row, stream) = item.quotientAndRemainder(dividingBy: count)
                let own = y.row(row) + stream * width
                own.update(from: streams.row(row) + stream * width, count: width)
                for other in 0..<count {
                    add(
                        streams.row(row) + other * width, times: coefficients.row(row)[stream * count + other], to: own,
                        width)
                }
            }
        }
    }

    /// Corrects predictions: to each stream's, the difference between the result and the active stream's prediction is
    /// added, times one more than a coefficient.
    ///
    /// - Parameters:
    ///   - predictions: the predictions `[rows, count · width]`; that of the active stream becomes the difference.
    ///   - result: what the layer computed for the active stream, `[rows, width]`.
    ///   - coefficients: one for each stream, `[rows, count]`.
    ///   - active: the number of the active stream.
    ///   - y: the streams, as `predictions`, shared by the lanes.
    package func correct(
        _ predictions: FloatRows, to result: FloatRows, by coefficients: FloatRows, active: Int, into y: FloatRows
    ) {
        let width = result.width
        divide(y.count) { rows in
            for row in rows {
                y.row(row).update(from: predictions.row(row), count: y.width)
                let difference = predictions.row(row) + active * width
                for column in 0..<width { difference[column] = result.row(row)[column] - difference[column] }
                for stream in 0..<coefficients.width {
                    add(difference, times: coefficients.row(row)[stream] + 1, to: y.row(row) + stream * width, width)
                }
            }
        }
    }

    /// Adds `x`, `[rows, width]`, to all streams of `y` but the first; `x` may be private to each lane, `y` is shared.
    package func add(_ x: FloatRows, toAllStreamsButFirst y: FloatRows) {
        divide(y.count) { rows in
            for row in rows {
                for first in stride(from: x.width, to: y.width, by: x.width) {
                    kernels.pointee.add(x.row(row), y.row(row) + first, x.width)
                }
            }
        }
    }

    /// Scales each row of `x` so that its length becomes that of the row of `reference`.
    package func match(_ x: FloatRows, toLengthOf reference: FloatRows) {
        forEachRow(of: x) { row in
            let (own, wanted) = (sumOfSquares(x.row(row), x.width), sumOfSquares(reference.row(row), reference.width))
            kernels.pointee.scale(Float((wanted / own).squareRoot()), x.row(row), x.width)
        }
    }

    /// Computes `y = x ⊙ weight`, where `weight` has one factor for each column.
    package func multiply(_ x: FloatRows, byColumns weight: AlignedBuffer, into y: FloatRows) {
        forEachRow(of: y) { row in
            y.row(row).update(from: x.row(row), count: y.width)
            kernels.pointee.mul(weight.floats, y.row(row), y.width)
        }
    }

    /// Subtracts from each row its mean and `deviations` times its standard deviation, and replaces what is then negative
    /// by 0.
    package func keepAboveDeviations(_ deviations: Float, of x: FloatRows) {
        forEachRow(of: x) { row in
            let values = x.row(row)
            let mean = sum(x.width) { values[$0] } / Double(x.width)
            let squares = sum(x.width) { column in
                let difference = values[column] - Float(mean)
                return difference * difference
            }
            let cutoff = Float(mean + (squares / Double(max(x.width - 1, 1))).squareRoot() * Double(deviations))
            for column in 0..<x.width { values[column] = max(values[column] - cutoff, 0) }
        }
    }

    /// Computes `y += factor · x`, for `count` values.
    private func add(
        _ x: UnsafePointer<Float>, times factor: Float, to y: UnsafeMutablePointer<Float>, _ count: Int
    ) {
        for index in 0..<count { y[index] += factor * x[index] }
    }

    private func sumOfSquares(_ x: UnsafePointer<Float>, _ count: Int) -> Double {
        sum(count) { x[$0] * x[$0] }
    }

    /// Adds up numbers in eight lanes, always in the same order.
    @inline(__always)
    private func sum(_ count: Int, _ number: (Int) -> Float) -> Double {
        var lanes = SIMD8<Double>()
        for start in stride(from: 0, to: count - count % 8, by: 8) {
            for lane in 0..<8 { lanes[lane] += Double(number(start + lane)) }
        }
        for index in count - count % 8..<count { lanes[0] += Double(number(index)) }
        return lanes.sum()
    }
}
