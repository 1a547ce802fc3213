// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

/// The keys and values of one attention layer for one sequence, in half precision.
///
/// Keys are stored in panels of 16 positions, `[kvHeads][capacity / 16][headWidth][16]`; values as
/// `[kvHeads][capacity][headWidth]`. A page takes physical memory only once one of its positions is written.
package final class KeyValueCache: Sendable {
    /// The number of positions whose keys lie together.
    package static var panelPositions: Int { Int(PARLEY_KEY_PANEL) }

    let kvHeads: Int
    let headWidth: Int
    /// The distance between the starts of two heads, in values.
    let headStride: Int
    let keys: AlignedBuffer
    let values: AlignedBuffer

    /// Creates an empty cache for `capacity` positions.
    ///
    /// - Throws: ``AllocationError`` if the system has too little memory.
    package init(capacity: Int, kvHeads: Int, headWidth: Int) throws(AllocationError) {
        self.kvHeads = kvHeads
        self.headWidth = headWidth
        headStride = Self.roundedCapacity(capacity) * headWidth
        keys = try AlignedBuffer(byteCount: kvHeads * headStride * 2)
        values = try AlignedBuffer(byteCount: kvHeads * headStride * 2)
    }

    /// The memory that one layer's cache needs, in bytes.
    package static func byteCount(capacity: Int, kvHeads: Int, headWidth: Int) -> Int {
        2 * kvHeads * roundedCapacity(capacity) * headWidth * 2
    }

    /// The size of the cache in bytes; it takes that much physical memory once all positions have been written.
    package var byteCount: Int { keys.byteCount + values.byteCount }

    /// The size in bytes of the keys and values of the first `count` positions, a multiple of 16.
    package func byteCount(of count: Int) -> Int { 2 * kvHeads * count * headWidth * 2 }

    /// Passes the memory of the first `count` positions, a multiple of 16, to be read or written: for each head the
    /// keys, then for each the values.
    package func withPositions(_ count: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        precondition(
            count.isMultiple(of: Int(PARLEY_KEY_PANEL)) && count * headWidth <= headStride,
            "\(count) positions are no whole panels of this cache")
        for buffer in [keys, values] {
            for head in 0..<kvHeads {
                try body(
                    UnsafeMutableRawBufferPointer(
                        start: buffer.pointer + head * headStride * 2, count: count * headWidth * 2))
            }
        }
    }

    /// Copies the keys and values of some positions, the first of which is a multiple of 16, from a cache of the same
    /// heads and any capacity. The rest of the last panel is copied too; it counts only when it has been written again.
    package func copy(_ positions: Range<Int>, of other: KeyValueCache) {
        let end = Self.roundedCapacity(positions.upperBound)
        precondition(
            positions.lowerBound.isMultiple(of: Int(PARLEY_KEY_PANEL)) && kvHeads == other.kvHeads
                && headWidth == other.headWidth && end * headWidth <= min(headStride, other.headStride),
            "the positions \(positions) cannot be copied between these caches")
        let (start, size) = (positions.lowerBound * headWidth * 2, (end - positions.lowerBound) * headWidth * 2)
        for (buffer, source) in [(keys, other.keys), (values, other.values)] {
            for head in 0..<kvHeads {
                (buffer.pointer + head * headStride * 2 + start).copyMemory(
                    from: source.pointer + head * other.headStride * 2 + start, byteCount: size)
            }
        }
    }

    /// Gives the memory of some positions, of which nothing is needed any more, back to the system as far as pages have no
    /// others.
    package func giveBack(_ positions: Range<Int>) {
        let start = Self.roundedCapacity(positions.lowerBound)
        let end = min(Self.roundedCapacity(positions.upperBound), headStride / max(headWidth, 1))
        guard start < end else { return }
        for buffer in [keys, values] {
            for head in 0..<kvHeads {
                let first = (head * headStride + start * headWidth) * 2
                buffer.giveBack(first..<first + (end - start) * headWidth * 2)
            }
        }
    }

    private static func roundedCapacity(_ capacity: Int) -> Int {
        let panel = Int(PARLEY_KEY_PANEL)
        return (capacity + panel - 1) / panel * panel
    }
}
