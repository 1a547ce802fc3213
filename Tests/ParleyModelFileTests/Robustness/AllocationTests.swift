// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyTesting
import ParleyTokenizer
import Testing

/// Files that hold as many small things as their size allows; the time and memory they cost must stay in proportion.
struct AllocationTests {
    @Test("a file of 100,000 tiny tensors opens, and finds each")
    func opensManyTensors() throws {
        var writer = GGUFWriter()
        writer.alignment = 8
        writer.tensors = (0..<100_000).map { .init(name: "\($0)", typeCode: 0, dimensions: [1], bytes: [0, 0, 0, 0]) }
        let file = try writer.opened()
        #expect(file.tensors.count == 100_000)
        #expect(try file.tensor("99999").rows == 1)
    }

    @Test("a file of 60,000 tiny metadata entries opens")
    func opensManyEntries() throws {
        var writer = GGUFWriter()
        writer.metadata = (0..<60_000).map { .init("\($0)", .uint8(1)) }
        #expect(try writer.opened().metadata.keys.count == 60_000)
    }

    @Test("a million empty strings are counted but not kept")
    func opensManyStrings() throws {
        var writer = GGUFWriter()
        writer.set("tokenizer.ggml.model", .string("gpt2"))
        writer.set("tokenizer.ggml.tokens", .strings(Array(repeating: "", count: 1_000_000)))
        writer.set("tokenizer.ggml.merges", .strings([]))
        let file = try writer.opened()
        #expect(file.metadata["tokenizer.ggml.tokens"]?.count == 1_000_000)
        #expect(try file.tokenizerDescription().tokens.count == 1_000_000)
    }

    @Test(
        "arrays of more texts and arrays than any model has are not walked through",
        arguments: [(MetadataType.string, 8), (.array, 12)])
    func refusesManyElements(type: MetadataType, size: Int) {
        for (count, expected) in [(1 << 23, nil), ((1 << 23) + 1, .corrupt)] as [(Int, ModelFileError.Code?)] {
            var writer = GGUFWriter()
            writer.set("x", .array(type, []))
            let (encoded, fields) = writer.encodedWithFields()
            var bytes = Array(encoded[..<(fields.last?.lowerBound ?? 0)])
            bytes += withUnsafeBytes(of: UInt64(count).littleEndian) { Array($0) }
            bytes += [UInt8](repeating: 0, count: count * size)
            #expect(code { _ = try GGUFFile(bytes: bytes[...]) } == expected)
        }
    }
}
