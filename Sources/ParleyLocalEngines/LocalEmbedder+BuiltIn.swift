// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
public import ParleyLocal
public import ParleyModels

extension LocalEmbedder {
    /// Loads a model that makes embeddings into Parley's own engine, and downloads it first if it is not on this machine.
    ///
    /// Such a model is an encoder, such as all-MiniLM, whose file declares how the vectors of tokens become one.
    ///
    /// - Parameters:
    ///   - model: a name in the store or the catalog, a model on the Hugging Face hub (`hf:OWNER/REPO`), or the address
    ///     or the path of a `.gguf` file; see ``ModelReference``.
    ///   - store: the store of the models on this machine.
    ///   - isOffline: whether using the network is forbidden.
    ///   - configuration: the options for loading.
    ///   - progress: receives the progress, on any thread.
    /// - Returns: an embedder with the loaded model.
    /// - Throws: ``ConversationError`` with code `downloadFailed` or `modelLoadingFailed`; `CancellationError`.
    public static func load(
        _ model: String, store: ModelStore = .standard(), isOffline: Bool = false,
        configuration: LocalConfiguration = LocalConfiguration(),
        progress: @escaping @Sendable (LoadingProgress) -> Void = { _ in }
    ) async throws -> LocalEmbedder {
        try await load(
            model, engines: EngineDescriptor.builtIn, store: store, isOffline: isOffline,
            configuration: configuration, progress: progress)
    }
}
