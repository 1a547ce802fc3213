// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyTesting
import Testing

struct GGUFHeaderTests {
    /// The file with eight bytes replaced by a number.
    private func file(_ writer: GGUFWriter = mixedFile(), with number: UInt64, at offset: Int) -> [UInt8] {
        var bytes = writer.encoded()
        bytes.replaceSubrange(offset..<(offset + 8), with: withUnsafeBytes(of: number.littleEndian) { Array($0) })
        return bytes
    }

    @Test("counts that the file cannot hold are refused", arguments: [UInt64.max, 1 << 62, 1 << 40, 1 << 20])
    func refusesCounts(count: UInt64) {
        #expect(code { _ = try GGUFFile(bytes: file(with: count, at: 8)[...]) } == .truncated)
        #expect(code { _ = try GGUFFile(bytes: file(with: count, at: 16)[...]) } == .truncated)
    }

    @Test("what is said of a count names more bytes than are left")
    func explainsCounts() throws {
        // As many entries as there are bytes after the count, which are too few for so many.
        let bytes = file(with: 24, at: 16).prefix(48)
        let error = #expect(throws: ModelFileError.self) { try GGUFFile(bytes: bytes) }
        let told = "the metadata of 24 entries at byte 24 needs 312 bytes or more, but only 24 are left in the file."
        #expect(error?.message.contains(told) == true, "\(error?.message ?? "")")
    }

    @Test("a length of a key beyond the format's limit is refused")
    func refusesLongKeys() {
        #expect(code { _ = try GGUFFile(bytes: file(with: 65_536, at: 24)[...]) } == .corrupt)
        #expect(code { _ = try GGUFFile(bytes: file(with: 65_535, at: 24)[...]) } == .truncated)
    }

    @Test("an array that claims more elements than the file has bytes is refused", arguments: MetadataType.allCases)
    func refusesLongArrays(type: MetadataType) {
        var writer = GGUFWriter()
        writer.set("k", .array(type, []))
        // Magic, version, two counts, key, type and element type lie before the count.
        let offset = 4 + 4 + 16 + 9 + 8
        for count: UInt64 in [1, 1 << 20, 1 << 61, 1 << 63, .max] {
            #expect(code { _ = try GGUFFile(bytes: file(writer, with: count, at: offset)[...]) } == .truncated)
        }
    }

    @Test("the depth of nested arrays is limited")
    func boundsNesting() throws {
        var value = GGUFWriter.Value.integers([1])
        for depth in 1...100 {
            var writer = GGUFWriter()
            writer.set("k", value)
            #expect(code { _ = try writer.opened() } == (depth <= 4 ? nil : .corrupt))
            value = .array(.array, [value])
        }
    }

    @Test("a key that occurs twice is refused")
    func refusesDuplicateKeys() {
        var writer = mixedFile()
        writer.metadata.append(.init("u8", .bool(true)))
        #expect(code { _ = try writer.opened() } == .corrupt)
    }

    @Test("more metadata entries than any model has are refused")
    func boundsEntries() {
        var writer = GGUFWriter()
        writer.metadata = (0...65_536).map { .init("\($0)", .bool(true)) }
        #expect(code { _ = try writer.opened() } == .corrupt)
    }

    @Test("an alignment must be a power of two", arguments: [0, 1, 24, 33, 1 << 31])
    func refusesAlignments(alignment: UInt32) {
        var writer = mixedFile()
        writer.set("general.alignment", .uint32(alignment))
        #expect(code { _ = try writer.opened() } == .corrupt)
    }

    @Test("unusual alignments are supported", arguments: [8, 64, 4096])
    func followsAlignment(alignment: Int) throws {
        var writer = mixedFile()
        writer.alignment = alignment
        let file = try writer.opened()
        for tensor in writer.tensors {
            let found = try file.withBytes(of: file.tensor(tensor.name)) { Array($0) }
            #expect(found == tensor.bytes)
            #expect(try file.tensor(tensor.name).byteRange.lowerBound.isMultiple(of: alignment))
        }
    }
}
