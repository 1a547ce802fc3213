// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyEngine
import ParleyEngineCases
import ParleyJSON
import ParleyModelFile
import ParleyRuntime
import ParleyTestSupport
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("Loading folders in the form of Hugging Face")
struct FolderTests {
    @Test(
        "a folder gives the logits of the GGUF file with the same weights",
        // Folders of Gemma 3n and 4, Qwen 3.5 and Falcon H1 are not read.
        arguments: TinyArchitecture.all.filter {
            !["gemma3n", "gemma4", "qwen35", "qwen35moe", "falcon-h1"].contains($0.name)
        },
        [TensorEncoding.f32, .bf16])
    func givesSameLogits(architecture: TinyArchitecture, encoding: TensorEncoding) async throws {
        var tiny = TinyModel(architecture)
        tiny.tokenizer = .bytePairs
        tiny.encoding = encoding
        let tokens = randomTokens(40, vocabulary: tiny.tokenizer.tokens.count)
        let expected = try await NativeModel.load(tiny.writer()).logits(of: tokens)
        let directory = try TemporaryDirectory()
        try tiny.writeFolder(to: directory.url, shards: 2)
        let model = try await NativeModel.load(directory.url, configuration: EngineConfiguration(threads: 1))
        let found = try await model.logits(of: tokens)
        if architecture.name == "gemma3" {
            // Its norms are stored less 1, which rounds.
            #expect(largestDifference(found, expected) < 1e-3)
        } else {
            #expect(found == expected)
        }
        #expect(model.info.name == "Tiny random model")
        withExtendedLifetime(directory) {}
    }

    @Test("a folder whose weights lack a tensor is refused by its name before loading")
    func refusesMissingTensor() throws {
        let directory = try TemporaryDirectory()
        try TinyModel().writeFolder(to: directory.url) { config in config["num_hidden_layers"] = 3 }
        #expect(NativeModel.refusal(of: directory.url)?.contains("blk.2.") == true)
        withExtendedLifetime(directory) {}
    }

    @Test("groups of MLX, also those with negative scales, give the logits of the same numbers in F32")
    func runsGroups() async throws {
        var tiny = TinyModel()
        tiny.tokenizer = .bytePairs
        let (groups, plain) = (try TemporaryDirectory(), try TemporaryDirectory())
        let setting: JSONValue = ["bits": 4, "group_size": 32]
        try tiny.writeFolder(to: groups.url) { config in config["quantization"] = setting }
        try tiny.writeFolder(to: plain.url)
        try Self.quantise(groups.url, plain.url)
        let configuration = EngineConfiguration(threads: 1)
        let tokens = randomTokens(40, vocabulary: tiny.tokenizer.tokens.count)
        let expected = try await NativeModel.load(plain.url, configuration: configuration).logits(of: tokens)
        let model = try await NativeModel.load(groups.url, configuration: configuration)
        // Q4_1 is multiplied with rows of 8 bits; another sign or order of rows differs by several units.
        #expect(try await largestDifference(model.logits(of: tokens), expected) < 0.15)
        withExtendedLifetime((groups, plain)) {}
    }

    /// Stores the matrices of a folder in groups of 32 with 4 bits, and in another one what they stand for.
    private static func quantise(_ groups: URL, _ plain: URL) throws {
        let name = SafetensorsFile.fileName
        let file = try SafetensorsFile(contentsOf: plain)
        var (packed, wide) = (SafetensorsWriter(), SafetensorsWriter())
        for tensor in file.tensors {
            let bytes = try file.withBytes(of: tensor) { Array($0) }
            guard tensor.shape.count == 2 else {
                packed.append(tensor.name, "F32", tensor.shape, bytes)
                wide.append(tensor.name, "F32", tensor.shape, bytes)
                continue
            }
            let values = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
            var (levels, scales, biases, numbers): ([UInt8], [Float], [Float], [Float]) = ([], [], [], [])
            for (number, start) in stride(from: 0, to: values.count, by: 32).enumerated() {
                let group = values[start..<start + 32]
                let (low, high) = (group.min() ?? 0, group.max() ?? 0)
                // Dyadic, so that halves hold them; every second one counts down from the largest.
                let step = max(((high - low) / 15 * 1_024).rounded(.up), 1) / 1_024
                let (scale, bias) =
                    number.isMultiple(of: 2)
                    ? (step, (low * 256).rounded() / 256) : (-step, (high * 256).rounded() / 256)
                for value in group {
                    let level = min(max(((value - bias) / scale).rounded(), 0), 15)
                    levels.append(UInt8(level))
                    numbers.append(scale * level + bias)
                }
                scales.append(scale)
                biases.append(bias)
            }
            let words = stride(from: 0, to: levels.count, by: 2).map { levels[$0] | levels[$0 + 1] << 4 }
            let stem = String(tensor.name.dropLast(".weight".count))
            let (rows, columns) = (tensor.shape[0], tensor.shape[1])
            packed.append(tensor.name, "U32", [rows, columns / 8], words)
            packed.append(stem + ".scales", "F16", [rows, columns / 32], TensorEncoding.f16.encode(scales))
            packed.append(stem + ".biases", "F16", [rows, columns / 32], TensorEncoding.f16.encode(biases))
            wide.append(tensor.name, "F32", tensor.shape, TensorEncoding.f32.encode(numbers))
        }
        try packed.data.write(to: groups.appending(path: name))
        try wide.data.write(to: plain.appending(path: name))
    }

    @Test("a folder of BERT makes the vectors of the GGUF file with the same weights, and is written as such a file")
    func embeds() async throws {
        let tiny = TinyModel(.bert)
        let directory = try TemporaryDirectory()
        try Self.writeEncoder(tiny, to: directory.url)
        let texts = ["hello world", "a vector of the mean", "unable texts and ünable"]
        func vectors(_ model: NativeEmbeddingModel) async throws -> [[Float]] {
            try await model.embed(texts.map { model.tokens(of: $0) })
        }
        let expected = try await vectors(NativeEmbeddingModel.load(tiny.writer()))
        let model = try await NativeEmbeddingModel.load(directory.url, configuration: EngineConfiguration(threads: 1))
        #expect(try await vectors(model) == expected)
        var bytes: [UInt8] = []
        try GGUFConversion(of: GGUFFile(contentsOf: directory.url), to: nil).write { bytes += $0 }
        let file = directory.url.appending(path: "written.gguf")
        try Data(bytes).write(to: file)
        let written = try await NativeEmbeddingModel.load(file, configuration: EngineConfiguration(threads: 1))
        #expect(try await vectors(written) == expected)
        withExtendedLifetime(directory) {}
    }

    /// Writes a tiny encoder as sentence-transformers does it.
    private static func writeEncoder(_ tiny: TinyModel, to directory: URL) throws {
        func write(_ value: JSONValue, _ name: String) throws {
            let url = directory.appending(path: name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(value.text().utf8).write(to: url)
        }
        try write(
            [
                "model_type": "bert", "hidden_act": "gelu", "hidden_size": .integer(tiny.width),
                "num_hidden_layers": .integer(tiny.layers), "num_attention_heads": .integer(tiny.heads),
                "intermediate_size": .integer(tiny.feedForward), "max_position_embeddings": .integer(tiny.context),
                "layer_norm_eps": .number(1e-5), "type_vocab_size": 2,
            ], "config.json")
        try write(
            [["idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"]],
            "modules.json")
        try write(["pooling_mode_cls_token": false, "pooling_mode_mean_tokens": true], "1_Pooling/config.json")
        var vocabulary = JSONObject()
        var added: [JSONValue] = []
        let file = try GGUFFile(bytes: tiny.writer().encoded()[...]).tokenizerDescription()
        for (id, token) in file.tokens.enumerated() {
            let isSpecial = token.text.hasPrefix("[") && token.text.count > 1
            let text =
                isSpecial ? token.text : token.text.hasPrefix("▁") ? String(token.text.dropFirst()) : "##" + token.text
            vocabulary[text] = .integer(id)
            if isSpecial { added.append(["id": .integer(id), "content": .string(text), "special": true]) }
        }
        let begin = file.tokens[Int(file.beginningOfText ?? 0)].text
        let end = file.tokens[Int(file.endOfText ?? 0)].text
        try write(
            [
                "added_tokens": .array(added), "normalizer": ["type": "BertNormalizer", "lowercase": true],
                "pre_tokenizer": ["type": "BertPreTokenizer"], "decoder": ["type": "WordPiece", "prefix": "##"],
                "post_processor": [
                    "type": "BertProcessing", "cls": [.string(begin), .integer(Int(file.beginningOfText ?? 0))],
                    "sep": [.string(end), .integer(Int(file.endOfText ?? 0))],
                ],
                "model": [
                    "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                    "max_input_chars_per_word": 100, "vocab": .object(vocabulary),
                ],
            ], "tokenizer.json")
        let stems = [
            "token_embd": "embeddings.word_embeddings", "position_embd": "embeddings.position_embeddings",
            "token_types": "embeddings.token_type_embeddings", "token_embd_norm": "embeddings.LayerNorm",
            "attn_q": "attention.self.query", "attn_k": "attention.self.key", "attn_v": "attention.self.value",
            "attn_output": "attention.output.dense", "attn_output_norm": "attention.output.LayerNorm",
            "ffn_up": "intermediate.dense", "ffn_down": "output.dense", "layer_output_norm": "output.LayerNorm",
        ]
        var writer = SafetensorsWriter()
        writer.append("bert.pooler.dense.bias", "F32", [1], [0, 0, 0, 0])
        for tensor in tiny.writer().tensors {
            var fields = tensor.name.split(separator: ".").map(String.init)
            let ending = fields.removeLast()
            let stem = stems[fields.removeLast()] ?? ""
            let layer = fields.count == 2 ? "encoder.layer.\(fields[1])." : ""
            writer.append("bert.\(layer)\(stem).\(ending)", "F32", tensor.dimensions.reversed(), tensor.bytes)
        }
        try writer.data.write(to: directory.appending(path: "model.safetensors"))
    }
}
