// SPDX-License-Identifier: Apache-2.0

import CParleyKernels
import ParleyTensor
import Testing

@Suite("Packed matrices")
struct PackedMatrixTests {
    private let pool = WorkerPool(lanes: 2)

    private func zeros(_ type: MatmulType, rows: Int, columns: Int, missing: Int = 0) throws -> PackedMatrix? {
        let bytes = [UInt8](
            repeating: 0, count: max(columns, 0) / type.blockColumns * type.blockBytes * max(rows, 0) - missing)
        return try bytes.withUnsafeBytes {
            try PackedMatrix(type: type.matrixType, rows: rows, columns: columns, source: $0, pool: pool)
        }
    }

    @Test(
        "a matrix has the announced size in bytes, which is little more than in its file", arguments: MatmulType.all)
    func takesBytes(type: MatmulType) throws {
        for (rows, columns) in [(1, 256), (16, 256), (17, 512), (100, 1_024)] {
            let matrix = try #require(try zeros(type, rows: rows, columns: columns))
            let announced = try #require(PackedMatrix.byteCount(type: type.matrixType, rows: rows, columns: columns))
            #expect(matrix.byteCount == announced)
            #expect((matrix.rows, matrix.columns, matrix.type) == (rows, columns, type.matrixType))
            let stored = columns / type.blockColumns * type.packedBytes * ((rows + 15) / 16 * 16)
            #expect(announced >= stored * 15 / 16 && announced <= stored * 5 / 4, "\(announced) for \(stored)")
        }
    }

    @Test("columns that are not whole blocks are refused", arguments: MatmulType.all)
    func refusesPartsOfBlocks(type: MatmulType) throws {
        #expect((try zeros(type, rows: 4, columns: 100) == nil) == (type.blockColumns > 1))
        let bytes = PackedMatrix.byteCount(type: type.matrixType, rows: 4, columns: 100)
        #expect((bytes == nil) == (type.blockColumns > 1))
    }

    @Test("a source that is too short is refused", arguments: MatmulType.all)
    func refusesShortSources(type: MatmulType) throws {
        #expect(try zeros(type, rows: 3, columns: 256) != nil)
        #expect(try zeros(type, rows: 3, columns: 256, missing: 1) == nil)
    }

    @Test("unpacked rows equal the packed ones, on any number of lanes", arguments: [1, 2, 5])
    func keepsValues(lanes: Int) throws {
        let pool = WorkerPool(lanes: lanes)
        let (rows, columns) = (37, 24)
        let values = (0..<rows * columns).map { Float($0) * 0.5 - 100 }
        let matrix = try #require(
            try values.withUnsafeBytes {
                try PackedMatrix(type: PARLEY_F32.matrixType, rows: rows, columns: columns, source: $0, pool: pool)
            })
        let output = try AlignedBuffer(zeroedFloats: rows * columns)
        let order = (0..<Int32(rows)).reversed().map { $0 }
        order.withUnsafeBufferPointer { order in
            pool.run { lane in
                lane.lookUp(
                    order, in: matrix, into: FloatRows(pointer: output.floats, count: rows, width: columns), factor: 2)
            }
        }
        for row in 0..<rows {
            let source = (rows - 1 - row) * columns
            #expect((0..<columns).allSatisfy { output.floats[row * columns + $0] == 2 * values[source + $0] })
        }
    }

    @Test(
        "a matrix of floats that is quantised strip by strip has the values of its blocks, and tells what was read",
        arguments: [1, 3])
    func quantizes(lanes: Int) throws {
        // More than one strip for each lane, and a last panel that is not full.
        let pool = WorkerPool(lanes: lanes)
        let (rows, columns) = (1_003, 1_024)
        let values = (0..<rows * columns).map { Float(($0 * 7_919) % 1_009) - 500 }
        var finished: [Range<Int>] = []
        let matrix = try values.withUnsafeBytes { source in
            try #require(
                try PackedMatrix(
                    quantizing: PARLEY_F32.matrixType, rows: rows, columns: columns, source: source, as: .blocks,
                    pool: pool,
                    finishedReading: { finished.append($0) }))
        }
        var blocks = [UInt8](repeating: 0, count: rows * columns / 32 * 34)
        parley_quantize_q8_0(PARLEY_F32, values, rows * columns / 32, &blocks)
        let expected = try blocks.withUnsafeBytes { source in
            try #require(
                try PackedMatrix(
                    type: PARLEY_Q8_0.matrixType, rows: rows, columns: columns, source: source, pool: pool))
        }
        let (actual, right) = (try matrix.floats(isLocked: false), try expected.floats(isLocked: false))
        #expect(
            UnsafeBufferPointer(start: actual.floats, count: rows * columns)
                .elementsEqual(UnsafeBufferPointer(start: right.floats, count: rows * columns)))
        #expect(finished.first?.lowerBound == 0 && finished.last?.upperBound == rows * columns * 4)
        #expect(zip(finished, finished.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        withExtendedLifetime((actual, right)) {}
    }
}
