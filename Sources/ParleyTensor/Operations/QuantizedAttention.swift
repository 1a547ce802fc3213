// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

/// The memory for attention in both directions in 8 bits: keys and values of one layer as packed matrices, and the scores
/// of the rows that a lane computes.
///
/// Scores and mixed values are then products like any others, at the pace of 8-bit integers.
package final class QuantizedAttention: Sendable {
    /// The rows whose scores a lane computes at a time: they stay in the second-level cache.
    fileprivate static let tile = 64
    /// The scores of rows begin at whole panels of positions.
    fileprivate static func roundedUp(_ positions: Int) -> Int {
        let panel = Int(PARLEY_PANEL_ROWS)
        return (positions + panel - 1) / panel * panel
    }

    fileprivate let capacity: Int
    private let keyBytes: Int
    private let valueBytes: Int
    private let keys: AlignedBuffer
    private let values: AlignedBuffer
    private let scratch: [Scratch]

    /// The memory of one lane.
    fileprivate struct Scratch: Sendable {
        /// `[tile, capacity]`, and then the sum of each row.
        let scores: AlignedBuffer
        let activations: AlignedBuffer
    }

    /// Allocates memory for `capacity` positions and steps on up to `lanes` lanes; nil if the values of a head are no
    /// whole panels of 16.
    ///
    /// - Throws: ``AllocationError`` if the system has too little memory.
    package init?(capacity: Int, heads: Int, headWidth: Int, lanes: Int) throws(AllocationError) {
        guard let sizes = Sizes(capacity: capacity, headWidth: headWidth) else { return nil }
        (self.capacity, keyBytes, valueBytes) = (sizes.capacity, sizes.keys, sizes.values)
        keys = try AlignedBuffer(byteCount: keyBytes * heads)
        values = try AlignedBuffer(byteCount: valueBytes * heads)
        var scratch: [Scratch] = []
        for _ in 0..<lanes {
            scratch.append(
                Scratch(
                    scores: try AlignedBuffer(byteCount: sizes.scores),
                    activations: try AlignedBuffer(byteCount: sizes.activations)))
        }
        self.scratch = scratch
    }

    /// The memory that ``init(capacity:heads:headWidth:lanes:)`` allocates, in bytes; nil if it returns nil.
    package static func byteCount(capacity: Int, heads: Int, headWidth: Int, lanes: Int) -> Int? {
        Sizes(capacity: capacity, headWidth: headWidth).map {
            heads * ($0.keys + $0.values) + lanes * ($0.scores + $0.activations)
        }
    }

    /// The sizes in bytes: of the keys and values of a head, and of a lane's scratch memory.
    private struct Sizes {
        let capacity, keys, values, scores, activations: Int

        init?(capacity: Int, headWidth: Int) {
            let panel = Int(PARLEY_PANEL_ROWS)
            guard headWidth.isMultiple(of: panel), headWidth > 0 else { return nil }
            self.capacity = roundedUp(capacity)
            keys = parley_panel_bytes(PARLEY_Q8_256, headWidth) * (self.capacity / panel)
            values = parley_panel_bytes(PARLEY_Q8_256, self.capacity) * (headWidth / panel)
            scores = tile * (self.capacity + 1) * MemoryLayout<Float>.stride
            activations = parley_q8_256_activation_bytes(tile, max(self.capacity, headWidth))
        }
    }

    fileprivate func keys(of head: Int) -> UnsafeMutableRawPointer { keys.pointer + head * keyBytes }
    fileprivate func values(of head: Int) -> UnsafeMutableRawPointer { values.pointer + head * valueBytes }
    fileprivate func scratch(of lane: Int) -> Scratch { scratch[lane] }
}

extension Lane {
    /// Computes attention of each row to all rows, in 8 bits.
    ///
    /// - Parameters:
    ///   - q: the queries `[rows, heads · headWidth]`.
    ///   - k: the keys `[rows, heads · headWidth]`.
    ///   - v: the values `[rows, heads · headWidth]`.
    ///   - y: the output `[rows, heads · headWidth]`, which must not be the memory of the others.
    ///   - shape: the heads, as many of keys as of queries, their width and the scale.
    ///   - keyBias: what is added to the score of each row as a key; nil for nothing.
    ///   - memory: the memory, with room for the rows.
    package func attendToAll(
        q: FloatRows, k: FloatRows, v: FloatRows, into y: FloatRows, shape: AttentionShape, keyBias: AlignedBuffer?,
        memory: QuantizedAttention
    ) {
        let (rows, width) = (q.count, shape.headWidth)
        let (panel, group) = (Int(PARLEY_PANEL_ROWS), Int(PARLEY_GROUP_COLUMNS))
        let (panels, groups) = ((rows + panel - 1) / panel, (rows + group - 1) / group)
        divide(
            parts: 2, total: { $0 == 0 ? panels * shape.heads : groups * shape.heads }, chunksPerLane: 8
        ) { part, items in
            for item in items {
                if part == 0 {
                    let (head, index) = item.quotientAndRemainder(dividingBy: panels)
                    parley_pack_q8_256(
                        PARLEY_F32, k.pointer + head * width, k.stride, rows, width, memory.keys(of: head), index,
                        index + 1)
                } else {
                    let (head, index) = item.quotientAndRemainder(dividingBy: groups)
                    parley_pack_q8_256_transposed(
                        v.pointer + head * width, v.stride, rows, width, memory.values(of: head), index, index + 1)
                }
            }
        }
        let tile = QuantizedAttention.tile
        let tiles = (rows + tile - 1) / tile
        let scratch = memory.scratch(of: index)
        let (scores, activations) = (scratch.scores.floats, scratch.activations.pointer)
        let sums = scores + tile * memory.capacity
        let stride = QuantizedAttention.roundedUp(rows)
        divide(parts: 1, total: { _ in tiles * shape.heads }, chunksPerLane: 16) { _, items in
            for item in items {
                let (head, step) = item.quotientAndRemainder(dividingBy: tiles)
                let first = step * tile
                let count = min(tile, rows - first)
                let output = y.row(first) + head * width
                var matrix = parley_matrix(
                    panels: memory.keys(of: head), type: PARLEY_Q8_256, rows: rows, columns: width)
                kernels.pointee.quantize_q8_256(
                    q.row(first) + head * width, q.stride, width, activations, count, 0, count)
                kernels.pointee.matmul_q8_256(&matrix, activations, count, scores, stride, 0, panels, work)
                for row in 0..<count {
                    kernels.pointee.softmax_parts(
                        keyBias?.floats, shape.scale, scores + row * stride, sums + row, rows)
                }
                matrix = parley_matrix(
                    panels: memory.values(of: head), type: PARLEY_Q8_256, rows: width, columns: rows)
                kernels.pointee.quantize_q8_256(scores, stride, rows, activations, count, 0, count)
                kernels.pointee.matmul_q8_256(&matrix, activations, count, output, y.stride, 0, width / panel, work)
                for row in 0..<count { kernels.pointee.scale(1 / sums[row], output + row * y.stride, width) }
            }
        }
    }
}
