// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyModelFile
import ParleyTestSupport
import ParleyTesting
import Testing

/// Folders whose layers have experts.
@Suite("Folders with experts")
struct ExpertFolderTests {
    private func tiny(_ architecture: TinyArchitecture) -> TinyModel {
        var model = TinyModel(architecture)
        model.tokenizer = .bytePairs
        return model
    }

    /// The weights of a folder, to be written anew.
    private func rewrite(
        _ directory: URL, _ change: (SafetensorsTensor, _ bytes: [UInt8]) -> (String, [Int])?
    ) throws {
        let url = directory.appending(path: "model.safetensors")
        let file = try SafetensorsFile(bytes: Array(Data(contentsOf: url))[...])
        var writer = SafetensorsWriter()
        for tensor in file.tensors {
            let bytes = try file.withBytes(of: tensor) { Array($0) }
            guard let (name, shape) = change(tensor, bytes) else { continue }
            writer.append(name, tensor.type.rawValue, shape, bytes)
        }
        try writer.data.write(to: url)
    }

    @Test("matrices that are stacked, by transformers or by MLX, are those of single experts")
    func readsStacks() throws {
        let tiny = tiny(.qwen3moe)
        let writer = tiny.writer()
        try withTemporaryDirectory { directory in
            try tiny.writeFolder(to: directory)
            let names = ["gate_proj", "up_proj", "down_proj"]
            for style in ["mlx", "transformers"] {
                let folder = directory.appending(path: style)
                try tiny.writeFolder(to: folder)
                let file = try SafetensorsFile(contentsOf: folder)
                var stacked = SafetensorsWriter()
                for tensor in file.tensors where !tensor.name.contains(".experts.") {
                    stacked.append(tensor.name, "F32", tensor.shape, try file.withBytes(of: tensor) { Array($0) })
                }
                for layer in 0..<tiny.layers {
                    let prefix = "model.layers.\(layer).mlp."
                    func expert(_ number: Int, _ name: String) throws -> [UInt8] {
                        try file.withBytes(of: file.tensor("\(prefix)experts.\(number).\(name).weight")) { Array($0) }
                    }
                    let (width, inner) = (tiny.width, tiny.feedForward)
                    if style == "mlx" {
                        for name in names {
                            let shape = name == "down_proj" ? [4, width, inner] : [4, inner, width]
                            stacked.append(
                                "\(prefix)switch_mlp.\(name).weight", "F32", shape,
                                try (0..<4).flatMap { try expert($0, name) })
                        }
                    } else {
                        stacked.append(
                            "\(prefix)experts.gate_up_proj", "F32", [4, 2 * inner, width],
                            try (0..<4).flatMap { try expert($0, "gate_proj") + expert($0, "up_proj") })
                        stacked.append(
                            "\(prefix)experts.down_proj", "F32", [4, width, inner],
                            try (0..<4).flatMap { try expert($0, "down_proj") })
                    }
                }
                try stacked.data.write(to: folder.appending(path: "model.safetensors"))
                let opened = try GGUFFile(contentsOf: folder)
                #expect(opened.tensors.count == writer.tensors.count)
                for expected in writer.tensors {
                    let tensor = try opened.tensor(expected.name)
                    #expect(tensor.dimensions == expected.dimensions, "\(style) \(expected.name)")
                    #expect(
                        try opened.withBytes(of: tensor) { Array($0) } == expected.bytes, "\(style) \(expected.name)")
                }
            }
        }
    }

    @Test(
        "experts in tensors of their own, alternate rows and halves make the tensors of the GGUF file, to the bit",
        arguments: [TinyArchitecture.qwen3moe, .granitemoe, .lfm2moe, .gptOSS].map(\.name),
        [TensorEncoding.f32, .f16])
    func hasSameTensors(name: String, encoding: TensorEncoding) throws {
        var tiny = tiny(try #require(TinyArchitecture.all.first { $0.name == name }))
        tiny.encoding = encoding
        let writer = tiny.writer()
        try withTemporaryDirectory { directory in
            try tiny.writeFolder(to: directory)
            let folder = try GGUFFile(contentsOf: directory)
            #expect(folder.tensors.count == writer.tensors.count)
            for expected in writer.tensors {
                let tensor = try folder.tensor(expected.name)
                #expect(tensor.dimensions == expected.dimensions, "\(expected.name)")
                #expect(tensor.typeCode == expected.typeCode, "\(expected.name)")
                #expect(try folder.withBytes(of: tensor) { Array($0) } == expected.bytes, "\(expected.name)")
            }
            let metadata = try writer.opened().metadata
            for key in metadata.keys where key.hasPrefix(name) && !key.hasSuffix("rope.dimension_count") {
                #expect(folder.metadata[key]?.integers == metadata[key]?.integers, "\(key)")
                #expect(folder.metadata[key]?.float == metadata[key]?.float, "\(key)")
            }
        }
    }

    @Test("biases of 16 bits, as gpt-oss stores them, are floats of 32 bits in the GGUF file")
    func widensBiases() throws {
        func halves(_ bytes: [UInt8], after zeros: [UInt8] = []) -> [UInt8] {
            stride(from: 0, to: bytes.count, by: 4).flatMap { zeros + bytes[$0 + 2..<$0 + 4] }
        }
        let tiny = tiny(.gptOSS)
        try withTemporaryDirectory { directory in
            try tiny.writeFolder(to: directory)
            let url = directory.appending(path: "model.safetensors")
            let file = try SafetensorsFile(bytes: Array(Data(contentsOf: url))[...])
            var writer = SafetensorsWriter()
            for tensor in file.tensors {
                let bytes = try file.withBytes(of: tensor) { Array($0) }
                let isBias = tensor.name.hasSuffix("_proj_bias")
                writer.append(
                    tensor.name, isBias ? "BF16" : tensor.type.rawValue, tensor.shape, isBias ? halves(bytes) : bytes)
            }
            try writer.data.write(to: url)
            let folder = try GGUFFile(contentsOf: directory)
            let biases = tiny.writer().tensors.filter { $0.name.hasSuffix("_exps.bias") }
            #expect(biases.count == 3 * tiny.layers)
            for expected in biases {
                let tensor = try folder.tensor(expected.name)
                #expect(try tensor.type == .f32)
                let found = try folder.withBytes(of: tensor) { Array($0) }
                #expect(found == halves(expected.bytes, after: [0, 0]), "\(expected.name)")
            }
        }
    }

    @Test("an expert that is missing, or has other sizes, is refused")
    func refusesIncomplete() throws {
        func refusal(_ change: (SafetensorsTensor, [UInt8]) -> (String, [Int])?) throws -> ModelFileError? {
            try withTemporaryDirectory { directory in
                try tiny(.qwen3moe).writeFolder(to: directory)
                try rewrite(directory, change)
                do {
                    _ = try GGUFFile(contentsOf: directory)
                    return nil
                } catch let error as ModelFileError {
                    return error
                }
            }
        }
        let second = "model.layers.0.mlp.experts.1.up_proj.weight"
        let missing = try refusal { tensor, _ in tensor.name == second ? nil : (tensor.name, tensor.shape) }
        #expect(missing?.code == .missingTensor && missing?.message.contains("blk.0.ffn_up_exps.weight") == true)
        let other = try refusal { tensor, _ in
            (tensor.name, tensor.name == second ? tensor.shape.reversed() : tensor.shape)
        }
        #expect(other?.code == .corrupt && other?.message.contains("several sizes") == true)
        let far = try refusal { tensor, _ in
            (tensor.name == second ? second.replacing(".1.", with: ".9999999.") : tensor.name, tensor.shape)
        }
        #expect(far?.code == .missingTensor)
    }

    @Test("what experts of a family cannot be read for is said by name")
    func refusesByName() throws {
        func refusal(_ architecture: TinyArchitecture, _ key: String, _ value: JSONValue) throws -> String? {
            try withTemporaryDirectory { directory in
                try tiny(architecture).writeFolder(to: directory) { $0[key] = value }
                do {
                    _ = try GGUFFile(contentsOf: directory)
                    return nil
                } catch let error as ModelFileError {
                    #expect(error.code == .unsupportedModel)
                    return error.message
                }
            }
        }
        #expect(try refusal(.qwen3moe, "norm_topk_prob", false)?.contains("norm_topk_prob") == true)
        #expect(try refusal(.qwen3moe, "mlp_only_layers", [0])?.contains("no experts") == true)
        #expect(try refusal(.lfm2moe, "routed_scaling_factor", .number(2))?.contains("routed_scaling_factor") == true)
        #expect(try refusal(.gptOSS, "swiglu_limit", .number(9))?.contains("swiglu_limit") == true)
        let layers: JSONValue = ["full_attention", "sliding_attention"]
        #expect(try refusal(.gptOSS, "layer_types", layers)?.contains("window") == true)
        #expect(try refusal(.granitemoe, "model_type", "granitemoehybrid")?.contains("Mamba") == true)
        #expect(try refusal(.mistral3, "rope_parameters", ["rope_type": "linear"])?.contains("linear") == true)
    }

    /// Experts in MXFP4, and what transformers takes them for, as recorded by
    /// `scripts/reference/huggingface/record_mxfp4.py`.
    @Test("blocks of MXFP4 are the numbers that transformers takes them for")
    func readsBlocks() throws {
        let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Goldens/mxfp4.json")
        let golden = try #require(JSONValue(parsing: Array(Data(contentsOf: url.standardized))).array)
        var tiny = tiny(.gptOSS)
        (tiny.width, tiny.feedForward, tiny.headDim, tiny.layers) = (32, 32, 8, 1)
        try withTemporaryDirectory { directory in
            let settings: JSONValue = ["quant_method": "mxfp4", "modules_to_not_convert": ["lm_head"]]
            try tiny.writeFolder(to: directory) { $0["quantization_config"] = settings }
            let path = directory.appending(path: "model.safetensors")
            let plain = try SafetensorsFile(bytes: Array(Data(contentsOf: path))[...])
            let prefix = "model.layers.0.mlp.experts."
            func write(scale: UInt8? = nil) throws {
                var writer = SafetensorsWriter()
                for tensor in plain.tensors
                where !["gate_up_proj", "down_proj"].contains(where: { tensor.name == prefix + $0 }) {
                    let bytes = try plain.withBytes(of: tensor) { Array($0) }
                    writer.append(tensor.name, tensor.type.rawValue, tensor.shape, bytes)
                }
                for matrix in golden {
                    let (name, rows) = (try #require(matrix["name"]?.string), try #require(matrix["rows"]?.integer))
                    var scales = Array(try #require(matrix["scales"]?.string.flatMap { Data(base64Encoded: $0) }))
                    if let scale { scales[5] = scale }
                    let blocks = try #require(matrix["blocks"]?.string.flatMap { Data(base64Encoded: $0) })
                    writer.append("\(prefix)\(name)_blocks", "U8", [4, rows, 1, 16], Array(blocks))
                    writer.append("\(prefix)\(name)_scales", "U8", [4, rows, 1], scales)
                }
                try writer.data.write(to: path)
            }
            try write()
            let file = try GGUFFile(contentsOf: directory)
            func numbers(_ name: String) throws -> [Float] {
                let tensor = try file.tensor(name)
                #expect(try tensor.type == .mxfp4)
                #expect(tensor.dimensions == [32, 32, 4])
                return try file.withBytes(of: tensor) { bytes in
                    stride(from: 0, to: bytes.count, by: 17).flatMap { start in
                        let scale = Float(sign: .plus, exponent: Int(bytes[start]) - 127, significand: 1)
                        return (0..<32).map { index in
                            let byte = bytes[start + 1 + index % 16]
                            let code = Int(index < 16 ? byte & 15 : byte >> 4)
                            let magnitude: Float = [0, 0.5, 1, 1.5, 2, 3, 4, 6][code & 7]
                            return (code < 8 ? magnitude : -magnitude) * scale
                        }
                    }
                }
            }
            func expected(_ index: Int, rows: (Int) -> Bool) throws -> [Float] {
                let bytes = try #require(golden[index]["numbers"]?.string.flatMap { Data(base64Encoded: $0) })
                let all = bytes.withUnsafeBytes { bytes in
                    (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
                }
                return (0..<all.count / 32).filter(rows).flatMap { all[$0 * 32..<($0 + 1) * 32] }
            }
            // Gates and ups are alternate rows.
            #expect(try numbers("blk.0.ffn_gate_exps.weight") == expected(0) { $0.isMultiple(of: 2) })
            #expect(try numbers("blk.0.ffn_up_exps.weight") == expected(0) { !$0.isMultiple(of: 2) })
            #expect(try numbers("blk.0.ffn_down_exps.weight") == expected(1) { _ in true })
            try write(scale: 255)
            let damaged = try GGUFFile(contentsOf: directory)
            #expect(
                code { _ = try damaged.withBytes(of: damaged.tensor("blk.0.ffn_down_exps.weight")) { $0.count } }
                    == .invalidValue)
        }
    }
}
