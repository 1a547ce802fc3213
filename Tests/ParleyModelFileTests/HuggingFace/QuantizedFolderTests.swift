// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyModelFile
import ParleyTestSupport
import ParleyTesting
import Testing

/// A matrix in the form of a library, and what that library takes it for, as recorded by
/// `scripts/reference/huggingface/record_quantised.py`.
private struct RecordedMatrix {
    static let module = "model.layers.0.mlp.down_proj"

    private static let golden: JSONValue? = {
        let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Goldens/quantised.json")
        return (try? Data(contentsOf: url.standardized)).flatMap { try? JSONValue(parsing: Array($0)) }
    }()

    static var names: [String] { golden?["cases"]?.array?.compactMap { $0["name"]?.string } ?? [] }

    var config: JSONObject
    var rows: Int
    var columns: Int
    var tensors: Data
    var numbers: [Float]

    init(_ name: String) throws {
        let recorded = try #require(Self.golden?["cases"]?.array?.first { $0["name"]?.string == name })
        config = try #require(recorded["config"]?.object)
        rows = try #require(recorded["rows"]?.integer)
        columns = try #require(recorded["columns"]?.integer)
        tensors = try #require(recorded["tensors"]?.string.flatMap { Data(base64Encoded: $0) })
        let bytes = try #require(recorded["numbers"]?.string.flatMap { Data(base64Encoded: $0) })
        numbers = bytes.withUnsafeBytes { bytes in
            (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
        }
    }

    /// Writes a tiny folder, in which the matrix stands at the place of another one.
    func writeFolder(to directory: URL, module: String = Self.module, changing: (inout JSONObject) -> Void = { _ in })
        throws
    {
        var tiny = TinyModel(.llama)
        tiny.tokenizer = .bytePairs
        try tiny.writeFolder(to: directory) { values in
            for (key, value) in config { values[key] = value }
            changing(&values)
        }
        let url = directory.appending(path: "model.safetensors")
        let plain = try SafetensorsFile(bytes: Array(Data(contentsOf: url))[...])
        let packed = try SafetensorsFile(bytes: Array(tensors)[...])
        var made = SafetensorsWriter()
        for file in [plain, packed] {
            for tensor in file.tensors where file === packed || tensor.name != module + ".weight" {
                let name = file === plain ? tensor.name : tensor.name.replacing(Self.module, with: module)
                made.append(name, tensor.type.rawValue, tensor.shape, try file.withBytes(of: tensor) { Array($0) })
            }
        }
        try made.data.write(to: url)
    }
}

/// Reads numbers of the types that quantised folders become, as ggml's documents define them.
private func numbers(_ bytes: [UInt8], _ type: TensorType) -> [Float] {
    func half(_ offset: Int) -> Float {
        let bits = UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8
        let (exponent, fraction) = (Int(bits >> 10 & 31), Float(bits & 0x3FF))
        let magnitude =
            exponent == 0
            ? fraction * 0x1p-24 : Float(sign: .plus, exponent: exponent - 15, significand: 1 + fraction / 1_024)
        return bits & 0x8000 == 0 ? magnitude : -magnitude
    }
    return (0..<bytes.count / type.blockBytes).flatMap { block -> [Float] in
        let start = block * type.blockBytes
        let scale = half(start)
        if type == .q8_0 { return (0..<32).map { scale * Float(Int8(bitPattern: bytes[start + 2 + $0])) } }
        let levels = start + type.blockBytes - 16
        return (0..<32).map { index in
            let byte = bytes[levels + index % 16]
            var level = Int(index < 16 ? byte & 15 : byte >> 4)
            if type == .q4_0 { return scale * Float(level - 8) }
            if type == .q5_1 { level += Int(bytes[start + 4 + index / 8] >> UInt8(index % 8) & 1) * 16 }
            return scale * Float(level) + half(start + 2)
        }
    }
}

@Suite("Quantised folders in the form of Hugging Face")
struct QuantizedFolderTests {
    private func tensor(_ name: String, in directory: URL) throws -> (type: TensorType, bytes: [UInt8]) {
        let folder = try GGUFFile(contentsOf: directory)
        let tensor = try folder.tensor(name)
        return (try tensor.type, try folder.withBytes(of: tensor) { Array($0) })
    }

    @Test("there are matrices of all libraries")
    func coversLibraries() {
        #expect(RecordedMatrix.names.count == 16)
        for library in ["mlx", "gptq", "awq", "fp8"] {
            #expect(RecordedMatrix.names.contains { $0.hasPrefix(library) })
        }
    }

    /// The type, and whether numbers are equal to the bit; otherwise the largest difference is half a step of 8 bits, or
    /// that of a minimum rounded to a half.
    private static let forms: [(name: String, type: TensorType, isExact: Bool)] = [
        ("mlx-4-32-float16", .q4_1, true), ("mlx-4-64-bfloat16", .q4_1, true), ("mlx-4-128-float32", .q4_1, false),
        ("mlx-8-64-bfloat16", .q8_0, false), ("mlx-8-32-float16", .q8_0, false), ("mlx-2-64-float16", .q4_1, true),
        ("mlx-3-64-float16", .q4_1, true), ("mlx-5-32-float16", .q5_1, true), ("mlx-6-64-float16", .q8_0, false),
        ("gptq-4-32-symmetric", .q4_0, true), ("gptq-4-32", .q4_1, false), ("gptq-4-32-scattered", .q8_0, false),
        ("gptq-8-32-symmetric", .q8_0, false), ("awq", .q4_1, false), ("fp8-blocks", .q8_0, false),
        ("fp8-rows", .q8_0, false),
    ]

    @Test("numbers are those of the library that wrote them", arguments: forms.map(\.name))
    func readsNumbers(name: String) throws {
        let form = try #require(Self.forms.first { $0.name == name })
        let recorded = try RecordedMatrix(name)
        try withTemporaryDirectory { directory in
            try recorded.writeFolder(to: directory)
            let (type, bytes) = try tensor("blk.0.ffn_down.weight", in: directory)
            #expect(type == form.type)
            let found = numbers(bytes, type)
            try #require(found.count == recorded.numbers.count)
            guard !form.isExact else {
                #expect(found == recorded.numbers)
                return
            }
            for start in stride(from: 0, to: found.count, by: 32) {
                let block = start..<start + 32
                let largest = recorded.numbers[block].map(abs).max() ?? 0
                let difference = block.map { abs(found[$0] - recorded.numbers[$0]) }.max() ?? 0
                // Half a step of Q8_0, and its scale rounded to a half; the minimum of Q4_1 rounded to one.
                #expect(difference <= largest * (type == .q8_0 ? 1 / 240 : 1 / 1_000), "block \(start)")
            }
        }
    }

    @Test("each of many rows has its own scale")
    func readsScalesOfRows() throws {
        var recorded = try RecordedMatrix("fp8-rows")
        let (rows, columns) = (300, 32)
        var made = SafetensorsWriter()
        // The byte stands for 1.
        let floats = [UInt8](repeating: 0x38, count: rows * columns)
        made.append("\(RecordedMatrix.module).weight", "F8_E4M3", [rows, columns], floats)
        let scales = (1...rows).flatMap { row in withUnsafeBytes(of: Float(row).bitPattern.littleEndian) { Array($0) } }
        made.append("\(RecordedMatrix.module).weight_scale", "F32", [rows, 1], scales)
        recorded.tensors = made.data
        try withTemporaryDirectory { directory in
            try recorded.writeFolder(to: directory)
            let (type, bytes) = try tensor("blk.0.ffn_down.weight", in: directory)
            #expect(type == .q8_0)
            let found = numbers(bytes, type)
            try #require(found.count == rows * columns)
            for row in 0..<rows {
                let difference = abs(found[row * columns] - Float(row + 1))
                #expect(difference <= Float(row + 1) / 240, "row \(row)")
            }
        }
    }

    @Test("the rows of queries are interleaved as those of other folders")
    func interleavesRows() throws {
        let recorded = try RecordedMatrix("gptq-4-32-symmetric")
        let module = "model.layers.0.self_attn.q_proj"
        try withTemporaryDirectory { directory in
            try recorded.writeFolder(to: directory, module: module)
            let (type, bytes) = try tensor("blk.0.attn_q.weight", in: directory)
            let found = numbers(bytes, type)
            // Four heads of eight rows: those of the first half are the even ones.
            for row in 0..<32 {
                let place = row / 8 * 8 + row % 8 % 4 * 2 + row % 8 / 4
                let columns = recorded.columns
                #expect(
                    Array(found[place * columns..<(place + 1) * columns])
                        == Array(recorded.numbers[row * columns..<(row + 1) * columns]), "row \(row)")
            }
        }
    }

    @Test("8 bits whose bias is a whole number of scales become Q8_0 without rounding")
    func keepsWholeLevels() throws {
        var recorded = try RecordedMatrix("mlx-8-32-float16")
        let file = try SafetensorsFile(bytes: Array(recorded.tensors)[...])
        let scales = try file.tensor("\(RecordedMatrix.module).scales")
        let biases = try file.tensor("\(RecordedMatrix.module).biases")
        let weight = try file.tensor("\(RecordedMatrix.module).weight")
        // A scale of 1/64, a bias of -100/64, and levels below 228.
        for start in stride(from: scales.byteRange.lowerBound, to: scales.byteRange.upperBound, by: 2) {
            recorded.tensors.replaceSubrange(start..<start + 2, with: [0x00, 0x24])
        }
        for start in stride(from: biases.byteRange.lowerBound, to: biases.byteRange.upperBound, by: 2) {
            recorded.tensors.replaceSubrange(start..<start + 2, with: [0x40, 0xBE])
        }
        let levels = (0..<weight.byteRange.count).map { UInt8($0 * 7 % 228) }
        recorded.tensors.replaceSubrange(weight.byteRange, with: levels)
        try withTemporaryDirectory { directory in
            try recorded.writeFolder(to: directory)
            let (type, bytes) = try tensor("blk.0.ffn_down.weight", in: directory)
            #expect(numbers(bytes, type) == levels.map { Float($0) / 64 - 100 / 64 })
        }
    }

    @Test("a folder is named after the type of most of its weights, and written as GGUF as it is")
    func convertsFolder() throws {
        let recorded = try RecordedMatrix("mlx-4-32-float16")
        try withTemporaryDirectory { directory in
            try recorded.writeFolder(to: directory)
            let folder = try GGUFFile(contentsOf: directory)
            let conversion = try GGUFConversion(of: folder, to: nil)
            var bytes: [UInt8] = []
            try conversion.write { bytes += Array($0) }
            let file = try GGUFFile(bytes: bytes[...])
            let tensor = try file.tensor("blk.0.ffn_down.weight")
            #expect(try tensor.type == .q4_1)
            let stored = try file.withBytes(of: tensor) { Array($0) }
            #expect(try stored == self.tensor("blk.0.ffn_down.weight", in: directory).bytes)
            #expect(code { _ = try GGUFConversion(of: folder, to: .q8_0) } == .unsupportedTensorType)
        }
    }

    @Test("a form that is not read, and tensors that do not belong together, are refused by their names")
    func refusesByName() throws {
        func refusal(_ name: String, _ key: String, _ settings: JSONValue?) throws -> ModelFileError? {
            try withTemporaryDirectory { directory in
                try RecordedMatrix(name).writeFolder(to: directory) { $0[key] = settings }
                do {
                    _ = try GGUFFile(contentsOf: directory)
                    return nil
                } catch let error as ModelFileError {
                    return error
                }
            }
        }
        let key = "quantization_config"
        let other = try refusal("gptq-4-32", key, ["quant_method": "bitsandbytes"])
        #expect(other?.code == .unsupportedModel && other?.message.contains("\"bitsandbytes\"") == true)
        #expect(try refusal("mlx-4-32-float16", key, ["bits": 4, "group_size": 48])?.code == .unsupportedModel)
        let mode = try refusal("mlx-4-32-float16", key, ["bits": 4, "group_size": 32, "mode": "mxfp4"])
        #expect(mode?.message.contains("\"mxfp4\"") == true)
        // The same words in groups of another size do not go with the scales.
        #expect(try refusal("mlx-4-32-float16", key, ["bits": 4, "group_size": 64])?.code == .corrupt)
        #expect(try refusal("mlx-4-32-float16", key, ["bits": 8, "group_size": 64])?.code == .corrupt)
        #expect(try refusal("gptq-4-32", key, ["quant_method": "gptq", "bits": 3])?.code == .unsupportedModel)
        let size = try refusal("gptq-4-32", key, ["quant_method": "gptq", "bits": 4, "group_size": 16])
        #expect(size?.code == .corrupt && size?.message.contains("down_proj.scales") == true)
        #expect(try refusal("awq", key, ["quant_method": "awq", "version": "gemv"])?.code == .unsupportedModel)
        #expect(
            try refusal("fp8-blocks", key, ["quant_method": "fp8", "weight_block_size": [8, 32]])?.code == .corrupt)
        #expect(
            try refusal("fp8-blocks", key, ["quant_method": "fp8", "weight_block_size": [0, 32]])?.code == .invalidValue
        )
        #expect(try refusal("awq", key, ["quant_method": "gptq", "bits": 4, "group_size": 32])?.code == .corrupt)
        // Without its description a matrix is one of whole numbers.
        #expect(try refusal("gptq-4-32", key, nil)?.code == .unsupportedModel)
    }

    @Test("a layer may have other bits than the rest")
    func readsBitsOfLayers() throws {
        let recorded = try RecordedMatrix("mlx-8-64-bfloat16")
        try withTemporaryDirectory { directory in
            try recorded.writeFolder(to: directory) { config in
                let settings: JSONValue = [
                    "bits": 4, "group_size": 64,
                    "model.layers.0.mlp.down_proj": [
                        "bits": 8, "group_size": 64,
                    ], "lm_head": false,
                ]
                config["quantization"] = settings
                config["quantization_config"] = settings
            }
            #expect(try tensor("blk.0.ffn_down.weight", in: directory).type == .q8_0)
        }
    }
}
