// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

/// How the numbers of cached keys and values are stored.
package enum CacheFormat: String, Sendable, Hashable {
    /// Half precision.
    case f16
    /// Eight bits, and for every 32 numbers of a position a scale in half precision.
    case q8_0

    var type: parley_type {
        switch self {
        case .f16: PARLEY_F16
        case .q8_0: PARLEY_Q8_0
        }
    }
}

/// The keys and values of one attention layer for one sequence.
///
/// Both are stored in panels of 16 positions, `[kvHeads][capacity / 16]`, which `parley_cache_panel_bytes` describes. A
/// page takes physical memory only once one of its positions is written.
package final class KeyValueCache: Sendable {
    /// The number of positions whose keys lie together.
    package static var panelPositions: Int { Int(PARLEY_KEY_PANEL) }

    let kvHeads: Int
    let headWidth: Int
    let format: CacheFormat
    /// The distance between the starts of two heads, in bytes.
    private let headBytes: Int
    /// The size of the keys, or values, of a head in 16 positions, in bytes.
    private let panelBytes: Int
    private let keys: AlignedBuffer
    private let values: AlignedBuffer

    /// Creates an empty cache for `capacity` positions.
    ///
    /// - Throws: ``AllocationError`` if the system has too little memory.
    package init(
        capacity: Int, kvHeads: Int, headWidth: Int, format: CacheFormat = .f16
    ) throws(AllocationError) {
        self.kvHeads = kvHeads
        self.headWidth = headWidth
        self.format = format
        panelBytes = parley_cache_panel_bytes(format.type, headWidth)
        headBytes = Self.panels(capacity) * panelBytes
        keys = try AlignedBuffer(byteCount: kvHeads * headBytes)
        values = try AlignedBuffer(byteCount: kvHeads * headBytes)
    }

    /// The memory that one layer's cache needs, in bytes.
    package static func byteCount(
        capacity: Int, kvHeads: Int, headWidth: Int, format: CacheFormat = .f16
    ) -> Int {
        2 * kvHeads * panels(capacity) * parley_cache_panel_bytes(format.type, headWidth)
    }

    /// The size of the cache in bytes; it takes that much physical memory once all positions have been written.
    package var byteCount: Int { keys.byteCount + values.byteCount }

    /// The size in bytes of the keys and values of the first `count` positions, a multiple of 16.
    package func byteCount(of count: Int) -> Int { 2 * kvHeads * Self.panels(count) * panelBytes }

    /// Passes the memory of the first `count` positions, a multiple of 16, to be read or written: for each head the
    /// keys, then for each the values.
    package func withPositions(_ count: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        precondition(
            count.isMultiple(of: Self.panelPositions) && Self.panels(count) * panelBytes <= headBytes,
            "\(count) positions are no whole panels of this cache")
        for buffer in [keys, values] {
            for head in 0..<kvHeads {
                try body(
                    UnsafeMutableRawBufferPointer(
                        start: buffer.pointer + head * headBytes, count: Self.panels(count) * panelBytes))
            }
        }
    }

    /// Copies the keys and values of some positions, the first of which is a multiple of 16, from a cache of the same
    /// heads and format and any capacity. The rest of the last panel is copied too; it counts only when it has been written again.
    package func copy(_ positions: Range<Int>, of other: KeyValueCache) {
        let start = Self.panels(positions.lowerBound) * panelBytes
        let end = Self.panels(positions.upperBound) * panelBytes
        precondition(
            positions.lowerBound.isMultiple(of: Self.panelPositions) && kvHeads == other.kvHeads
                && headWidth == other.headWidth && format == other.format && end <= min(headBytes, other.headBytes),
            "the positions \(positions) cannot be copied between these caches")
        for (buffer, source) in [(keys, other.keys), (values, other.values)] {
            for head in 0..<kvHeads {
                (buffer.pointer + head * headBytes + start).copyMemory(
                    from: source.pointer + head * other.headBytes + start, byteCount: end - start)
            }
        }
    }

    /// Gives the memory of some positions, of which nothing is needed any more, back to the system as far as pages have no
    /// others.
    package func giveBack(_ positions: Range<Int>) {
        let start = Self.panels(positions.lowerBound) * panelBytes
        let end = min(Self.panels(positions.upperBound) * panelBytes, headBytes)
        guard start < end else { return }
        for buffer in [keys, values] {
            for head in 0..<kvHeads { buffer.giveBack(head * headBytes + start..<head * headBytes + end) }
        }
    }

    /// The panels that hold `count` positions.
    private static func panels(_ count: Int) -> Int { (count + panelPositions - 1) / panelPositions }

    // MARK: Kernels

    /// The keys of a head.
    func keys(of head: Int) -> UnsafeMutableRawPointer { keys.pointer + head * headBytes }

    /// Stores the key and the value of a head at a position, `headWidth` numbers each.
    func store(
        _ key: UnsafePointer<Float>, _ value: UnsafePointer<Float>, head: Int, at position: Int,
        with kernels: UnsafePointer<parley_kernels>
    ) {
        kernels.pointee.store_key(format.type, key, headWidth, keys.pointer + head * headBytes, position)
        kernels.pointee.store_value(format.type, value, headWidth, values.pointer + head * headBytes, position)
    }

    /// Describes attention over the cache, from its position `start`, a multiple of 16, to the kernels.
    func attention(
        q: FloatRows, y: FloatRows, shape: AttentionShape, from start: Int = 0, position: Int = 0, visible: Int = 0,
        keyBias: UnsafePointer<Float>? = nil, sinks: UnsafePointer<Float>? = nil
    ) -> parley_attention {
        let skipped = Self.panels(start) * panelBytes
        return parley_attention(
            q: q.pointer, q_stride: q.stride, y: y.pointer, y_stride: y.stride, cache_type: format.type,
            keys: keys.pointer + skipped, values: values.pointer + skipped, key_stride: headBytes,
            value_stride: headBytes, heads: shape.heads, kv_heads: shape.kvHeads, head_dim: shape.headWidth,
            value_dim: shape.headWidth, position: position, window: shape.window, visible: visible,
            scale: shape.scale, softcap: 0, key_bias: keyBias, sinks: sinks)
    }
}
