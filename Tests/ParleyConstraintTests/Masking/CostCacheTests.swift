// SPDX-License-Identifier: Apache-2.0

import ParleyConstraint
import Testing

@Suite("The cache of masks")
struct CostCacheTests {
    @Test("Values are found until they exceed the memory limit, when the cache is emptied")
    func bound() {
        let cache = CostCache<Int, String>(limit: 10_000)
        for key in 0..<8 { cache.keep("\(key)", for: key, bytes: 1_000 - 256) }
        #expect((0..<8).allSatisfy { cache.value(for: $0) == "\($0)" })
        for key in 8..<12 { cache.keep("\(key)", for: key, bytes: 1_000 - 256) }
        #expect(cache.value(for: 7) == nil)
        #expect(cache.value(for: 11) == "11")
    }

    @Test("Each value is charged for its slot in the table as well")
    func overhead() {
        let cache = CostCache<Int, Int>(limit: 100_000)
        for key in 0..<10_000 { cache.keep(key, for: key, bytes: 0) }
        #expect((0..<10_000).count { cache.value(for: $0) != nil } <= 400)
    }

    @Test("A value larger than the limit is not cached and evicts nothing")
    func tooLarge() {
        let cache = CostCache<Int, Int>(limit: 1_000)
        cache.keep(1, for: 1, bytes: 10)
        cache.keep(2, for: 2, bytes: 2_000)
        #expect(cache.value(for: 1) == 1)
        #expect(cache.value(for: 2) == nil)
    }
}
