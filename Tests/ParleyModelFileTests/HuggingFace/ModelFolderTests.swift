// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyModelFile
import ParleyTestSupport
import ParleyTesting
import ParleyTokenizer
import Testing

/// A folder opens as the GGUF file with the same weights.
@Suite("Folders in the form of Hugging Face")
struct ModelFolderTests {
    private static let architectures: [TinyArchitecture] = [.llama, .qwen2, .qwen3, .gemma3, .phi3, .lfm2]

    private func model(_ architecture: TinyArchitecture) -> TinyModel {
        var model = TinyModel(architecture)
        model.tokenizer = .bytePairs
        return model
    }

    @Test("its tensors are those of the GGUF file, to the bit", arguments: architectures.map(\.name))
    func hasSameTensors(name: String) throws {
        let tiny = model(try #require(Self.architectures.first { $0.name == name }))
        let writer = tiny.writer()
        try withTemporaryDirectory { directory in
            try tiny.writeFolder(to: directory)
            let folder = try GGUFFile(contentsOf: directory)
            #expect(folder.tensors.count == writer.tensors.count)
            for expected in writer.tensors {
                let tensor = try folder.tensor(expected.name)
                #expect(tensor.dimensions == expected.dimensions, "\(expected.name)")
                #expect(tensor.typeCode == expected.typeCode, "\(expected.name)")
                let bytes = try folder.withBytes(of: tensor) { Array($0) }
                if name == "gemma3", expected.name.hasSuffix("norm.weight") {
                    // Adding 1 to what 1 was taken from rounds.
                    #expect(bytes.count == expected.bytes.count)
                } else {
                    #expect(bytes == expected.bytes, "\(expected.name)")
                }
            }
            let norm = try folder.withBytes(of: folder.tensor("blk.0.attn_norm.weight")) { $0.load(as: Float.self) }
            #expect(abs(norm - 1) < 0.2)
        }
    }

    @Test("its metadata says what that of the GGUF file says", arguments: architectures.map(\.name))
    func hasSameMetadata(name: String) throws {
        let tiny = model(try #require(Self.architectures.first { $0.name == name }))
        let file = try tiny.writer().opened()
        try withTemporaryDirectory { directory in
            try tiny.writeFolder(to: directory)
            let folder = try GGUFFile(contentsOf: directory)
            // The file of the tiny Qwen 2 says how many values of a head are rotated: all, as without saying.
            for key in file.metadata.keys where key != "qwen2.rope.dimension_count" {
                let expected = try #require(file.metadata[key])
                let found = try #require(folder.metadata[key], "\(key)")
                #expect(found.count == expected.count, "\(key)")
                #expect(found.integers == expected.integers, "\(key)")
                #expect(found.strings == expected.strings, "\(key)")
                #expect(found.string == expected.string, "\(key)")
                #expect(found.integer == expected.integer, "\(key)")
                #expect(found.float == expected.float, "\(key)")
                #expect(found.bool == expected.bool, "\(key)")
            }
            #expect(folder.metadata["\(name).attention.head_count_kv"] != nil)
        }
    }

    @Test("weights in several files, and of 16 bits, are found too", arguments: [TensorEncoding.f16, .bf16])
    func readsShards(encoding: TensorEncoding) throws {
        var tiny = model(.llama)
        tiny.encoding = encoding
        let writer = tiny.writer()
        try withTemporaryDirectory { directory in
            try tiny.writeFolder(to: directory, shards: 3)
            let folder = try GGUFFile(contentsOf: directory)
            for expected in writer.tensors {
                let tensor = try folder.tensor(expected.name)
                #expect(tensor.typeCode == expected.typeCode)
                let bytes = try folder.withBytes(of: tensor) { Array($0) }
                #expect(bytes == expected.bytes, "\(expected.name)")
            }
            #expect(folder.quantization == (encoding == .f16 ? "F16" : "BF16"))
        }
    }

    @Test("tokens of WordPiece go on with a word also where a vowel sign comes first")
    func convertsVowelSigns() throws {
        let document: JSONValue = [
            "normalizer": ["type": "BertNormalizer"], "pre_tokenizer": ["type": "BertPreTokenizer"],
            "decoder": ["type": "WordPiece"], "added_tokens": [["id": 0, "content": "[UNK]", "special": true]],
            "model": [
                "type": "WordPiece", "unk_token": "[UNK]",
                "vocab": ["[UNK]": 0, "\u{915}": 1, "##\u{93E}": 2, "##\u{915}": 3],
            ],
        ]
        try withTemporaryDirectory { directory in
            try model(.llama).writeFolder(to: directory)
            try FileManager.default.removeItem(at: directory.appending(path: "tokenizer_config.json"))
            try Data(document.text().utf8).write(to: directory.appending(path: "tokenizer.json"))
            let tokens = try #require(GGUFFile(contentsOf: directory).metadata["tokenizer.ggml.tokens"]?.strings)
            #expect(Array(tokens.prefix(4)) == ["[UNK]", "▁\u{915}", "\u{93E}", "\u{915}"])
        }
    }

    @Test("its tokenizer is that of the GGUF file")
    func hasSameTokenizer() throws {
        let tiny = model(.llama)
        let expected = try tiny.writer().opened().tokenizerDescription()
        try withTemporaryDirectory { directory in
            try tiny.writeFolder(to: directory)
            let found = try GGUFFile(contentsOf: directory).tokenizerDescription()
            #expect(found.algorithm == expected.algorithm)
            #expect(found.tokens == expected.tokens)
            #expect(found.merges == expected.merges)
            #expect(found.beginningOfText == expected.beginningOfText)
            #expect(found.endOfText == expected.endOfText)
            #expect(found.addsBeginningOfText == false)
        }
    }

    @Test("what a folder cannot be read for is said by name")
    func refusesByName() throws {
        func refusal(_ key: String, _ value: JSONValue?) throws -> ModelFileError? {
            try withTemporaryDirectory { directory in
                try model(.llama).writeFolder(to: directory) { config in config[key] = value }
                do {
                    _ = try GGUFFile(contentsOf: directory)
                    return nil
                } catch let error as ModelFileError {
                    return error
                }
            }
        }
        #expect(try refusal("x", 1) == nil)
        #expect(try refusal("model_type", "mamba")?.message.contains("\"mamba\"") == true)
        #expect(try refusal("hidden_act", "relu")?.message.contains("\"relu\"") == true)
        #expect(try refusal("hidden_act", "relu")?.code == .unsupportedModel)
        #expect(try refusal("rope_scaling", ["type": "dynamic"])?.message.contains("\"dynamic\"") == true)
        #expect(try refusal("quantization_config", ["bits": 3])?.code == .unsupportedModel)
        #expect(try refusal("hidden_size", nil)?.code == .missingKey)
        #expect(try refusal("hidden_size", -1)?.code == .invalidValue)
        #expect(try refusal("num_attention_heads", 0) != nil)
        #expect(try refusal("num_attention_heads", 7)?.code == .corrupt)
    }

    @Test(
        "sizes that no network has are refused before anything is made of their length",
        arguments: [
            #""model_type":"lfm2","num_hidden_layers":1,"block_ff_dim":4294967295,"block_ffn_dim_multiplier":1.5"#,
            #""model_type":"lfm2","num_hidden_layers":1,"block_ff_dim":3,"block_ffn_dim_multiplier":2147483647.5"#,
            #""model_type":"lfm2","num_hidden_layers":4294967295,"full_attn_idxs":[]"#,
            #""model_type":"gemma3_text","num_hidden_layers":4294967295"#,
            #""model_type":"olmo2","num_hidden_layers":4294967295,"sliding_window":1"#,
            #""model_type":"llama","num_hidden_layers":1,"head_dim":4294967295"#,
        ])
    func refusesSizes(members: String) {
        let names = ["hidden_size", "num_attention_heads", "num_key_value_heads", "intermediate_size"]
        let others = (names + ["max_position_embeddings", "conv_L_cache"]).map { "\"\($0)\":1" }
        let text = "{" + ([members] + others).joined(separator: ",") + "}"
        #expect(code { try FolderFiles.check(configuration: Array(text.utf8), name: "config.json") } == .invalidValue)
    }

    @Test("an embedding of more tokens than any vocabulary has is refused")
    func refusesTokens() throws {
        try withTemporaryDirectory { directory in
            try model(.llama).writeFolder(to: directory)
            let rows = 2_097_153
            var writer = SafetensorsWriter()
            writer.append("model.embed_tokens.weight", "F16", [rows, 1], [UInt8](repeating: 0, count: 2 * rows))
            try writer.data.write(to: directory.appending(path: "model.safetensors"))
            #expect(code { _ = try GGUFFile(contentsOf: directory) } == .unsupportedModel)
        }
    }

    @Test(
        "a folder that lacks a file, or whose files do not belong together, is refused; the message names what is wrong"
    )
    func refusesIncomplete() throws {
        func refusal(_ change: (URL) throws -> Void) throws -> ModelFileError? {
            try withTemporaryDirectory { directory in
                try model(.llama).writeFolder(to: directory, shards: 2)
                try change(directory)
                do {
                    _ = try GGUFFile(contentsOf: directory)
                    return nil
                } catch let error as ModelFileError {
                    return error
                }
            }
        }
        func replaced(_ name: String, _ text: String, with other: String) throws -> ModelFileError? {
            try refusal { directory in
                let url = directory.appending(path: name)
                let contents = try String(contentsOf: url, encoding: .utf8)
                #expect(contents.contains(text))
                try Data(contents.replacing(text, with: other).utf8).write(to: url)
            }
        }
        func removed(_ names: String...) throws -> ModelFileError? {
            try refusal { for name in names { try FileManager.default.removeItem(at: $0.appending(path: name)) } }
        }
        #expect(try refusal { _ in } == nil)
        let shard = try removed("model-2.safetensors")
        #expect(shard?.code == .incompleteSplit && shard?.message.contains("no model-2.safetensors") == true)
        let weights = try removed("model.safetensors.index.json")
        #expect(weights?.code == .unreadable && weights?.message.contains("neither model.safetensors nor") == true)
        let cut = try refusal { directory in
            let url = directory.appending(path: "model-1.safetensors")
            try Data(contentsOf: url).dropLast(1).write(to: url)
        }
        #expect(cut?.code == .truncated && cut?.message.contains("model-1.safetensors") == true)
        let token = try replaced("tokenizer_config.json", "<|im_end|>", with: "<|nowhere|>")
        #expect(token?.code == .invalidValue && token?.message.contains("\"<|nowhere|>\"") == true)
        let end = try replaced("config.json", #""hidden_size""#, with: #""eos_token_id":[1,999999],"hidden_size""#)
        #expect(end?.code == .invalidValue && end?.message.contains("999999") == true)
        let size = try replaced("config.json", #""hidden_size":64"#, with: #""hidden_size":"#)
        #expect(size?.code == .corrupt && size?.message.contains("config.json") == true)
        #expect(try removed("tokenizer.json")?.message.contains("there is no tokenizer.json") == true)
    }
}
