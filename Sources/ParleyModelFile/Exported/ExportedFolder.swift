// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif
import ParleyJSON
package import ParleySampling
package import ParleyTokenizer

/// A folder with a network that was exported for a runtime, and beside it the files that its original had in the form of
/// Hugging Face: `config.json`, the tokenizer and the chat template.
///
/// Only the descriptions are read here; the runtime reads the network.
package struct ExportedFolder: Sendable {
    /// The folder's path, for messages.
    package let name: String
    /// The kind of network, such as `llama`.
    package let architecture: String
    /// The number of tokens that the network knows.
    package let vocabularySize: Int
    /// The path of the network.
    package let network: String
    /// The size of the file with the weights, in bytes.
    package let byteCount: Int
    /// The Jinja template that turns messages into a prompt; nil if the folder has none.
    package let chatTemplate: String?
    /// The sampling options that the model's makers recommend.
    package let sampling: SamplingOptions
    /// The tokenizer.
    package let tokenizer: TokenizerDescription

    /// Reads the descriptions.
    ///
    /// - Parameters:
    ///   - url: the folder.
    ///   - format: its format, whose file is the network.
    ///   - weights: the path inside the folder of the file with the weights; nil if that is the network itself.
    /// - Throws: ``ModelFileError``.
    package init(contentsOf url: URL, _ format: ModelFormat, weights: String? = nil) throws(ModelFileError) {
        let file = format.directoryFile ?? ""
        network = url.appending(path: file).path
        guard FileManager.default.fileExists(atPath: network) else {
            throw ModelFileError(.unreadable, "\(url.path): there is no \(file).")
        }
        guard let document = try FolderDocument("config.json", in: url) else {
            throw ModelFileError(
                .unreadable,
                "\(url.path): there is no config.json. Put the config.json, tokenizer.json and chat_template.jinja of the "
                    + "model beside \(file).")
        }
        let config = FolderConfiguration(try document.json(), fileName: document.name)
        let settings = try FolderDocument("generation_config.json", in: url).map { (file) throws(ModelFileError) in
            FolderConfiguration(try file.json(), fileName: file.name)
        }
        name = url.path
        architecture = try config.text(ifPresent: "model_type") ?? "unknown"
        vocabularySize = try config.count("vocab_size")
        guard (1...MetadataValue.mostElements).contains(vocabularySize) else {
            throw config.unsupported("a vocabulary of \(vocabularySize) tokens is not possible")
        }
        byteCount = try FileBytes(path: weights.map { url.appending(path: $0).path } ?? network).count
        let vocabulary = try FolderTokenizer(
            contentsOf: .directory(url), config: config, generation: settings, rows: vocabularySize)
        tokenizer = vocabulary.description
        chatTemplate = vocabulary.chatTemplate
        sampling = try SamplingOptions(recommendedBy: settings)
    }
}
