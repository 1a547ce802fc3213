// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleySystem
import ParleyTesting
import Testing

struct TensorTableTests {
    /// The mixed file with one field of the descriptor of its last tensor replaced: `[32]`, type, offset end the table.
    private func file(replacing field: Field, with number: UInt64) -> ArraySlice<UInt8> {
        let (encoded, fields) = mixedFile().encodedWithFields()
        var bytes = encoded
        let range = fields[fields.count - field.rawValue]
        let value = withUnsafeBytes(of: number.littleEndian) { Array($0.prefix(range.count)) }
        bytes.replaceSubrange(range, with: value)
        return bytes[...]
    }

    private enum Field: Int {
        case offset = 1
        case type = 2
        case dimension = 3
        case rank = 4
    }

    @Test(
        "data beyond the end of the file is reported as truncation",
        arguments: [4096, 1 << 40, 1 << 63, UInt64.max - 31] as [UInt64])
    func refusesOffsets(offset: UInt64) {
        #expect(code { _ = try GGUFFile(bytes: file(replacing: .offset, with: offset)) } == .truncated)
    }

    @Test("an offset off the alignment is refused", arguments: [1, 95, UInt64.max] as [UInt64])
    func refusesMisalignment(offset: UInt64) {
        #expect(code { _ = try GGUFFile(bytes: file(replacing: .offset, with: offset)) } == .corrupt)
    }

    @Test("overlapping tensors are refused", arguments: [UInt64(0), 32, 64])
    func refusesOverlaps(offset: UInt64) {
        #expect(code { _ = try GGUFFile(bytes: file(replacing: .offset, with: offset)) } == .corrupt)
    }

    @Test(
        "dimensions that are zero, overflow, or are not a multiple of the block are refused",
        arguments: [0, .max, 1 << 63, 33])
    func refusesDimensions(dimension: UInt64) {
        #expect(code { _ = try GGUFFile(bytes: file(replacing: .dimension, with: dimension)) } == .corrupt)
    }

    @Test("a tensor too large for the file is reported as truncation", arguments: [UInt64(64), 1 << 32, 1 << 50])
    func refusesLargeTensors(dimension: UInt64) {
        #expect(code { _ = try GGUFFile(bytes: file(replacing: .dimension, with: dimension)) } == .truncated)
    }

    @Test(
        "more elements than any file has bytes are refused", arguments: [(1 << 50) + 32, 1 << 58, 1 << 62] as [UInt64])
    func refusesElements(dimension: UInt64) {
        #expect(code { _ = try GGUFFile(bytes: file(replacing: .dimension, with: dimension)) } == .corrupt)
    }

    @Test("sizes of tensors of unknown type are added without a trap, however many elements they claim")
    func addsUp() throws {
        var writer = GGUFWriter()
        writer.tensors = (0..<9_000).map {
            .init(name: "\($0)", typeCode: 99, dimensions: [1 << 25, 1 << 25], bytes: [0])
        }
        #expect(try writer.opened().parameterCount == ByteSize.limit.count)
        writer.tensors = [.init(name: "a", typeCode: 0, dimensions: [3, 2], bytes: [UInt8](repeating: 0, count: 24))]
        #expect(try writer.opened().parameterCount == 6)
    }

    @Test("a size that overflows is refused")
    func refusesOverflow() {
        #expect(code { _ = try GGUFFile(bytes: file(replacing: .dimension, with: (1 << 63) - 32)) } == .corrupt)
        var writer = GGUFWriter()
        writer.tensors = [.init(name: "a", typeCode: 0, dimensions: [1 << 40, 1 << 40], bytes: [0])]
        #expect(code { _ = try writer.opened() } == .corrupt)
    }

    @Test("a tensor has four dimensions at most", arguments: [UInt64(5), 1 << 31])
    func refusesRanks(rank: UInt64) {
        #expect(code { _ = try GGUFFile(bytes: file(replacing: .rank, with: rank)) } == .corrupt)
    }

    @Test("a file with tensors of unknown type opens, and the error of using one names the type")
    func keepsUnknownTypes() throws {
        for (type, name) in [(UInt64(40), "NVFP4"), (99, "type 99"), (UInt64(UInt32.max), "type 4294967295")] {
            let file = try GGUFFile(bytes: file(replacing: .type, with: type))
            let tensor = try file.tensor("b")
            #expect(tensor.typeName == name)
            #expect(tensor.byteRange.count == 34)
            let error = #expect(throws: ModelFileError.self) { try tensor.type }
            #expect(error?.code == .unsupportedTensorType)
            #expect(error?.message.contains(name) == true)
        }
    }

    @Test("a tensor of unknown type ends where the next begins")
    func boundsUnknownTypes() throws {
        var writer = mixedFile()
        writer.tensors[0].typeCode = 99
        let file = try writer.opened()
        #expect(try file.tensor("a").byteRange.upperBound == file.tensor("b").byteRange.lowerBound)
    }
}
