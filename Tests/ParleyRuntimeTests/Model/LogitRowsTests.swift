// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import Testing

@Suite("Rows of logits")
struct LogitRowsTests {
    @Test("rows begin as zero, and keep to their vocabulary")
    func resizes() throws {
        let rows = LogitRows()
        for (count, size) in [(1, 100), (3, 40), (2, 4_000), (0, 10)] {
            try rows.resize(count: count, vocabularySize: size)
            #expect(rows.count == count)
            #expect((0..<count).allSatisfy { rows[$0].count == size })
        }
        try rows.resize(count: 2, vocabularySize: 5_000)
        #expect(rows[1].allSatisfy { $0 == 0 })
    }

    @Test(
        "rows for which there is no memory are refused, and there are none then",
        arguments: [(1 << 24, 1 << 24), (.max, 2), (1 << 30, 1 << 32), (.max, .max), (1, .max)] as [(Int, Int)])
    func refuses(count: Int, size: Int) throws {
        let rows = LogitRows()
        try rows.resize(count: 2, vocabularySize: 10)
        let error = #expect(throws: RuntimeError.self) { try rows.resize(count: count, vocabularySize: size) }
        #expect(error?.code == .insufficientMemory)
        #expect(rows.count == 0)
        try rows.resize(count: 1, vocabularySize: 10)
        #expect(rows[0].count == 10)
    }
}
