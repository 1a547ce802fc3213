// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import ParleyConversation
public import ParleyModels
import ParleyRuntime

extension LocalEmbedder {
    /// Loads a model that makes embeddings, and downloads it first if it is not on this machine.
    ///
    /// - Parameters:
    ///   - model: a name in the store or the catalog, a model on the Hugging Face hub (`hf:OWNER/REPO`), or the address
    ///     or the path of a `.gguf` file; see ``ModelReference``.
    ///   - engines: the engines to choose from, in the order of preference.
    ///   - preference: the engine to use, or automatic.
    ///   - store: the store of the models on this machine.
    ///   - isOffline: whether using the network is forbidden.
    ///   - configuration: the options for loading.
    ///   - progress: receives the progress, on any thread.
    /// - Returns: an embedder with the loaded model.
    /// - Throws: ``ConversationError`` with code `downloadFailed` or `modelLoadingFailed`; `CancellationError`.
    public static func load(
        _ model: String, engines: [EngineDescriptor], preference: EnginePreference = .automatic,
        store: ModelStore = .standard(), isOffline: Bool = false,
        configuration: LocalConfiguration = LocalConfiguration(),
        progress: @escaping @Sendable (LoadingProgress) -> Void = { _ in }
    ) async throws -> LocalEmbedder {
        let found = try await LocalModelRunner.install(model, from: store, isOffline: isOffline, progress: progress)
        store.markUsed(found.name)
        do {
            let choice = try EngineChoice(preference, for: found.url, among: engines, needed: .embeddings)
            progress(.chosen(choice))
            guard let support = choice.engine.embeddings else {
                throw ConversationError(
                    .modelLoadingFailed, "The engine \(choice.engine.name) makes no embeddings.")
            }
            let loaded = try await support.load(found.url, configuration) { progress(.loading($0)) }
            configuration.logger.info(
                "A model for embeddings was loaded.",
                metadata: [
                    "file": "\(found.url.lastPathComponent)", "architecture": "\(loaded.info.architecture)",
                    "engine": "\(choice.engine.name)", "context": "\(loaded.context)",
                    "dimensions": "\(loaded.dimensions)",
                ])
            return LocalEmbedder(loaded, id: found.name)
        } catch let error as ConversationError {
            throw error
        } catch let error where !(error is CancellationError) {
            configuration.logger.error(
                "A model could not be loaded.",
                metadata: ["file": "\(found.url.lastPathComponent)", "error": "\(error)"])
            throw ConversationError(.modelLoadingFailed, "\(error)", cause: error)
        }
    }
}
