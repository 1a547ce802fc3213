// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyJSON
import ParleyModelFile
import ParleySampling
import ParleyTestSupport
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("Folders of ONNX Runtime GenAI")
struct ONNXFolderTests {
    private static let description: JSONValue = [
        "model": [
            "type": "llama", "vocab_size": 40_000, "context_length": 8_192, "eos_token_id": [2, 1],
            "decoder": [
                "filename": "model.onnx", "head_size": 64, "num_hidden_layers": 30, "num_key_value_heads": 3,
                "session_options": ["log_id": "x", "provider_options": []],
            ],
        ],
        "search": ["do_sample": true, "temperature": 0.5, "top_k": 40],
    ]

    /// Reads a folder with this description.
    private func folder(_ change: (inout JSONValue) -> Void = { _ in }, network: String? = "model.onnx") throws
        -> ONNXFolder
    {
        try withTemporaryDirectory { directory in
            try TinyModel().writeFolder(to: directory) { _ in }
            var description = Self.description
            change(&description)
            try Data(description.text().utf8).write(to: directory.appending(path: "genai_config.json"))
            if let network { try Data(count: 1_000).write(to: directory.appending(path: network)) }
            try Data(count: 24).write(to: directory.appending(path: "model.onnx.data"))
            return try ONNXFolder(contentsOf: directory)
        }
    }

    private func refusal(network: String? = "model.onnx", _ change: (inout JSONValue) -> Void) throws -> ModelFileError?
    {
        do {
            _ = try folder(change, network: network)
            return nil
        } catch let error as ModelFileError {
            return error
        }
    }

    @Test("the sizes, the sampling and the ends of a reply are read")
    func reads() throws {
        let folder = try folder()
        #expect(folder.architecture == "llama")
        #expect(folder.vocabularySize == 40_000)
        #expect(folder.tokenizer.tokens.count == 40_000)
        #expect(folder.trainedContext == 8_192)
        #expect(folder.valuesPerToken == 2 * 30 * 3 * 64)
        #expect(folder.byteCount == 1_024)
        #expect(folder.sampling.temperature == 0.5)
        #expect(folder.sampling.topK == 40)
        #expect(folder.sampling.topP == nil)
    }

    @Test(
        "a description that would load code is refused",
        arguments: ["custom_ops_library", "Custom_Ops_Library", "registration_library", "ep_path"])
    func loadsNoCode(key: String) throws {
        let error = try refusal { description in
            description["model"]?["decoder"]?["session_options"]?[key] = "/tmp/evil.so"
        }
        #expect(error?.code == .unsupportedModel)
        #expect(error?.message.contains(key) == true)
        #expect(error?.message.contains("evil") == false)
        // Deep within lists, too.
        let deep = try refusal { $0["search"]?["a"] = [["b": [[key: "x"]]]] }
        #expect(deep?.code == .unsupportedModel)
    }

    @Test(
        "a description that would have the runtime write files, or read those of others, is refused",
        arguments: [
            "enable_profiling", "Enable_Profiling", "ep.context_file_path", "optimized_model_filepath",
            "session.model_external_initializers_file_folder_path",
            "session.optimized_model_external_initializers_file_name",
        ])
    func staysInside(key: String) throws {
        let error = try refusal { $0["model"]?["decoder"]?["session_options"]?[key] = "/home/me/trap" }
        #expect(error?.code == .unsupportedModel)
        #expect(error?.message.contains(key) == true)
        #expect(error?.message.contains("trap") == false)
    }

    @Test("every file that is named is in the folder", arguments: ["../x.onnx", "/etc/passwd", "..", "a\\b"])
    func filesInside(name: String) throws {
        #expect(try refusal { $0["model"]?["mtp"] = ["filename": .string(name)] }?.code == .unsupportedModel)
        let pipeline: JSONValue = [["head": ["filename": .string(name)]]]
        #expect(try refusal { $0["model"]?["decoder"]?["pipeline"] = pipeline }?.code == .unsupportedModel)
        #expect(try refusal { $0["model"]?["mtp"] = ["filename": "head.onnx"] } == nil)
    }

    @Test("what is not a model that continues a text, or contradicts itself, is refused")
    func refuses() throws {
        #expect(try refusal { $0["model"] = nil }?.code == .unsupportedModel)
        #expect(try refusal { $0["model"]?["vision"] = ["filename": "v.onnx"] }?.code == .unsupportedModel)
        #expect(try refusal { $0["model"]?["vocab_size"] = 1_099_511_627_776 } != nil)
        #expect(try refusal { $0["model"]?["vocab_size"] = 2_097_153 }?.code == .unsupportedModel)
        #expect(try refusal { $0["model"]?["vocab_size"] = 0 } != nil)
        #expect(try refusal { $0["model"]?["decoder"]?["head_size"] = 2_147_483_648 } != nil)
        #expect(try refusal { $0["model"]?["decoder"]?["num_hidden_layers"] = -1 } != nil)
        #expect(try refusal { $0["model"]?["decoder"]?["filename"] = "../model.onnx" }?.code == .unsupportedModel)
        #expect(try refusal { $0["model"]?["decoder"]?["filename"] = "/etc/passwd" }?.code == .unsupportedModel)
        #expect(try refusal(network: nil) { _ in }?.code == .unreadable)
    }
}
