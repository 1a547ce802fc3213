// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyModelFile
import ParleySystem
import ParleyTestSupport
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("GGUFConversion")
struct GGUFConversionTests {
    /// What `scripts/reference/huggingface/record_quantisers.py` printed with gguf 0.19.0.
    private static let recorded: [(TensorType, String)] = [
        (
            TensorType.f16,
            "a0befcb74439433f1cbc0030213d3ebe74b6083aa03f7ebb1033833ddcbd00b5c23afebfbaba1035e03d7fbd"
                + "f0b2863b9cbf00ba8436423e1dbdc0af203c3fbf5c911f10cd16dd94fc819e1407979390dd102c1779944a04"
                + "0215a896aa8fa611901714941f0961154496198e6f12f0176a93210cc615df959c8c2d130798a292"
        ),
        (
            TensorType.bf16,
            "d4bf00bf283fe83f84bf003ea43fc8bfcebe413ff43f70bf623eb03fbcbfa0be583f00c057bfa23ebc3fb0bf"
                + "5ebe713ff4bf40bfd03ec83fa4bff8bd843fe8bf2cba043ada3a9cbafeb7943ae1ba12ba1c3ae63a8fba8938"
                + "a03ad5baf5b9353af23a83ba2439ac3ac8bac3b94e3afe3a6dba8439b93abcba93b9663a01bb54ba"
        ),
        (
            TensorType.q4_0,
            "fe33b1065b9fe4297dc2065bafe4398ec217070cf54a9fd3286db1f64a9fe4287dc1065b"
        ),
        (
            TensorType.q4_1,
            "2a34febfb1064a9fd4287db2065b9fe4397dc216440c0798f5498ed3276cb1f54a9ed3286cb1064a"
        ),
        (
            TensorType.q5_0,
            "fe2f6c36994c730c953fc851ea841da63fd962fb841d0708369bcd26fb841eb640d962fb952eb741ea730c96"
        ),
        (
            TensorType.q5_1,
            "0830febf6c36994c730c952ec851ea731da63fc862fb841d21080798269bcd26ea841da63fd962fb842eb740"
                + "d9730c95"
        ),
        (
            TensorType.q8_0,
            "072497e02a73bf08529de63079c40e58a3ec3681cb145da9f23c87d01a63aff8428d0401d6206bb3fe4991dc"
                + "2671ba044f97e22d77c00a559de8337dc6105ba3ee3981cc"
        ),
    ]

    /// The numbers of that script.
    private var numbers: [Float] {
        (0..<64).map { index in
            let number = Float((index * 37 + 11) % 128 - 64) / 32 + Float(index % 5) / 1_024
            return index < 32 ? number : number * 1e-3
        }
    }

    private func encoded(_ numbers: [Float], _ type: TensorType) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: type.byteCount(of: numbers.count))
        let isWritten = numbers.withUnsafeBufferPointer { numbers in
            bytes.withUnsafeMutableBytes { type.encode(numbers, into: $0) }
        }
        #expect(isWritten)
        return bytes
    }

    private func converted(_ file: GGUFFile, to type: TensorType?) throws -> GGUFFile {
        var bytes: [UInt8] = []
        let conversion = try GGUFConversion(of: file, to: type.map { WritingForm($0) })
        try conversion.write { bytes += $0 }
        #expect(bytes.count == conversion.layout.size.count)
        return try GGUFFile(bytes: bytes[...])
    }

    @Test("numbers are quantised as ggml does, to the bit", arguments: recorded.map(\.0))
    func quantisesAsReference(type: TensorType) throws {
        let expected = try #require(Self.recorded.first { $0.0 == type }?.1)
        let found = encoded(numbers, type).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(found == expected)
    }

    /// The 1,024 numbers of `scripts/reference/huggingface/record_k_quantisers.py`.
    private var manyNumbers: [Float] {
        var state: UInt32 = 1
        var numbers = (0..<1_024).map { _ -> Float in
            state = state &* 1_664_525 &+ 1_013_904_223
            let number = Float(state >> 8) / 8_388_608 - 1
            return number * number * number
        }
        for index in 256..<512 { numbers[index] *= 1e-3 }
        for index in 512..<768 { numbers[index] = abs(numbers[index]) + 0.5 }
        for index in 768..<992 { numbers[index] = 0 }
        return numbers
    }

    @Test("scales are searched for as ggml does, to the bit", arguments: [TensorType.q4_K, .q5_K, .q6_K])
    func searchesScalesAsReference(type: TensorType) throws {
        let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Goldens/k-quantisers.json")
        let golden = try JSONValue(parsing: Array(Data(contentsOf: url.standardized)))
        let expected = try #require(golden[type.name]?.string)
        let found = encoded(manyNumbers, type).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        for block in 0..<4 {
            let range = block * type.blockBytes * 2..<(block + 1) * type.blockBytes * 2
            #expect(
                found.utf8.dropFirst(range.lowerBound).prefix(range.count)
                    .elementsEqual(expected.utf8.dropFirst(range.lowerBound).prefix(range.count)), "block \(block)")
        }
        #expect(found.count == expected.count)
    }

    @Test("mixtures give the matrices more bits that llama-quantize gives more")
    func mixesTypes() throws {
        var tiny = TinyModel(.llama)
        (tiny.width, tiny.feedForward, tiny.layers, tiny.headDim) = (256, 256, 9, 64)
        func types(_ name: String) throws -> (file: GGUFFile, types: [String: TensorType]) {
            let form = try #require(WritingForm.all.first { $0.name == name })
            let conversion = try GGUFConversion(of: tiny.writer().opened(), to: form)
            var bytes: [UInt8] = []
            try conversion.write { bytes += Array($0) }
            let file = try GGUFFile(bytes: bytes[...])
            return (file, Dictionary(uniqueKeysWithValues: try file.tensors.map { ($0.name, try $0.type) }))
        }
        let (file, medium) = try types("Q4_K_M")
        #expect(file.quantization == "Q4_K_M")
        for name in ["Q4_K_S", "Q5_K_S", "Q5_K_M", "Q6_K"] {
            #expect(try types(name).file.quantization == name)
        }
        // Of nine layers the first, every third after it, and the last two: as llama-quantize printed it.
        let more = (0..<9).filter { medium["blk.\($0).attn_v.weight"] == .q6_K }
        #expect(more == [0, 3, 6, 7, 8])
        #expect(more == (0..<9).filter { medium["blk.\($0).ffn_down.weight"] == .q6_K })
        #expect(medium["blk.0.attn_q.weight"] == .q4_K && medium["blk.0.ffn_up.weight"] == .q4_K)
        #expect(medium["token_embd.weight"] == .q6_K)
        let small = try types("Q4_K_S").types
        #expect((0..<9).filter { small["blk.\($0).attn_v.weight"] == .q5_K } == [0, 1, 2, 3])
        #expect((0..<9).filter { small["blk.\($0).ffn_down.weight"] == .q5_K } == [0])
        tiny.tiesEmbeddings = false
        let apart = try types("Q5_K_S").types
        #expect(apart["output.weight"] == .q6_K && apart["token_embd.weight"] == .q5_K)
        // Rows that do not divide into blocks of 256 get types with blocks of 32.
        (tiny.width, tiny.headDim, tiny.layers) = (64, 16, 2)
        let narrow = try types("Q4_K_M").types
        #expect(narrow["blk.0.attn_q.weight"] == .q5_0 && narrow["blk.1.attn_v.weight"] == .q8_0)
        #expect(narrow["output.weight"] == .q8_0 && narrow["blk.1.ffn_down.weight"] == .q6_K)
    }

    @Test("extreme numbers are no danger", arguments: TensorType.writable)
    func survivesExtremes(type: TensorType) {
        for number in [0, -0.0, Float.leastNonzeroMagnitude, -Float.leastNonzeroMagnitude, .greatestFiniteMagnitude] {
            for filling in [0, number] {
                let block = [number] + Array(repeating: filling, count: 255)
                #expect(encoded(block, type).count == type.byteCount(of: 256))
            }
        }
    }

    @Test("a folder becomes a file with the same tensors and the same metadata")
    func convertsFolders() throws {
        var tiny = TinyModel(.llama)
        tiny.encoding = .bf16
        try withTemporaryDirectory { directory in
            try tiny.writeFolder(to: directory)
            let folder = try GGUFFile(contentsOf: directory)
            let file = try converted(folder, to: nil)
            #expect(file.metadata.keys.sorted() == folder.metadata.keys.sorted())
            for key in folder.metadata.keys {
                #expect(file.metadata[key]?.strings == folder.metadata[key]?.strings)
                #expect(file.metadata[key]?.description == folder.metadata[key]?.description)
            }
            for expected in tiny.writer().tensors {
                let tensor = try file.tensor(expected.name)
                let bytes = try file.withBytes(of: tensor) { Array($0) }
                #expect(bytes == expected.bytes, "\(expected.name)")
            }
            let description = try file.tokenizerDescription()
            #expect(description.tokens.count == tiny.tokenizer.tokens.count)
        }
    }

    @Test("matrices get the type, and vectors are floats", arguments: TensorType.writable)
    func convertsTypes(type: TensorType) throws {
        var tiny = TinyModel(.llama)
        (tiny.width, tiny.feedForward, tiny.headDim, tiny.layers) = (256, 256, 64, 2)
        let exact = try tiny.writer().opened()
        let file = try converted(exact, to: type)
        for tensor in file.tensors {
            #expect(try tensor.type == (tensor.dimensions.count < 2 ? .f32 : type), "\(tensor.name)")
        }
        #expect(file.quantization?.hasPrefix(type.name) == true)
        let values = try exact.withBytes(of: exact.tensor("blk.1.attn_q.weight")) { bytes in
            (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
        }
        let found = try file.withBytes(of: file.tensor("blk.1.attn_q.weight")) { Array($0) }
        #expect(found == encoded(values, type), "\(type)")
    }

    @Test("what is quantised already, infinite, or has a tokenizer without a form in GGUF is refused")
    func refuses() throws {
        var tiny = TinyModel(.llama)
        tiny.encoding = .q8_0
        let quantised = try tiny.writer().opened()
        #expect(code { _ = try GGUFConversion(of: quantised, to: .q4_0) } == .unsupportedTensorType)
        #expect(try converted(quantised, to: .q8_0).tensors.count == quantised.tensors.count)
        tiny.encoding = .f32
        var writer = tiny.writer()
        writer.tensors[0].bytes.replaceSubrange(0..<4, with: [0, 0, 0x80, 0x7F])
        let infinite = try GGUFConversion(of: writer.opened(), to: .q8_0)
        #expect(code { try infinite.write { _ in } } == .invalidValue)
        try withTemporaryDirectory { directory in
            try tiny.writeFolder(to: directory)
            let url = directory.appending(path: "tokenizer.json")
            var document = try JSONValue(parsing: Array(Data(contentsOf: url)))
            document["pre_tokenizer"] = ["type": "Whitespace"]
            try Data(document.text().utf8).write(to: url)
            let folder = try GGUFFile(contentsOf: directory)
            #expect(code { _ = try GGUFConversion(of: folder, to: nil) } == .unsupportedTokenizer)
        }
    }
}
