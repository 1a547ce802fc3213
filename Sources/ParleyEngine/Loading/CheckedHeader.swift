// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyNetwork
import ParleyRuntime

/// The header of a model that the engine can run, as far as the header alone shows it.
///
/// Loading, the calculation of the memory and the choice among engines all begin with this check, so that none of them
/// accepts a file that another refuses.
struct CheckedHeader {
    /// Loads the network.
    let architecture: @Sendable (ModelLoader) throws -> any Architecture
    /// The sizes of the network.
    let hyperparameters: Hyperparameters

    /// Checks the architecture, the sizes, the vocabulary with its special tokens, and the names, types and shapes of
    /// all tensors.
    ///
    /// - Throws: `ModelFileError`, `NetworkError` or ``/ParleyRuntime/RuntimeError``.
    init(_ file: GGUFFile) throws {
        let name = try file.architecture
        guard encoders[name] == nil else {
            throw RuntimeError(
                .unsupported,
                "\(file.name) is an encoder (“\(name)”): it makes embeddings of texts and writes none. Use `parley embed` "
                    + "with it, and another model to chat.")
        }
        guard let architecture = architectures[name] else {
            throw RuntimeError(
                .unsupported,
                "\(file.name): the architecture “\(name)” is not one this engine runs "
                    + "(\(architectures.keys.sorted().joined(separator: ", "))). llama.cpp may run it.")
        }
        self.architecture = architecture
        hyperparameters = try Hyperparameters(file)
        _ = try file.tokenizerDescription()
        _ = try architecture(ModelLoader(checking: file, hyperparameters: hyperparameters))
    }
}
