// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyModelFile
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer

/// Almost valid `config.json`, indices and weights of folders in the form of Hugging Face, also of quantised ones. What
/// opens as a model is read in full, and every tensor has as many bytes as its shape says.
struct FolderFuzz: FuzzSubject {
    static let name = "folders"

    private struct Seed: Sendable {
        var config: [UInt8]
        var weights: [UInt8]
    }

    /// Where the folder of a case is written.
    private let directory: URL
    private let seeds: [Seed]
    private static let documents = ["tokenizer.json", "tokenizer_config.json"]

    private static let pieces = [
        "{", "}", "[", "]", ",", ":", "\"", "null", "true", "0", "-1", "1e308", "4294967296", "9223372036854775807",
        "0.5",
        "\"llama\"", "\"gemma3\"", "\"phi3\"", "\"lfm2\"", "\"bert\"", "\"full_attention\"", "\"yarn\"", "\"longrope\"",
        "\"quantization\":{\"bits\":4,\"group_size\":32}", "\"sliding_window\":1", "\"head_dim\":0",
        "\"num_attention_heads\":0", "\"num_hidden_layers\":4294967295", "\"tie_word_embeddings\":true",
        "\"rope_scaling\":{\"rope_type\":\"llama3\",\"factor\":0}", "\"U32\"", "\"F8_E4M3\"", "\"I32\"", "\"BF16\"",
    ].map { Array($0.utf8) }

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(
            path: "parley-fuzz-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        var seeds: [Seed] = []
        for architecture in TinyArchitecture.all {
            var model = TinyModel(architecture)
            model.width = 32
            model.feedForward = 32
            model.headDim = 8
            model.layers = 2
            model.tokenizer = .bytePairs
            try model.writeFolder(to: directory)
            seeds.append(
                Seed(
                    config: try Array(Data(contentsOf: directory.appending(path: "config.json"))),
                    weights: try Array(Data(contentsOf: directory.appending(path: "model.safetensors")))))
        }
        self.seeds = seeds
    }

    func run(_ random: inout SplitMix64) throws {
        var seed = random.pick(seeds)
        if random.oneIn(2) { seed = try Self.quantised(&random) ?? seed }
        var config = seed.config
        if !random.oneIn(4) { config = random.mutated(config, changes: 3, with: Self.pieces) }
        var weights = seed.weights
        if random.oneIn(3) {
            // The header alone, so that most changes matter.
            let length = weights.withUnsafeBytes { Int(UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self))) }
            let header = random.mutated(Array(weights[8..<8 + length]), changes: 3, with: Self.pieces)
            weights.replaceSubrange(8..<8 + length, with: header)
            if random.oneIn(2) {
                withUnsafeBytes(of: UInt64(header.count).littleEndian) { weights.replaceSubrange(0..<8, with: $0) }
            }
        }
        if random.oneIn(8) { weights.removeLast(random.int(0...min(weights.count, 200))) }
        try Data(config).write(to: directory.appending(path: "config.json"))
        try Data(weights).write(to: directory.appending(path: "model.safetensors"))
        try writeIndex(&random)
        do {
            let folder = try GGUFFile(contentsOf: directory)
            for tensor in folder.tensors {
                let count = try folder.withBytes(of: tensor) { $0.count }
                guard count == tensor.byteRange.count else {
                    throw FuzzFailure("\(tensor.name) has \(count) bytes of \(tensor.byteRange.count).")
                }
            }
            _ = (folder.modelName, folder.quantization, folder.chatTemplate, folder.samplingDefaults)
            _ = try Tokenizer(folder.tokenizerDescription())
        } catch let error as ModelFileError {
            guard error.message.utf8.count < 4_000 else { throw FuzzFailure("The message is \(error.message)") }
        } catch is TokenizerError {
            return
        }
    }

    /// Mostly no index.
    private func writeIndex(_ random: inout SplitMix64) throws {
        let url = directory.appending(path: "model.safetensors.index.json")
        try? FileManager.default.removeItem(at: url)
        guard random.oneIn(8) else { return }
        let text = #"{"metadata":{},"weight_map":{"model.norm.weight":"model.safetensors","x":"../x.safetensors"}}"#
        try Data(random.mutated(Array(text.utf8), changes: 4, with: Self.pieces)).write(to: url)
    }

    /// A llama whose matrices are stored in groups, with sizes that may not fit.
    private static func quantised(_ random: inout SplitMix64) throws -> Seed? {
        let form = random.pick(["mlx", "gptq", "awq", "fp8"])
        var writer = SafetensorsWriter()
        func bytes(_ count: Int, _ random: inout SplitMix64) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: max(count, 0))
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: random.next() >> 60) }
            return bytes
        }
        func append(_ name: String, _ type: String, _ width: Int, _ shape: [Int], _ random: inout SplitMix64) {
            let shape = shape.map { random.oneIn(24) ? max($0 + random.int(-1...1), 0) : $0 }
            writer.append(name, type, shape, bytes(shape.reduce(width, *), &random))
        }
        let group = random.pick([32, 32, 64, 16])
        let bits = form == "mlx" ? random.pick([2, 3, 4, 5, 6, 8]) : random.pick([4, 4, 8])
        let (rows, columns) = (32, 64)
        let module = random.pick(["model.layers.0.self_attn.q_proj", "model.layers.0.mlp.down_proj", "lm_head"])
        let groups = columns / group
        switch form {
        case "mlx":
            append("\(module).weight", "U32", 4, [rows, columns * bits / 32], &random)
            append("\(module).scales", "F16", 2, [rows, groups], &random)
            append("\(module).biases", "F16", 2, [rows, groups], &random)
        case "fp8":
            append("\(module).weight", "F8_E4M3", 1, [rows, columns], &random)
            append("\(module).weight_scale_inv", "F32", 4, [rows / 16, columns / group], &random)
        default:
            let isGPTQ = form == "gptq"
            let packed = isGPTQ ? [columns * bits / 32, rows] : [columns, rows / 8]
            append("\(module).qweight", "I32", 4, packed, &random)
            append("\(module).qzeros", "I32", 4, [groups, rows * bits / 32], &random)
            append("\(module).scales", "F16", 2, [groups, rows], &random)
            if random.oneIn(2) { append("\(module).g_idx", "I32", 4, [columns], &random) }
        }
        append("model.embed_tokens.weight", "F32", 4, [300, 32], &random)
        let settings =
            form == "mlx"
            ? #""quantization":{"bits":\#(bits),"group_size":\#(group)}"#
            : #""quantization_config":{"quant_method":"\#(form)","bits":\#(bits),"group_size":\#(group),"weight_block_size":[16,\#(group)]}"#
        let config =
            #"{"model_type":"llama","hidden_size":32,"num_hidden_layers":1,"num_attention_heads":4,"#
            + #""intermediate_size":64,"max_position_embeddings":64,\#(settings)}"#
        return Seed(config: Array(config.utf8), weights: Array(writer.data))
    }
}
