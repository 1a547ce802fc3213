// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyNetwork
import ParleyTensor
import ParleyTesting
import Testing

@Suite("Matrix types")
struct MatrixTypeTests {
    @Test("the kernels know every type of the format, in whole blocks", arguments: TensorType.allCases)
    func areKnownToTheKernels(type: TensorType) throws {
        var writer = GGUFWriter()
        let bytes = [UInt8](repeating: 0, count: 2 * type.blockBytes)
        writer.tensors = [
            .init(name: "a", typeCode: type.rawValue, dimensions: [type.blockSize, 2], bytes: bytes)
        ]
        let matrix = try GGUFFile(bytes: writer.encoded()[...]).tensor("a").matrixType
        #expect(matrix.byteCount(columns: type.blockSize) == type.blockBytes)
        #expect(PackedMatrix.byteCount(type: matrix, rows: 2, columns: type.blockSize) != nil)
        #expect((matrix.byteCount(columns: type.blockSize + 1) == nil) == (type.blockSize > 1))
        #expect(matrix.byteCount(columns: 0) == nil && matrix.byteCount(columns: -type.blockSize) == nil)
    }

    @Test("of other types the kernels know nothing")
    func areUnknown() {
        #expect(MatrixType(rawValue: 40).byteCount(columns: 256) == nil)
        #expect(PackedMatrix.byteCount(type: MatrixType(rawValue: 1_000), rows: 2, columns: 256) == nil)
    }
}
