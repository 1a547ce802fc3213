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
        let (panel, width) = (Int(PARLEY_KEY_PANEL), shape.headWidth)
        precondition(
            panel * width * MemoryLayout<Float>.stride <= parley_matmul_scratch_bytes(), "\(width) numbers of a key")
        let keys = cache.keys(of: head)
        let (type, panelBytes) = (cache.format.type, parley_cache_panel_bytes(cache.format.type, width))
        divide((positions + panel - 1) / panel) { panels in
            for index in panels {
                let unpacked = work.assumingMemoryBound(to: Float.self)
                parley_unpack_keys(type, keys + index * panelBytes, width, unpacked)
                var matrix = parley_matrix(
                    panels: unpacked, type: PARLEY_F32, rows: min(panel, positions - index * panel), columns: width)
                kernels.pointee.matmul_float(
                    &matrix, q.pointer + head * width, q.stride, q.count, y.pointer + index * panel, y.stride, 0, 1,
                    work)
            }
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
