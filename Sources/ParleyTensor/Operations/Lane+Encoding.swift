// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

/// The operations of encoders, whose rows see all rows of their text.
///
/// A text's keys and values lie in the cache from the `position` of its ``SequenceRows`` on, a multiple of
/// ``KeyValueCache/panelPositions``, so that one cache has room for several texts.
extension Lane {
    /// Normalises each row by its mean and variance: `y = (x - mean(x)) / sqrt(var(x) + ε) · weight + bias`
    /// ([Ba et al., 2016](https://arxiv.org/abs/1607.06450)).
    ///
    /// - Parameters:
    ///   - x: the rows to normalise.
    ///   - weight: one factor for each column.
    ///   - bias: one summand for each column.
    ///   - epsilon: the ε of the formula.
    ///   - y: the output, which may be `x`.
    package func normalize(
        _ x: FloatRows, weight: AlignedBuffer, bias: AlignedBuffer, epsilon: Float, into y: FloatRows
    ) {
        forEachRow(of: y) { row in
            kernels.pointee.layer_norm(x.row(row), weight.floats, bias.floats, y.row(row), x.width, epsilon)
        }
    }

    /// Computes `y = normalised (y + x + summand)`, the end of a branch of an encoder's layer.
    package func addAndNormalize(
        _ x: FloatRows, summand: AlignedBuffer?, weight: AlignedBuffer, bias: AlignedBuffer, epsilon: Float,
        into y: FloatRows
    ) {
        forEachRow(of: y) { row in
            let values = y.row(row)
            kernels.pointee.add(x.row(row), values, y.width)
            if let summand { kernels.pointee.add(summand.floats, values, y.width) }
            kernels.pointee.layer_norm(values, weight.floats, bias.floats, values, y.width, epsilon)
        }
    }

    /// Adds a vector to every row of `y`, and then applies the Gaussian error linear unit in its tanh approximation.
    ///
    /// - Parameters:
    ///   - bias: one summand for each column; nil for none.
    ///   - ones: as many ones as there are columns: the activation's kernel multiplies its result.
    ///   - y: the rows, changed in place.
    package func activate(adding bias: AlignedBuffer?, ones: AlignedBuffer, in y: FloatRows) {
        forEachRow(of: y) { row in
            let values = y.row(row)
            if let bias { kernels.pointee.add(bias.floats, values, y.width) }
            kernels.pointee.gelu_mul(values, ones.floats, values, y.width)
        }
    }

    /// Adds to each row of `y` the row of a matrix for its position in its text, and one more row.
    ///
    /// - Parameters:
    ///   - positions: a row for each position of a text.
    ///   - type: the row that every row gets.
    ///   - sequences: the rows of each text.
    ///   - y: the rows, changed in place.
    package func addPositions(
        _ positions: AlignedBuffer, type: AlignedBuffer?, sequences: [SequenceRows], to y: FloatRows
    ) {
        divide(parts: sequences.count, total: { sequences[$0].rows.count }) { number, items in
            for position in items {
                let values = y.row(sequences[number].rows.lowerBound + position)
                kernels.pointee.add(positions.floats + position * y.width, values, y.width)
                if let type { kernels.pointee.add(type.floats, values, y.width) }
            }
        }
    }

    /// Adds their biases to queries, keys and values, and stores keys and values in the cache.
    ///
    /// - Parameters:
    ///   - q: the queries `[rows, heads · headWidth]`, changed in place.
    ///   - k: the keys `[rows, kvHeads · headWidth]`, changed in place.
    ///   - v: the values `[rows, kvHeads · headWidth]`, changed in place.
    ///   - biases: what is added to queries, keys and values; nil for nothing.
    ///   - shape: the number of heads and their width.
    ///   - sequences: the rows of each text, and where its keys and values begin in the cache.
    ///   - cache: the memory for keys and values of all texts.
    package func addAndStore(
        q: FloatRows, k: FloatRows, v: FloatRows, biases: (AlignedBuffer?, AlignedBuffer?, AlignedBuffer?),
        shape: AttentionShape, sequences: [SequenceRows], cache: KeyValueCache
    ) {
        divide(parts: sequences.count, total: { sequences[$0].rows.count }) { number, items in
            let sequence = sequences[number]
            for item in items {
                let row = sequence.rows.lowerBound + item
                if let bias = biases.0 { kernels.pointee.add(bias.floats, q.row(row), q.width) }
                if let bias = biases.1 { kernels.pointee.add(bias.floats, k.row(row), k.width) }
                if let bias = biases.2 { kernels.pointee.add(bias.floats, v.row(row), v.width) }
                for head in 0..<shape.kvHeads {
                    let column = head * shape.headWidth
                    cache.store(
                        k.row(row) + column, v.row(row) + column, head: head, at: sequence.position + item,
                        with: kernels)
                }
            }
        }
    }

    /// Computes attention in both directions: each row attends to all rows of its text.
    ///
    /// - Parameters:
    ///   - q: the queries `[rows, heads · headWidth]`.
    ///   - y: the output `[rows, heads · headWidth]`, which must not be the memory of `q`.
    ///   - shape: the heads, their width and the scale.
    ///   - sequences: the rows of each text, and where its keys and values begin in the cache.
    ///   - cache: the keys and values of all texts.
    ///   - keyBias: what is added to the score of each position's key, with room for whole panels; nil for nothing.
    package func attendToAll(
        q: FloatRows, into y: FloatRows, shape: AttentionShape, sequences: [SequenceRows], cache: KeyValueCache,
        keyBias: AlignedBuffer? = nil
    ) {
        let tile = Self.encoderTile
        let group = shape.heads / shape.kvHeads
        func tiles(_ rows: Int) -> Int { (rows + tile - 1) / tile }
        divide(
            parts: sequences.count, total: { tiles(sequences[$0].rows.count) * shape.kvHeads }, chunksPerLane: 16
        ) { number, items in
            let sequence = sequences[number]
            var job = cache.attention(
                q: q.rows(sequence.rows), y: y.rows(sequence.rows), shape: shape, from: sequence.position,
                visible: sequence.rows.count,
                keyBias: keyBias.map { UnsafePointer($0.floats + sequence.position) })
            for item in items {
                let (step, head) = item.quotientAndRemainder(dividingBy: shape.kvHeads)
                let rows = step * tile..<min((step + 1) * tile, sequence.rows.count)
                kernels.pointee.attend(&job, rows.lowerBound, rows.upperBound, head * group, (head + 1) * group, work)
            }
        }
    }

    private static var encoderTile: Int { 32 }

    /// Reduces the rows of each text to one, and scales it to length 1.
    ///
    /// - Parameters:
    ///   - x: the rows of all texts.
    ///   - pooling: how rows become one.
    ///   - sequences: the rows of each text.
    ///   - y: the output, a row for each text.
    package func pool(_ x: FloatRows, by pooling: RowPooling, sequences: [SequenceRows], into y: FloatRows) {
        forEachRow(of: y) { number in
            let rows = sequences[number].rows
            let result = y.row(number)
            switch pooling {
            case .mean:
                result.update(from: x.row(rows.lowerBound), count: y.width)
                // The sum has the mean's direction, which is all that is left of it.
                for row in rows.dropFirst() { kernels.pointee.add(x.row(row), result, y.width) }
            case .first: result.update(from: x.row(rows.lowerBound), count: y.width)
            case .last: result.update(from: x.row(rows.upperBound - 1), count: y.width)
            }
            // A mean square of 1 is a length of the square root of the width; zeros stay zeros.
            kernels.pointee.rms_norm(result, nil, result, y.width, 1e-30)
            kernels.pointee.scale(1 / Float(y.width).squareRoot(), result, y.width)
        }
    }
}

/// How the rows of a text become one vector.
package enum RowPooling: Sendable, Hashable {
    /// The mean of all rows.
    case mean
    /// The first row, that of the token which begins a text.
    case first
    /// The last row.
    case last
}
