// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
import CParleyKernels

/// The operations of a decoder that also attends to what an encoder has made of something else.
extension Lane {
    /// Computes `y += x + summand`, the end of a branch whose layer normalises before it.
    package func add(_ x: FloatRows, summand: AlignedBuffer?, to y: FloatRows) {
        forEachRow(of: y) { row in
            kernels.pointee.add(x.row(row), y.row(row), y.width)
            if let summand { kernels.pointee.add(summand.floats, y.row(row), y.width) }
        }
    }

    /// Adds to each row of `y` the row of a matrix for its position; the first row of `y` has the position `first`.
    package func addPositions(_ positions: AlignedBuffer, from first: Int, to y: FloatRows) {
        forEachRow(of: y) { row in kernels.pointee.add(positions.floats + (first + row) * y.width, y.row(row), y.width)
        }
    }

    /// Adds a vector to every row of `y`, and then applies the Gaussian error linear unit in its exact form
    /// ([Hendrycks and Gimpel, 2016](https://arxiv.org/abs/1606.08415)).
    package func activateExactly(adding bias: AlignedBuffer?, in y: FloatRows) {
        let bias = bias.map { UnsafePointer($0.floats) }
        forEachRow(of: y) { row in kernels.pointee.gelu_erf(bias, y.row(row), y.width) }
    }

    /// Stores keys and values in a cache; a bias is added to the values first.
    ///
    /// - Parameters:
    ///   - k: the keys `[rows, kvHeads · headWidth]`.
    ///   - v: the values `[rows, kvHeads · headWidth]`, changed in place.
    ///   - valueBias: what is added to the values; nil for nothing.
    ///   - shape: the number of heads and their width.
    ///   - position: the position of the first row.
    ///   - cache: where they are stored.
    package func store(
        k: FloatRows, v: FloatRows, valueBias: AlignedBuffer?, shape: AttentionShape, from position: Int,
        in cache: KeyValueCache
    ) {
        divide(k.count) { rows in
            for row in rows {
                if let valueBias { kernels.pointee.add(valueBias.floats, v.row(row), v.width) }
                for head in 0..<shape.kvHeads {
                    let column = head * shape.headWidth
                    cache.store(
                        k.row(row) + column, v.row(row) + column, head: head, at: position + row, with: kernels)
                }
            }
        }
    }

    /// Computes attention of every row to the first positions of a cache, whichever its own position.
    ///
    /// - Parameters:
    ///   - q: the queries `[rows, heads · headWidth]`.
    ///   - y: the output `[rows, heads · headWidth]`, which must not be the memory of `q`.
    ///   - shape: the heads, their width and the scale.
    ///   - positions: how many positions of the cache are seen.
    ///   - cache: the keys and values.
    ///   - keyBias: what is added to the score of each position's key, with room for whole panels; nil for nothing.
    package func attend(
        q: FloatRows, into y: FloatRows, shape: AttentionShape, positions: Int, of cache: KeyValueCache,
        keyBias: AlignedBuffer?
    ) {
        let tile = 32
        let group = shape.heads / shape.kvHeads
        // A single row is divided by heads, and several rows into tiles, as for other attention.
        let steps = q.count == 1 ? 1 : (q.count + tile - 1) / tile
        divide(parts: 1, total: { _ in steps * shape.kvHeads }, chunksPerLane: 16) { _, items in
            var job = cache.attention(
                q: q, y: y, shape: shape, visible: positions, keyBias: keyBias.map { UnsafePointer($0.floats) })
            for item in items {
                let (step, head) = item.quotientAndRemainder(dividingBy: shape.kvHeads)
                let rows = step * tile..<min((step + 1) * tile, q.count)
                kernels.pointee.attend(&job, rows.lowerBound, rows.upperBound, head * group, (head + 1) * group, work)
            }
        }
    }
}

extension InstructionSet {
    /// The logarithm of the sum of the exponentials of some logits; -infinity if there are none above that.
    ///
    /// - Parameters:
    ///   - values: the logits.
    ///   - highest: the largest of them.
    /// - Returns: the logarithm.
    package func logSumExp(_ values: UnsafeBufferPointer<Float>, highest: Float) -> Float {
        guard let base = values.baseAddress, highest > -.infinity else { return -.infinity }
        var sum: Float = 0
        kernels.pointee.exp_sum(base, highest, &sum, values.count)
        return highest + log(sum)
    }
}
