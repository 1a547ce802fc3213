// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The parameters of a layer of linear attention other than its weights.
package struct LinearAttentionShape: Sendable {
    /// Which heads of queries and keys belong to which of the values.
    package enum Grouping: Sendable {
        /// Those of the same remainder: head h reads keys h mod keyHeads.
        case interleaved
        /// Neighbours: head h reads keys h / (heads / keyHeads).
        case neighbours
    }

    /// The number of heads of values and results.
    package var heads: Int
    /// The number of heads of queries and keys, a divisor of ``heads``.
    package var keyHeads: Int
    /// The number of values in a query or key.
    package var keyWidth: Int
    /// The number of values in a value or result.
    package var valueWidth: Int
    package var grouping: Grouping
    /// Whether what the state has for a key already is taken from the value before it is written: the delta rule
    /// ([Schlag et al., 2021](https://arxiv.org/abs/2102.11174)).
    package var corrects: Bool

    /// Creates a shape.
    package init(
        heads: Int, keyHeads: Int, keyWidth: Int, valueWidth: Int, grouping: Grouping, corrects: Bool
    ) {
        self.heads = heads
        self.keyHeads = keyHeads
        self.keyWidth = keyWidth
        self.valueWidth = valueWidth
        self.grouping = grouping
        self.corrects = corrects
    }

    fileprivate func keyHead(of head: Int) -> Int {
        switch grouping {
        case .interleaved: head % keyHeads
        case .neighbours: head / (heads / keyHeads)
        }
    }
}

extension Lane {
    /// Computes linear attention: each row changes the state of its sequence, and reads from it.
    ///
    /// - Parameters:
    ///   - q: the queries `[rows, keyHeads · keyWidth]`; q, k and v are columns of the same rows.
    ///   - k: the keys `[rows, keyHeads · keyWidth]`.
    ///   - v: the values `[rows, heads · valueWidth]`.
    ///   - decay: the factor of each head's state before a row is written `[rows, heads]`.
    ///   - rate: how much of a row is written, `[rows, heads]`, at the same distances as `decay`.
    ///   - y: the output `[rows, heads · valueWidth]`, which overlaps none of the others.
    ///   - shape: the heads and their widths.
    ///   - sequences: the rows of each sequence.
    ///   - state: returns the state of the sequence with a given index in `sequences`.
    package func attendLinearly(
        q: FloatRows, k: FloatRows, v: FloatRows, decay: FloatRows, rate: FloatRows, into y: FloatRows,
        shape: LinearAttentionShape, sequences: [SequenceRows], state: (Int) -> RecurrentState
    ) {
        precondition(q.stride == k.stride && k.stride == v.stride && decay.stride == rate.stride)
        let granule = Self.stateColumns
        let blocks = (shape.valueWidth + granule - 1) / granule
        divide(parts: sequences.count, total: { _ in shape.heads * blocks }) { number, items in
            let (sequence, state) = (sequences[number], state(number))
            for item in items {
                let (head, block) = item.quotientAndRemainder(dividingBy: blocks)
                let columns = block * granule..<min((block + 1) * granule, shape.valueWidth)
                let matrix = state.matrices + head * shape.keyWidth * shape.valueWidth
                let keys = shape.keyHead(of: head) * shape.keyWidth
                state.forEachInterval(of: sequence.rows.count, at: sequence.position) { part, end in
                    let row = sequence.rows.lowerBound + part.lowerBound
                    var job = parley_linear_attention(
                        q: q.row(row) + keys, k: k.row(row) + keys, v: v.row(row) + head * shape.valueWidth,
                        stride: q.stride, decay: decay.row(row) + head, rate: rate.row(row) + head,
                        gate_stride: decay.stride, state: matrix, y: y.row(row) + head * shape.valueWidth,
                        y_stride: y.stride, rows: part.count, key_dim: shape.keyWidth, value_dim: shape.valueWidth,
                        corrects: shape.corrects)
                    kernels.pointee.linear_attention(&job, columns.lowerBound, columns.upperBound)
                    guard let end else { return }
                    state.save(matrix, rows: shape.keyWidth, width: shape.valueWidth, columns: columns, at: end)
                }
            }
        }
    }

    /// The number of columns of a state that are computed together.
    private static var stateColumns: Int { 64 }

    /// Computes how the state of linear attention decays: `decay = exp(a · softplus(step + bias))`, where a is negative.
    ///
    /// - Parameters:
    ///   - step: the projection of each row `[rows, heads]`, shared by the lanes; it becomes the decay.
    ///   - bias: what is added to it, `[heads]`.
    ///   - a: the factors, `[heads]`.
    ///   - rate: receives the softplus, `[rows, heads]`; nil if it is not needed.
    package func computeDecay(
        _ step: FloatRows, bias: AlignedBuffer, a: AlignedBuffer, rate: FloatRows? = nil
    ) {
        forEachRow(of: step) { row in
            let values = step.row(row)
            for head in 0..<step.width {
                let x = values[head] + bias.floats[head]
                let size = x > 20 ? x : log1p(exp(x))
                if let rate { rate.row(row)[head] = size }
                values[head] = exp(size * a.floats[head])
            }
        }
    }

    /// Prepares queries and keys for the delta rule, each head of which becomes as long as 1; and the rates,
    /// `sigmoid(rate)`.
    ///
    /// - Parameters:
    ///   - q: the queries `[rows, keyHeads · keyWidth]`, changed in place; they become shorter, by the root of their width.
    ///   - k: the keys `[rows, keyHeads · keyWidth]`, changed in place.
    ///   - rate: the projection of each row `[rows, heads]`, changed in place.
    ///   - width: the number of values in a query or key.
    ///   - epsilon: is added to the square of the length.
    package func prepareDeltaRule(q: FloatRows, k: FloatRows, rate: FloatRows, width: Int, epsilon: Float) {
        let factor = 1 / Float(width).squareRoot()
        forEachRow(of: q) { row in
            for head in stride(from: 0, to: q.width, by: width) {
                scaleToLength(factor, q.row(row) + head, width, epsilon)
                scaleToLength(1, k.row(row) + head, width, epsilon)
            }
            let rates = rate.row(row)
            for head in 0..<rate.width { rates[head] = 1 / (1 + exp(-rates[head])) }
        }
    }

    /// Scales values to a length.
    private func scaleToLength(_ length: Float, _ values: UnsafeMutablePointer<Float>, _ count: Int, _ epsilon: Float) {
        kernels.pointee.rms_norm(values, nil, values, count, epsilon / Float(count))
        kernels.pointee.scale(length / Float(count).squareRoot(), values, count)
    }

    /// Normalises each head of `y` and multiplies it by the activated gate: `y = norm(y) · silu(gate)`.
    ///
    /// - Parameters:
    ///   - y: the rows `[rows, heads · width]`, changed in place.
    ///   - weight: the factors of the norm, `[width]`.
    ///   - width: the number of values in a head.
    ///   - epsilon: the ε of the norm.
    ///   - gate: `[rows, heads · width]`
    package func normalizeHeads(_ y: FloatRows, weight: AlignedBuffer, width: Int, epsilon: Float, gate: FloatRows) {
        let heads = y.width / width
        divide(y.count * heads) { items in
            for item in items {
                let (row, head) = item.quotientAndRemainder(dividingBy: heads)
                let values = y.row(row) + head * width
                kernels.pointee.rms_norm(values, weight.floats, values, width, epsilon)
                kernels.pointee.silu_mul(gate.row(row) + head * width, values, values, width)
            }
        }
    }

    /// Adds a share of the values to each head of `y` and multiplies by the activated gate: `y = (y + skip · v) · silu(gate)`.
    ///
    /// - Parameters:
    ///   - v: the values `[rows, heads · width]`, changed in place.
    ///   - skip: the share of each head, `[heads]`.
    ///   - y: the rows `[rows, heads · width]`, changed in place.
    ///   - width: the number of values in a head.
    ///   - gate: `[rows, heads · width]`
    package func addHeads(of v: FloatRows, times skip: AlignedBuffer, to y: FloatRows, width: Int, gate: FloatRows) {
        let heads = y.width / width
        divide(y.count * heads) { items in
            for item in items {
                let (row, head) = item.quotientAndRemainder(dividingBy: heads)
                let (values, result) = (v.row(row) + head * width, y.row(row) + head * width)
                kernels.pointee.scale(skip.floats[head], values, width)
                kernels.pointee.add(values, result, width)
                kernels.pointee.silu_mul(gate.row(row) + head * width, result, result, width)
            }
        }
    }

    /// Normalises each of `count` equal parts of every row of `y` by itself, with factors for the whole row.
    package func normalizeParts(_ y: FloatRows, count: Int, weight: AlignedBuffer, epsilon: Float) {
        let width = y.width / count
        divide(y.count * count) { items in
            for item in items {
                let (row, part) = item.quotientAndRemainder(dividingBy: count)
                let values = y.row(row) + part * width
                kernels.pointee.rms_norm(values, weight.floats + part * width, values, width, epsilon)
            }
        }
    }
}
