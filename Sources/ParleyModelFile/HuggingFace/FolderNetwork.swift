// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif
import ParleyJSON
package import ParleySampling
package import ParleyTokenizer

/// A folder in the form of Hugging Face's `transformers`, described for an engine that reads the weights by itself.
///
/// The names of all tensors and their sizes are checked against `config.json`, so that such an engine need not. Weights
/// may be floats, or groups of few bits as MLX writes them (`quantization` in `config.json`).
package struct FolderNetwork: Sendable {
    /// The folder's path, for messages.
    package let name: String
    /// The model's name.
    package let label: String
    /// The architecture as GGUF files call it, such as `llama`.
    package let architecture: String
    /// The sizes.
    package let shape: FolderShape
    /// The paths of the files that have the weights.
    package let files: [String]
    /// The tensors that the network uses.
    package let tensors: [NetworkTensor]
    /// The longest sequence that the network was trained for, in tokens.
    package let trainedContext: Int
    /// The number of weights.
    package let parameterCount: Int
    /// The size of the weights in bytes.
    package let byteCount: Int
    /// The size of an activation in bytes: that of the largest floats in the files.
    package let valueBytes: Int
    /// The Jinja template that turns messages into a prompt; nil if the folder has none.
    package let chatTemplate: String?
    /// The sampling options that the model's makers recommend.
    package let sampling: SamplingOptions
    /// The tokenizer.
    package let tokenizer: TokenizerDescription

    /// Reads the descriptions and the headers of the weights.
    ///
    /// - Throws: ``ModelFileError``.
    package init(contentsOf url: URL) throws(ModelFileError) {
        guard let document = try FolderDocument("config.json", in: url) else {
            throw ModelFileError(.unreadable, "\(url.path): there is no config.json.")
        }
        let whole = FolderConfiguration(try document.json(), fileName: document.name)
        let family = try ModelFolder.family(of: whole)
        try FolderShape.requireKnown(family, whole)
        let config = try family.textConfiguration(whole)
        architecture = family.architecture
        let file = try SafetensorsFile(contentsOf: url)
        let quantization = try FolderQuantization.read(from: whole)
        switch quantization {
        case nil, .mlx: break
        default: throw whole.unsupported("the weights are quantised in another form than MLX's groups")
        }
        let weights = try NetworkTensor.all(of: file, family, config, quantization)
        guard let embedding = weights.first(where: { $0.name == "token_embd.weight" }), embedding.rows > 0 else {
            throw ModelFileError(.missingTensor, "\(url.path): the weights have no embedding of tokens.")
        }
        shape = try FolderShape(family, config, vocabularySize: embedding.rows)
        try shape.check(weights, config)
        tensors = weights
        files = file.paths
        trainedContext = shape.trainedContext
        parameterCount = weights.reduce(0) { $0 + $1.elementCount }
        byteCount = weights.reduce(0) { $0 + $1.byteCount }
        valueBytes = weights.map(\.valueBytes).max() ?? 4
        let generation = try FolderDocument("generation_config.json", in: url).map { (file) throws(ModelFileError) in
            FolderConfiguration(try file.json(), fileName: file.name)
        }
        sampling = try SamplingOptions(recommendedBy: generation)
        let vocabulary = try FolderTokenizer(
            contentsOf: .directory(url), config: whole, generation: generation, rows: shape.vocabularySize)
        tokenizer = vocabulary.description
        chatTemplate = vocabulary.chatTemplate
        label = ModelFolder.label(of: whole, in: .directory(url))
        name = url.path
    }

    /// The number of values that a position takes in the caches of all layers.
    package var valuesPerToken: Int { 2 * shape.layers * shape.keyValueHeads * shape.headWidth }
}
