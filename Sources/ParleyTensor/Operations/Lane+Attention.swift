// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The consecutive rows of a step that belong to one sequence, and their positions in it.
package struct SequenceRows: Sendable {
    /// The numbers of the rows in the step.
    package var rows: Range<Int>
    /// The position of the first row in its sequence.
    package var position: Int

    /// Describes rows of one sequence.
    package init(rows: Range<Int>, position: Int) {
        self.rows = rows
        self.position = position
    }
}

/// The parameters of an attention layer other than its weights.
package struct AttentionShape: Sendable {
    /// The number of query heads.
    package var heads: Int
    /// The number of key and value heads, a divisor of ``heads``.
    package var kvHeads: Int
    /// The number of values in a head, a multiple of 8.
    package var headWidth: Int
    /// The factor by which attention scores are multiplied.
    package var scale: Float
    /// The number of positions that a query attends to, including its own; 0 for all.
    package var window: Int
    /// How attention scores grow with the position of the query; nil if they do not.
    package var growth: ScoreGrowth?

    /// Creates a shape.
    package init(
        heads: Int, kvHeads: Int, headWidth: Int, scale: Float, window: Int = 0, growth: ScoreGrowth? = nil
    ) {
        self.heads = heads
        self.kvHeads = kvHeads
        self.headWidth = headWidth
        self.scale = scale
        self.window = window
        self.growth = growth
    }
}

/// A factor for attention scores that grows with the position of the query, in steps, so that long contexts do not make
/// attention flat ([Nakanishi, 2025](https://arxiv.org/abs/2501.19399)).
package struct ScoreGrowth: Sendable, Hashable {
    /// How much the logarithm of the number of steps counts.
    package var rate: Float
    /// The number of positions in a step, at least 1.
    package var interval: Int

    /// Creates a growth.
    package init(rate: Float, interval: Int) {
        self.rate = rate
        self.interval = interval
    }

    /// The factor for the query at a position: 1 in the first step.
    package func factor(at position: Int) -> Float {
        Float(log(Double(position / interval + 1)) * Double(rate) + 1)
    }
}

/// What is done to the heads of queries, keys or values before anything else: a bias is added, and then each head is
/// normalised by its root mean square. Like the weights, it must not outlive the layer.
package struct HeadWeights: @unchecked Sendable {
    fileprivate let bias: UnsafePointer<Float>?
    fileprivate let norm: UnsafePointer<Float>?
    fileprivate let normalizes: Bool

    /// Describes a bias, `[heads · headWidth]`, and the factors of the norm, `[headWidth]`; nil for none. With
    /// `normalizes`, heads are also normalised without factors.
    package init(bias: AlignedBuffer? = nil, norm: AlignedBuffer? = nil, normalizes: Bool = false) {
        self.bias = bias.map { UnsafePointer($0.floats) }
        self.norm = norm.map { UnsafePointer($0.floats) }
        self.normalizes = normalizes || norm != nil
    }
}

extension Lane {
    /// Prepares queries, keys and values by their weights, applies the rotary embedding to queries and keys, and stores
    /// keys and values in the caches.
    ///
    /// - Parameters:
    ///   - q: the queries `[rows, heads · headWidth]`, changed in place; scaled too where scores grow.
    ///   - k: the keys `[rows, kvHeads · headWidth]`, changed in place.
    ///   - v: the values `[rows, kvHeads · headWidth]`, changed in place.
    ///   - weights: what is done first to queries, keys and values.
    ///   - epsilon: the ε of the norms.
    ///   - angles: the result of ``computeAngles(_:sequences:into:)`` for these rows.
    ///   - pairing: which two values of a head are rotated together.
    ///   - shape: the number of heads and their width.
    ///   - sequences: the rows of each sequence.
    ///   - cache: returns the cache of the sequence with a given index in `sequences`.
    package func rotateAndStore(
        q: FloatRows, k: FloatRows, v: FloatRows, weights: (HeadWeights, HeadWeights, HeadWeights), epsilon: Float,
        angles: FloatRows, pairing: RotaryEmbedding.Pairing, shape: AttentionShape, sequences: [SequenceRows],
        cache: (Int) -> KeyValueCache
    ) {
        let units = shape.heads + shape.kvHeads
        divide(parts: sequences.count, total: { sequences[$0].rows.count * units }) { number, items in
            let (sequence, cache) = (sequences[number], cache(number))
            for item in items {
                let (offset, unit) = item.quotientAndRemainder(dividingBy: units)
                let row = sequence.rows.lowerBound + offset
                let position = sequence.position + offset
                if unit < shape.heads {
                    rotateQuery(unit, of: q, row, at: position, weights.0, epsilon, angles, pairing, shape)
                } else {
                    let head = unit - shape.heads
                    let key = prepare(head, of: k.row(row), weights.1, shape.headWidth, epsilon)
                    rotate(key, shape.headWidth, angles, row, pairing)
                    let value = prepare(head, of: v.row(row), weights.2, shape.headWidth, epsilon)
                    cache.store(key, value, head: head, at: position, with: kernels)
                }
            }
        }
    }

    /// Prepares queries by their weights and applies the rotary embedding to them, where keys and values are those of
    /// another layer; see ``rotateAndStore(q:k:v:weights:epsilon:angles:pairing:shape:sequences:cache:)``.
    package func rotate(
        q: FloatRows, weights: HeadWeights, epsilon: Float, angles: FloatRows, pairing: RotaryEmbedding.Pairing,
        shape: AttentionShape, sequences: [SequenceRows]
    ) {
        divide(parts: sequences.count, total: { sequences[$0].rows.count * shape.heads }) { number, items in
            let sequence = sequences[number]
            for item in items {
                let (offset, head) = item.quotientAndRemainder(dividingBy: shape.heads)
                rotateQuery(
                    head, of: q, sequence.rows.lowerBound + offset, at: sequence.position + offset, weights, epsilon,
                    angles, pairing, shape)
            }
        }
    }

    /// Prepares, rotates and scales one head of the query in a row.
    private func rotateQuery(
        _ head: Int, of q: FloatRows, _ row: Int, at position: Int, _ weights: HeadWeights, _ epsilon: Float,
        _ angles: FloatRows, _ pairing: RotaryEmbedding.Pairing, _ shape: AttentionShape
    ) {
        let query = prepare(head, of: q.row(row), weights, shape.headWidth, epsilon)
        rotate(query, shape.headWidth, angles, row, pairing)
        if let growth = shape.growth { kernels.pointee.scale(growth.factor(at: position), query, shape.headWidth) }
    }

    /// Computes causal attention: each row attends to the positions of its sequence up to and including its own.
    ///
    /// - Parameters:
    ///   - q: the rotated queries `[rows, heads · headWidth]`.
    ///   - y: the output `[rows, heads · headWidth]`, which must not be the memory of `q`.
    ///   - shape: the heads, their width, the scale and the window.
    ///   - sequences: the rows of each sequence.
    ///   - sinks: for each query head the score of one more position, whose value is 0; nil for none.
    ///   - cache: returns the cache of the sequence with a given index in `sequences`.
    package func attend(
        q: FloatRows, into y: FloatRows, shape: AttentionShape, sequences: [SequenceRows], sinks: AlignedBuffer? = nil,
        cache: (Int) -> KeyValueCache
    ) {
        let tile = Self.attentionTile
        let group = shape.heads / shape.kvHeads
        // A single row is divided by query heads. Several rows are divided into tiles, each for all query heads of one
        // kv head.
        func items(_ rows: Int) -> Int { rows == 1 ? shape.heads : (rows + tile - 1) / tile * shape.kvHeads }
        // Later rows attend to more keys and take longer, so the work is cut into small chunks.
        divide(parts: sequences.count, total: { items(sequences[$0].rows.count) }, chunksPerLane: 16) { number, items in
            let (sequence, cache) = (sequences[number], cache(number))
            var job = cache.attention(
                q: q.rows(sequence.rows), y: y.rows(sequence.rows), shape: shape, position: sequence.position,
                sinks: sinks.map { UnsafePointer($0.floats) })
            guard sequence.rows.count > 1 else {
                return kernels.pointee.attend(&job, 0, 1, items.lowerBound, items.upperBound, work)
            }
            for item in items {
                let (step, head) = item.quotientAndRemainder(dividingBy: shape.kvHeads)
                let rows = step * tile..<min((step + 1) * tile, sequence.rows.count)
                kernels.pointee.attend(
                    &job, rows.lowerBound, rows.upperBound, head * group, (head + 1) * group, work)
            }
        }
    }

    private static var attentionTile: Int { 32 }

    /// Adds the bias of a head and normalises it, and returns its values.
    private func prepare(
        _ head: Int, of row: UnsafeMutablePointer<Float>, _ weights: HeadWeights, _ headWidth: Int, _ epsilon: Float
    ) -> UnsafeMutablePointer<Float> {
        let values = row + head * headWidth
        if let bias = weights.bias { kernels.pointee.add(bias + head * headWidth, values, headWidth) }
        if weights.normalizes { kernels.pointee.rms_norm(values, weights.norm, values, headWidth, epsilon) }
        return values
    }

    private func rotate(
        _ values: UnsafeMutablePointer<Float>, _ headWidth: Int, _ angles: FloatRows, _ row: Int,
        _ pairing: RotaryEmbedding.Pairing
    ) {
        kernels.pointee.rope(
            values, 1, headWidth, angles.width, angles.row(row), angles.row(row) + angles.width / 2, pairing == .halves)
    }
}
