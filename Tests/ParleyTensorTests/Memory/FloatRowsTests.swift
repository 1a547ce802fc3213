// SPDX-License-Identifier: Apache-2.0

import ParleyTensor
import Testing

@Suite("Float rows")
struct FloatRowsTests {
    private let buffer: AlignedBuffer

    init() throws {
        buffer = try AlignedBuffer(zeroedFloats: 60)
    }

    /// Five rows of twelve values, each value its own index.
    private var rows: FloatRows {
        for index in 0..<60 { buffer.floats[index] = Float(index) }
        return FloatRows(pointer: buffer.floats, count: 5, width: 12)
    }

    @Test("rows are adjacent unless another stride is given")
    func hasStride() {
        #expect(rows.stride == 12)
        #expect((0..<5).map { rows.row($0)[0] } == [0, 12, 24, 36, 48])
        let spread = FloatRows(pointer: buffer.floats, count: 3, width: 4, stride: 20)
        #expect((0..<3).map { spread.row($0)[3] } == [3, 23, 43])
    }

    @Test("a range of columns keeps the stride")
    func takesColumns() {
        let columns = rows.columns(from: 5, width: 3)
        #expect((columns.count, columns.width, columns.stride) == (5, 3, 12))
        #expect((0..<5).map { columns.row($0)[0] } == [5, 17, 29, 41, 53])
    }

    @Test("ranges of rows and columns share the memory")
    func takesRows() {
        let part = rows.rows(1..<4)
        #expect((part.count, part.width, part.stride) == (3, 12, 12))
        #expect(part.row(0) == rows.row(1))
        #expect(part.columns(from: 2, width: 1).row(2)[0] == 38)
        part.row(2)[0] = -1
        #expect(rows.pointer == buffer.floats)
        #expect(buffer.floats[36] == 36)
    }
}
