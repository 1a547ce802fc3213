// SPDX-License-Identifier: Apache-2.0

import ParleyTensor
import Testing

@Suite("Key and value cache")
struct KeyValueCacheTests {
    @Test("a cache has the announced size in bytes", arguments: [1, 15, 16, 17, 500, 8_192])
    func takesBytes(capacity: Int) throws {
        let cache = try KeyValueCache(capacity: capacity, kvHeads: 3, headWidth: 64)
        let announced = KeyValueCache.byteCount(capacity: capacity, kvHeads: 3, headWidth: 64)
        #expect(cache.byteCount == announced)
        // Two bytes a value; keys stand in panels of 16 positions.
        #expect(announced == (capacity + 15) / 16 * 16 * 3 * 64 * 2 * 2)
        let small = try KeyValueCache(capacity: capacity, kvHeads: 3, headWidth: 64, format: .q8_0)
        #expect(
            small.byteCount == KeyValueCache.byteCount(capacity: capacity, kvHeads: 3, headWidth: 64, format: .q8_0))
        // One byte a value, and two bytes for the scale of 32.
        #expect(small.byteCount * 64 == announced * 34)
    }
}
