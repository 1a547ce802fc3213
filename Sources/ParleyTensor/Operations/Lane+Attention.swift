// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

/// Where consecutive rows of a step belong in one sequence.
public struct SequenceRows: Sendable {
    /// The rows of the step.
    public var rows: Range<Int>
    /// The position of the first row in its sequence.
    public var position: Int

    /// Creates the place of some rows.
    public init(rows: Range<Int>, position: Int) {
        self.rows = rows
        self.position = position
    }
}

/// What one attention layer does, apart from its weights.
public struct AttentionShape: Sendable {
    /// Query heads.
    public var heads: Int
    /// Key and value heads; divides ``heads``.
    public var kvHeads: Int
    /// The width of a head; a multiple of 8.
    public var headWidth: Int
    /// Multiplies the scores.
    public var scale: Float
    /// How many positions a query sees, its own included; 0 for all.
    public var window: Int

    /// Creates a shape.
    public init(heads: Int, kvHeads: Int, headWidth: Int, scale: Float, window: Int = 0) {
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
    ///   - angles: what ``computeAngles(_:sequences:into:)`` left for these rows.
    ///   - sequences: which rows belong to which cache; `caches[i]` belongs to `sequences[i]`.
    public func rotateAndStore(
        q: FloatRows, k: FloatRows, v: FloatRows, angles: FloatRows, pairing: RotaryEmbedding.Pairing,
        shape: AttentionShape, sequences: [SequenceRows], cache: (Int) -> KeyValueCache
    ) {
        let units = shape.heads + shape.kvHeads
        for (number, sequence) in sequences.enumerated() {
            let cache = cache(number)
            for item in share(of: sequence.rows.count * units) {
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
        synchronize()
    }

    /// Causal attention of every row over what its sequence's cache holds up to the row's own position.
    ///
    /// - Parameters:
    ///   - q: `[rows, heads · headWidth]`, rotated.
    ///   - y: `[rows, heads · headWidth]`; not `q`.
    public func attend(
        q: FloatRows, into y: FloatRows, shape: AttentionShape, sequences: [SequenceRows], cache: (Int) -> KeyValueCache
    ) {
        for (number, sequence) in sequences.enumerated() {
            let cache = cache(number)
            var job = parley_attention(
                q: q.row(sequence.rows.lowerBound), q_stride: q.stride, y: y.row(sequence.rows.lowerBound),
                y_stride: y.stride, keys: cache.keys.halves, values: cache.values.halves,
                key_stride: cache.headStride, value_stride: cache.headStride, heads: shape.heads,
                kv_heads: shape.kvHeads, head_dim: shape.headWidth, value_dim: shape.headWidth,
                position: sequence.position, window: shape.window, scale: shape.scale, softcap: 0)
            if sequence.rows.count == 1 {
                let heads = share(of: shape.heads)
                kernels.pointee.attend(&job, 0, 1, heads.lowerBound, heads.upperBound, scratch.work.pointer)
            } else {
                attendTiles(&job, rows: sequence.rows.count, shape: shape)
            }
        }
        synchronize()
    }

    /// Later rows see more keys, so lanes take tiles of rows in turn, each tile for all query heads of one kv head.
    private func attendTiles(_ job: inout parley_attention, rows: Int, shape: AttentionShape) {
        let tile = 32
        let group = shape.heads / shape.kvHeads
        let tiles = (rows + tile - 1) / tile
        for item in stride(from: index, to: tiles * shape.kvHeads, by: count) {
            let (step, head) = item.quotientAndRemainder(dividingBy: shape.kvHeads)
            let lower = step * tile
            kernels.pointee.attend(
                &job, lower, min(lower + tile, rows), head * group, (head + 1) * group, scratch.work.pointer)
        }
    }

    private func rotate(
        _ values: UnsafeMutablePointer<Float>, _ headWidth: Int, _ angles: FloatRows, _ row: Int,
        _ pairing: RotaryEmbedding.Pairing
    ) {
        kernels.pointee.rope(
            values, 1, headWidth, angles.width, angles.row(row), angles.row(row) + angles.width / 2, pairing == .halves)
    }
}
