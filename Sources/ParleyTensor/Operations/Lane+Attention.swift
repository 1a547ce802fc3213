// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

/// Where consecutive rows of a step belong in one sequence.
package struct SequenceRows: Sendable {
    /// The rows of the step.
    package var rows: Range<Int>
    /// The position of the first row in its sequence.
    package var position: Int

    /// Creates the place of some rows.
    package init(rows: Range<Int>, position: Int) {
        self.rows = rows
        self.position = position
    }
}

/// What one attention layer does, apart from its weights.
package struct AttentionShape: Sendable {
    /// Query heads.
    package var heads: Int
    /// Key and value heads; divides ``heads``.
    package var kvHeads: Int
    /// The width of a head; a multiple of 8.
    package var headWidth: Int
    /// Multiplies the scores.
    package var scale: Float
    /// How many positions a query sees, its own included; 0 for all.
    package var window: Int

    /// Creates a shape.
    package init(heads: Int, kvHeads: Int, headWidth: Int, scale: Float, window: Int = 0) {
        self.heads = heads
        self.kvHeads = kvHeads
        self.headWidth = headWidth
        self.scale = scale
        self.window = window
    }
}

extension Lane {
    /// Rotates queries and keys by their positions and stores keys and values in the caches.
    ///
    /// - Parameters:
    ///   - q: `[rows, heads · headWidth]`, rotated in place.
    ///   - k: `[rows, kvHeads · headWidth]`, rotated in place.
    ///   - v: `[rows, kvHeads · headWidth]`
    ///   - angles: what ``computeAngles(_:sequences:into:)`` computed for these rows.
    ///   - pairing: which values of a head turn together.
    ///   - shape: the heads and their width.
    ///   - sequences: the rows of each sequence.
    ///   - cache: the cache of the sequence at an index.
    package func rotateAndStore(
        q: FloatRows, k: FloatRows, v: FloatRows, angles: FloatRows, pairing: RotaryEmbedding.Pairing,
        shape: AttentionShape, sequences: [SequenceRows], cache: (Int) -> KeyValueCache
    ) {
        let units = shape.heads + shape.kvHeads
        divide(parts: sequences.count, total: { sequences[$0].rows.count * units }) { number, items in
            let (sequence, cache) = (sequences[number], cache(number))
            for item in items {
                let (offset, unit) = item.quotientAndRemainder(dividingBy: units)
                let row = sequence.rows.lowerBound + offset
                let position = sequence.position + offset
                if unit < shape.heads {
                    rotate(q.row(row) + unit * shape.headWidth, shape.headWidth, angles, row, pairing)
                } else {
                    let head = unit - shape.heads
                    let key = k.row(row) + head * shape.headWidth
                    rotate(key, shape.headWidth, angles, row, pairing)
                    kernels.pointee.store_key(
                        key, shape.headWidth, cache.keys.halves + head * cache.headStride, position)
                    kernels.pointee.store_value(
                        v.row(row) + head * shape.headWidth, shape.headWidth,
                        cache.values.halves + head * cache.headStride, position)
                }
            }
        }
    }

    /// Causal attention of every row over what its sequence's cache holds up to the row's own position.
    ///
    /// - Parameters:
    ///   - q: `[rows, heads · headWidth]`, rotated.
    ///   - y: `[rows, heads · headWidth]`; not `q`.
    ///   - shape: the heads, their width, the scale and the window.
    ///   - sequences: the rows of each sequence.
    ///   - cache: the cache of the sequence at an index.
    package func attend(
        q: FloatRows, into y: FloatRows, shape: AttentionShape, sequences: [SequenceRows], cache: (Int) -> KeyValueCache
    ) {
        let tile = Self.attentionTile
        let group = shape.heads / shape.kvHeads
        // One row: its heads. More: tiles of rows, each for all query heads of one kv head.
        func items(_ rows: Int) -> Int { rows == 1 ? shape.heads : (rows + tile - 1) / tile * shape.kvHeads }
        // Later rows see more keys, so chunks are small.
        divide(parts: sequences.count, total: { items(sequences[$0].rows.count) }, chunksPerLane: 16) { number, items in
            let (sequence, cache) = (sequences[number], cache(number))
            var job = parley_attention(
                q: q.row(sequence.rows.lowerBound), q_stride: q.stride, y: y.row(sequence.rows.lowerBound),
                y_stride: y.stride, keys: cache.keys.halves, values: cache.values.halves,
                key_stride: cache.headStride, value_stride: cache.headStride, heads: shape.heads,
                kv_heads: shape.kvHeads, head_dim: shape.headWidth, value_dim: shape.headWidth,
                position: sequence.position, window: shape.window, scale: shape.scale, softcap: 0)
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

    private func rotate(
        _ values: UnsafeMutablePointer<Float>, _ headWidth: Int, _ angles: FloatRows, _ row: Int,
        _ pairing: RotaryEmbedding.Pairing
    ) {
        kernels.pointee.rope(
            values, 1, headWidth, angles.width, angles.row(row), angles.row(row) + angles.width / 2, pairing == .halves)
    }
}
