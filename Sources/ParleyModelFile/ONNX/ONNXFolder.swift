// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif
import ParleyJSON
package import ParleySampling
package import ParleyTokenizer

/// A folder in the form of ONNX Runtime GenAI: `genai_config.json`, the network as ONNX, and the tokenizer's files.
///
/// Only the descriptions are read here; the runtime reads the network.
package struct ONNXFolder: Sendable {
    /// The folder's path, for messages.
    package let name: String
    /// The kind of network, such as `llama`.
    package let architecture: String
    /// The number of tokens that the network knows.
    package let vocabularySize: Int
    /// The longest sequence that the network was trained for, in tokens.
    package let trainedContext: Int
    /// The number of values that a position takes in the caches of all layers.
    package let valuesPerToken: Int
    /// The size of the network's files in bytes.
    package let byteCount: Int
    /// The Jinja template that turns messages into a prompt; nil if the folder has none.
    package let chatTemplate: String?
    /// The sampling options that the model's makers recommend.
    package let sampling: SamplingOptions
    /// The tokenizer.
    package let tokenizer: TokenizerDescription

    /// Reads the descriptions.
    ///
    /// A description that asks the runtime to load code, or to use files outside of the folder, is refused: a model is
    /// data.
    ///
    /// - Throws: ``ModelFileError``.
    package init(contentsOf url: URL) throws(ModelFileError) {
        guard let document = try FolderDocument("genai_config.json", in: url) else {
            throw ModelFileError(.unreadable, "\(url.path): there is no genai_config.json.")
        }
        let whole = FolderConfiguration(try document.json(), fileName: document.name)
        guard let model = whole.part("model"), let decoder = model.part("decoder") else {
            throw whole.unsupported("there is no “model” with a “decoder”; only models that continue a text are read")
        }
        for part in ["encoder", "vision", "speech", "embedding"] where model[part] != nil {
            throw whole.unsupported("the model has a part “\(part)”; only models that continue a text are read")
        }
        try Self.check(try document.json(), of: document.name)
        name = url.path
        architecture = try model.text(ifPresent: "type") ?? "unknown"
        vocabularySize = try model.count("vocab_size")
        trainedContext = try model.count("context_length", default: 0)
        guard (1...MetadataValue.mostElements).contains(vocabularySize) else {
            throw whole.unsupported("a vocabulary of \(vocabularySize) tokens is not possible")
        }
        let layers = try decoder.count("num_hidden_layers")
        let heads = try decoder.count("num_key_value_heads")
        let length = try decoder.count("head_size")
        guard layers <= 1 << 16, heads <= 1 << 16, length <= 1 << 16 else {
            throw whole.unsupported("the sizes of its caches are not possible")
        }
        // No product of these overflows: each has at most 16 bits.
        valuesPerToken = 2 * layers * heads * length
        byteCount = try Self.byteCount(of: decoder.text(ifPresent: "filename") ?? "model.onnx", in: url, whole)
        let vocabulary = try FolderTokenizer(
            contentsOf: .directory(url), config: model, generation: nil, rows: vocabularySize)
        tokenizer = vocabulary.description
        chatTemplate = vocabulary.chatTemplate
        sampling = try SamplingOptions(recommendedBy: whole.part("search"))
    }

    /// Checks that nothing in a description makes the runtime more than a reader of this folder. The JSON value's depth is
    /// bounded.
    ///
    /// What the runtime does not know among the options of a session it passes on to ONNX Runtime.
    private static func check(_ value: JSONValue, of name: String) throws(ModelFileError) {
        func refuse(_ key: String, _ what: String) throws(ModelFileError) {
            throw ModelFileError(
                .unsupportedModel,
                "\(name): “\(key)” would \(what), which a model may not. Remove it, or use another model.")
        }
        for (key, value) in value.object ?? [:] {
            let lower = key.lowercased()
            if ["library", "ep_path", "plugin", "package"].contains(where: lower.contains) {
                try refuse(key, "load code into this process")
            }
            if ["profiling", "file_path", "filepath", "folder_path", "file_name"].contains(where: lower.contains) {
                try refuse(key, "read or write files at any place")
            }
            if lower == "filename", let file = value.string, !isPlain(file) {
                try refuse(key, "read a file outside of the folder")
            }
            try check(value, of: name)
        }
        for element in value.array ?? [] { try check(element, of: name) }
    }

    /// Whether a file of this name lies in the folder.
    private static func isPlain(_ fileName: String) -> Bool {
        !fileName.isEmpty && !fileName.contains("/") && !fileName.contains("\\") && fileName != ".."
    }

    /// The size of the network, with the data that lie beside it.
    private static func byteCount(
        of fileName: String, in folder: URL, _ config: FolderConfiguration
    ) throws(ModelFileError) -> Int {
        guard isPlain(fileName) else {
            throw config.unsupported("the network has to lie in the folder")
        }
        guard FileManager.default.fileExists(atPath: folder.appending(path: fileName).path) else {
            throw ModelFileError(.unreadable, "\(folder.path): there is no \(fileName). Download the folder again.")
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        var sum = 0
        for name in names where name == fileName || name.hasSuffix(".data") {
            let size = try FileBytes(path: folder.appending(path: name).path).count
            let (total, overflows) = sum.addingReportingOverflow(size)
            sum = overflows ? .max : total
        }
        return sum
    }
}
