// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyNetwork
import ParleyRuntime

/// The header of an encoder that the engine can run, as far as the header alone shows it; see ``CheckedHeader``.
struct CheckedEncoder {
    /// Loads the network.
    let encoder: @Sendable (ModelLoader) throws -> any Encoder
    /// The sizes of the network.
    let hyperparameters: Hyperparameters
    /// How the model makes one vector of a text.
    let pooling: EmbeddingPooling

    /// Checks the architecture, the pooling, the sizes, the vocabulary with its special tokens, and the names, types and
    /// shapes of all tensors.
    ///
    /// - Throws: `ModelFileError`, `NetworkError` or ``/ParleyRuntime/RuntimeError``.
    init(_ file: GGUFFile) throws {
        let name = try file.architecture
        guard let encoder = encoders[name] else {
            throw RuntimeError(
                .unsupported,
                "\(file.name): the architecture “\(name)” makes no embeddings in this engine, which runs "
                    + "\(encoders.keys.sorted().joined(separator: ", ")).")
        }
        self.encoder = encoder
        guard let pooling = try file.embeddingPooling else {
            throw RuntimeError(
                .unsupported,
                "\(file.name) does not declare how the vectors of its tokens become one (\(name).pooling_type), so it "
                    + "makes no embeddings. Use a model that was converted with its pooling.")
        }
        self.pooling = pooling
        if try file.metadata.bool(ifPresent: "\(name).attention.causal") == true {
            throw RuntimeError(
                .unsupported, "\(file.name): an encoder whose tokens see only earlier ones is not supported.")
        }
        hyperparameters = try Hyperparameters(file)
        _ = try file.tokenizerDescription()
        _ = try encoder(ModelLoader(checking: file, hyperparameters: hyperparameters))
    }
}
