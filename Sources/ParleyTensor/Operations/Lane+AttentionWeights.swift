// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

extension Lane {
    /// Computes the weights with which some rows attend to the first positions of a cache in one head.
    ///
    /// - Parameters:
    ///   - q: the queries `[rows, heads · headWidth]`.
    ///   - head: the head, of as many of keys as of queries.
    ///   - shape: the heads, their width and the scale.
    ///   - positions: how many positions of the cache are seen.
    ///   - cache: the keys.
    ///   - keyBias: what is added to the score of each position's key; nil for nothing.
    ///   - y: the weights, which add up to 1 in each row, `[rows, positions]`, shared by the lanes.
    package func attentionWeights(
        q: FloatRows, head: Int, shape: AttentionShape, positions: Int, of cache: KeyValueCache,
        keyBias: AlignedBuffer?, into y: FloatRows
    ) {
        precondition(cache.format == .f16, "the weights of attention need keys in half precision")
        // The keys of a head lie as the panels of a matrix of halves do.
        let matrix = parley_matrix(
            panels: cache.keys(of: head), type: PARLEY_F16, rows: positions, columns: shape.headWidth)
        let panel = Int(PARLEY_PANEL_ROWS)
        divide((positions + panel - 1) / panel) { panels in
            var matrix = matrix
            kernels.pointee.matmul_float(
                &matrix, q.pointer + head * shape.headWidth, q.stride, q.count, y.pointer, y.stride, panels.lowerBound,
                panels.upperBound, work)
        }
        divide(q.count) { rows in
            for row in rows {
                var sum: Float = 0
                kernels.pointee.softmax_parts(keyBias?.floats, shape.scale, y.row(row), &sum, positions)
                kernels.pointee.scale(1 / sum, y.row(row), positions)
            }
        }
    }
}
