// SPDX-License-Identifier: Apache-2.0

import CParleyKernels

/// The half-precision keys and values of one attention layer of one sequence.
///
/// Keys stand in panels of 16 positions, `[kvHeads][capacity / 16][headWidth][16]`; values as
/// `[kvHeads][capacity][headWidth]`. A page takes physical memory when its positions are first written.
package final class KeyValueCache: Sendable {
    let kvHeads: Int
    let headWidth: Int
    /// The distance between heads, in values.
    let headStride: Int
    let keys: AlignedBuffer
    let values: AlignedBuffer

    /// Creates an empty cache for `capacity` positions.
    ///
    /// - Throws: ``AllocationError`` where the system has no memory for it.
    package init(capacity: Int, kvHeads: Int, headWidth: Int) throws(AllocationError) {
        self.kvHeads = kvHeads
        self.headWidth = headWidth
        headStride = Self.roundedCapacity(capacity) * headWidth
        keys = try AlignedBuffer(byteCount: kvHeads * headStride * 2)
        values = try AlignedBuffer(byteCount: kvHeads * headStride * 2)
    }

    /// The bytes of one layer's cache.
    package static func byteCount(capacity: Int, kvHeads: Int, headWidth: Int) -> Int {
        2 * kvHeads * roundedCapacity(capacity) * headWidth * 2
    }

    /// The bytes the cache takes in memory, once all of it has been written.
    package var byteCount: Int { keys.byteCount + values.byteCount }

    private static func roundedCapacity(_ capacity: Int) -> Int {
        let panel = Int(PARLEY_KEY_PANEL)
        return (capacity + panel - 1) / panel * panel
    }
}
