// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyModelFile
import ParleySampling
import ParleyTestSupport
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("Folders described for engines that read the weights by themselves")
struct FolderNetworkTests {
    private static let architectures: [TinyArchitecture] = [.llama, .qwen2, .qwen3, .gemma3, .phi3]

    private func tiny(_ architecture: TinyArchitecture = .llama) -> TinyModel {
        var model = TinyModel(architecture)
        model.tokenizer = .bytePairs
        return model
    }

    private func network(
        _ architecture: TinyArchitecture = .llama, changing: (inout JSONObject) -> Void = { _ in },
        weights change: (SafetensorsTensor) -> (name: String, shape: [Int])? = { ($0.name, $0.shape) }
    ) throws -> FolderNetwork {
        try withTemporaryDirectory { directory in
            try tiny(architecture).writeFolder(to: directory, changing: changing)
            let file = try SafetensorsFile(contentsOf: directory)
            var writer = SafetensorsWriter()
            for tensor in file.tensors {
                guard let changed = change(tensor) else { continue }
                let bytes = try file.withBytes(of: tensor) { Array($0) }
                let count = changed.shape.reduce(1, *) * tensor.type.byteCount
                writer.append(
                    changed.name, tensor.type.rawValue, changed.shape,
                    Array((bytes + Array(repeating: 0, count: max(count - bytes.count, 0))).prefix(count)))
            }
            try writer.data.write(to: directory.appending(path: "model.safetensors"))
            return try FolderNetwork(contentsOf: directory)
        }
    }

    private func refusal(
        _ architecture: TinyArchitecture = .llama, changing: (inout JSONObject) -> Void = { _ in },
        weights change: (SafetensorsTensor) -> (name: String, shape: [Int])? = { ($0.name, $0.shape) }
    ) throws -> ModelFileError? {
        do {
            _ = try network(architecture, changing: changing, weights: change)
            return nil
        } catch let error as ModelFileError {
            return error
        }
    }

    @Test("the sizes are those of config.json, and all weights are named", arguments: architectures.map(\.name))
    func reads(name: String) throws {
        let architecture = try #require(Self.architectures.first { $0.name == name })
        let tiny = tiny(architecture)
        let network = try network(architecture)
        #expect(network.architecture == name)
        #expect(network.shape.layers == tiny.layers)
        #expect(network.shape.width == tiny.width)
        #expect(network.shape.heads == tiny.heads)
        #expect(network.shape.keyValueHeads == tiny.keyValueHeads)
        #expect(network.shape.headWidth == tiny.headDim)
        #expect(network.shape.vocabularySize == tiny.tokenizer.tokens.count)
        #expect(network.tokenizer.tokens.count == tiny.tokenizer.tokens.count)
        #expect(network.trainedContext == tiny.context)
        #expect(network.valuesPerToken == 2 * tiny.layers * tiny.keyValueHeads * tiny.headDim)
        let names = tiny.writer().tensors.map(\.name)
        #expect(Set(network.tensors.map(\.name)) == Set(names))
        #expect(network.tensors.allSatisfy { $0.bits == 0 && ($0.addend == 1) == (name == "gemma3" && !$0.isMatrix) })
        #expect(network.parameterCount == tiny.writer().tensors.reduce(0) { $0 + $1.dimensions.reduce(1, *) })
        #expect(network.byteCount == 4 * network.parameterCount)
    }

    @Test("groups of few bits have their sizes, and the weights that they stand for are counted")
    func readsGroups() throws {
        try withTemporaryDirectory { directory in
            let (grouped, exact) = (directory.appending(path: "grouped"), directory.appending(path: "exact"))
            try tiny().writeGroupedFolder(to: grouped, exact: exact)
            let network = try FolderNetwork(contentsOf: grouped)
            #expect(try network.parameterCount == FolderNetwork(contentsOf: exact).parameterCount)
            let query = try #require(network.tensors.first { $0.name == "blk.0.attn_q.weight" })
            #expect(query.bits == 4 && query.groupSize == 32 && query.columns == 64 && query.rows == 64)
            #expect(query.byteCount == 64 * 64 / 2 + 2 * 64 * 2 * 4)
            #expect(network.tensors.contains { $0.name == "blk.0.attn_norm.weight" && $0.bits == 0 })
            #expect(!network.tensors.contains { $0.stored.hasSuffix("scales") || $0.stored.hasSuffix("biases") })
        }
    }

    @Test("a tensor that is missing, is too many, or has other sizes is refused by its name")
    func checksTensors() throws {
        let missing = try refusal(weights: {
            $0.name.hasSuffix("layers.1.mlp.down_proj.weight") ? nil : ($0.name, $0.shape)
        })
        #expect(missing?.code == .missingTensor && missing?.message.contains("blk.1.ffn_down.weight") == true)
        let embedding = try refusal(weights: { $0.name.hasSuffix("embed_tokens.weight") ? nil : ($0.name, $0.shape) })
        #expect(embedding?.code == .missingTensor)
        let turned = try refusal(weights: {
            ($0.name, $0.name.hasSuffix("layers.0.mlp.up_proj.weight") ? $0.shape.reversed() : $0.shape)
        })
        #expect(turned?.code == .corrupt && turned?.message.contains("layers.0.mlp.up_proj.weight") == true)
        let short = try refusal(weights: { ($0.name, $0.name == "model.norm.weight" ? [8] : $0.shape) })
        #expect(short?.code == .corrupt && short?.message.contains("model.norm.weight") == true)
        let beyond = try refusal(weights: {
            ($0.name.replacing("layers.0.self_attn.q", with: "layers.9.self_attn.q"), $0.shape)
        })
        #expect(beyond?.code == .corrupt)
        let strange = try refusal(weights: { ($0.name.replacing("gate_proj", with: "gait_proj"), $0.shape) })
        #expect(strange?.code == .unsupportedModel)
    }

    @Test("sizes and constants that no network has, or that are not described, are refused")
    func checksSizes() throws {
        for (key, value) in [
            ("num_attention_heads", JSONValue.integer(0)), ("num_key_value_heads", 3), ("num_hidden_layers", 0),
            ("num_hidden_layers", 4_000_000_000), ("head_dim", 15), ("hidden_size", 4_294_967_295),
            ("rms_norm_eps", 0), ("rope_theta", -1), ("rope_scaling", ["rope_type": "yarn", "factor": 2]),
            ("rope_scaling", ["rope_type": "linear", "factor": 0]), ("quantization_config", ["quant_method": "gptq"]),
        ] as [(String, JSONValue)] {
            #expect(try refusal { $0[key] = value } != nil, "\(key) = \(value)")
        }
        #expect(try refusal(.lfm2)?.message.contains("lfm2") == true)
        #expect(try refusal { $0["rope_scaling"] = ["rope_type": "linear", "factor": 4] } == nil)
        let scaled = try network { $0["rope_scaling"] = ["rope_type": "linear", "factor": 4] }
        #expect(scaled.shape.rotation.scale == 0.25 && scaled.shape.rotation.periods.isEmpty)
    }
}
