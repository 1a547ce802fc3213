// SPDX-License-Identifier: Apache-2.0

import CParleyKernels
import Foundation
import ParleyRuntime

/// A shape of attention. Query row i stands at `position + i`.
struct AttentionShape: Sendable, CustomStringConvertible {
    var rows: Int, heads: Int, kvHeads: Int, headDim: Int, valueDim: Int
    var position: Int
    var window = 0
    var softcap: Float = 0
    /// How keys and values are stored.
    var type = PARLEY_F16
    /// Whether every row attends to all rows; `position` is then 0.
    var seesAll = false
    /// Whether a number is added to the score of each position's key.
    var hasKeyBias = false
    /// Whether each head has the score of one more position, whose value is 0.
    var hasSinks = false

    var end: Int { position + rows }
    var capacity: Int { (end + 15) / 16 * 16 }
    var qStride: Int { heads * headDim + 3 }
    var yStride: Int { heads * valueDim + 5 }
    var scale: Float { 1 / Float(headDim).squareRoot() }

    func visible(_ row: Int) -> Range<Int> {
        seesAll ? 0..<end : (window == 0 ? 0 : max(0, position + row + 1 - window))..<(position + row + 1)
    }

    var description: String {
        "\(rows) rows at \(position), \(heads)/\(kvHeads) heads of \(headDim) and \(valueDim), window \(window)"
            + (softcap == 0 ? "" : ", cap \(softcap)") + (seesAll ? ", seeing all" : "")
            + (hasKeyBias ? ", with biases" : "") + (hasSinks ? ", with sinks" : "")
            + (type == PARLEY_Q8_0 ? ", in 8 bits" : "")
    }
}

/// Rows and heads of one call.
typealias AttentionPart = (rows: Range<Int>, heads: Range<Int>)

/// Queries and a cache for a shape. The cache is NaN at positions that no query may attend to.
struct AttentionFixture {
    static let notANumber: UInt16 = 0x7e00

    let shape: AttentionShape
    let q: [Float]
    /// Panels, in units of two bytes.
    let keys: [UInt16], values: [UInt16]
    /// What is added to the scores, for whole panels; NaN beyond the positions.
    let keyBias: [Float]
    var sinks: [Float] { (0..<shape.heads).map { Float($0 * 53 % 13) / 3 - 2 } }
    /// Positions that `keys` and `values` have room for.
    let capacity: Int

    init(_ shape: AttentionShape, q: [Float], keys: [UInt16], values: [UInt16]) {
        self.shape = shape
        self.q = q
        self.keys = keys
        self.values = values
        capacity = values.count * 2 / shape.kvHeads / parley_cache_panel_bytes(shape.type, shape.valueDim) * 16
        keyBias = (0..<shape.capacity).map { $0 < shape.end ? Float($0 * 37 % 11) / 4 : .nan }
    }

    init(_ shape: AttentionShape, seed: UInt64 = 1) {
        var random = SplitMix64(seed: seed)
        let panels = shape.capacity / 16
        let keyBytes = panels * parley_cache_panel_bytes(shape.type, shape.headDim)
        let valueBytes = panels * parley_cache_panel_bytes(shape.type, shape.valueDim)
        var keys = [UInt16](repeating: Self.notANumber, count: shape.kvHeads * keyBytes / 2)
        var values = [UInt16](repeating: Self.notANumber, count: shape.kvHeads * valueBytes / 2)
        let generic = parley_kernels_for(PARLEY_ISA_GENERIC)?.pointee
        for g in 0..<shape.kvHeads {
            for p in shape.visible(0).lowerBound..<shape.end {
                let key = random.floats(shape.headDim), value = random.floats(shape.valueDim)
                keys.withUnsafeMutableBytes {
                    generic?.store_key(shape.type, key, shape.headDim, $0.baseAddress.map { $0 + g * keyBytes }, p)
                }
                values.withUnsafeMutableBytes {
                    generic?.store_value(
                        shape.type, value, shape.valueDim, $0.baseAddress.map { $0 + g * valueBytes }, p)
                }
            }
        }
        let q = random.floats(shape.rows * shape.qStride)
        self.init(shape, q: q, keys: keys, values: values)
    }

    /// The output of the kernels when the rows and heads are computed in these parts.
    func attend(_ set: OpsInstructionSet, parts: [AttentionPart]) throws -> [Float] {
        let kernels = try set.kernels()
        var y = [Float](repeating: opsCanary, count: shape.rows * shape.yStride)
        let scratchBytes = parley_attention_scratch_bytes(shape.end)
        let scratch = UnsafeMutableRawPointer.allocate(byteCount: scratchBytes, alignment: 64)
        defer { scratch.deallocate() }
        let sinks = UnsafeMutablePointer<Float>.allocate(capacity: shape.heads)
        defer { sinks.deallocate() }
        sinks.initialize(from: self.sinks, count: shape.heads)
        q.withUnsafeBufferPointer { q in
            keyBias.withUnsafeBufferPointer { keyBias in
                keys.withUnsafeBufferPointer { keys in
                    values.withUnsafeBufferPointer { values in
                        y.withUnsafeMutableBufferPointer { y in
                            var attention = parley_attention(
                                q: q.baseAddress, q_stride: shape.qStride, y: y.baseAddress, y_stride: shape.yStride,
                                cache_type: shape.type, keys: keys.baseAddress, values: values.baseAddress,
                                key_stride: keys.count * 2 / shape.kvHeads,
                                value_stride: values.count * 2 / shape.kvHeads,
                                heads: shape.heads, kv_heads: shape.kvHeads, head_dim: shape.headDim,
                                value_dim: shape.valueDim, position: shape.position, window: shape.window,
                                visible: shape.seesAll ? shape.end : 0, scale: shape.scale, softcap: shape.softcap,
                                key_bias: shape.hasKeyBias ? keyBias.baseAddress : nil,
                                sinks: shape.hasSinks ? UnsafePointer(sinks) : nil)
                            for (rows, heads) in parts {
                                kernels.attend?(
                                    &attention, rows.lowerBound, rows.upperBound, heads.lowerBound, heads.upperBound,
                                    scratch)
                            }
                        }
                    }
                }
            }
        }
        return y
    }

    func attend(_ set: OpsInstructionSet) throws -> [Float] {
        try attend(set, parts: [(0..<shape.rows, 0..<shape.heads)])
    }

    /// The number at `index` behind the scales of a panel of 16 positions, times its scale.
    private func number(
        _ cache: [UInt16], head: Int, position p: Int, width: Int, column: Int, index: Int
    ) -> Double {
        let panelBytes = parley_cache_panel_bytes(shape.type, width)
        let panel = (head * capacity + p) / 16 * panelBytes
        func half(_ offset: Int) -> Double { Double(parley_f16_to_f32(cache[(panel + offset) / 2])) }
        guard shape.type == PARLEY_Q8_0 else { return half(index * 2) }
        let scales = (width + 31) / 32 * 32
        let byte = cache.withUnsafeBytes { Int8(bitPattern: $0[panel + scales + index]) }
        return Double(byte) * half((column / 32 * 16 + p % 16) * 2)
    }

    private func key(_ head: Int, _ p: Int, _ d: Int) -> Double {
        number(keys, head: head, position: p, width: shape.headDim, column: d, index: d * 16 + p % 16)
    }

    private func value(_ head: Int, _ p: Int, _ d: Int) -> Double {
        number(values, head: head, position: p, width: shape.valueDim, column: d, index: p % 16 * shape.valueDim + d)
    }

    /// Attention in double precision.
    func exact() -> [Double] {
        var y = [Double](repeating: Double(opsCanary), count: shape.rows * shape.yStride)
        for row in 0..<shape.rows {
            for head in 0..<shape.heads {
                let g = head / (shape.heads / shape.kvHeads)
                let scores = shape.visible(row).map { p -> Double in
                    let score = (0..<shape.headDim).reduce(0.0) { sum, d in
                        let query = q[row * shape.qStride + head * shape.headDim + d]
                        return sum + Double(query) * key(g, p, d)
                    }
                    let scaled = score * Double(shape.scale), cap = Double(shape.softcap)
                    let bias = shape.hasKeyBias ? Double(keyBias[p]) : 0
                    return (cap == 0 ? scaled : cap * tanh(scaled / cap)) + bias
                }
                let sink = shape.hasSinks ? Double(sinks[head]) : -.infinity
                let highest = max(scores.max() ?? 0, sink)
                let weights = scores.map { exp($0 - highest) }
                let sum = weights.reduce(exp(sink - highest), +)
                for d in 0..<shape.valueDim {
                    let weighted = zip(shape.visible(row), weights).reduce(0.0) { total, pair in
                        total + pair.1 * value(g, pair.0, d)
                    }
                    y[row * shape.yStride + head * shape.valueDim + d] = weighted / sum
                }
            }
        }
        return y
    }
}
