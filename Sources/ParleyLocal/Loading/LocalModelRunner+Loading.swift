// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import ParleyConversation
public import ParleyModels

extension LocalModelRunner {
    /// Loads a model, and downloads it first if it is not on this machine.
    ///
    /// It also records the use of the model in the store, and runs one token through the model, so that the engine's
    /// one-time work does not delay the first reply.
    ///
    /// - Parameters:
    ///   - model: a name of the catalog (`smollm2-135m`, `qwen3-0.6b:Q4_K_M`), a model on the Hugging Face hub
    ///     (`hf:OWNER/REPO`, `hf:OWNER/REPO:Q8_0`), the address or the path of a `.gguf` file or of a LEAP manifest, or
    ///     the path of a folder in the form of Hugging Face; see ``ModelReference``.
    ///   - engines: the engines to choose from, in the order of preference.
    ///   - preference: the engine to use, or automatic.
    ///   - store: the store of the models on this machine.
    ///   - isOffline: whether using the network is forbidden.
    ///   - configuration: the options for loading.
    ///   - progress: receives the progress, on any thread.
    /// - Returns: a runner of the loaded model.
    /// - Throws: ``ConversationError`` with code `downloadFailed`, `modelLoadingFailed`, or `invalidInput` if there is no
    ///   engine of the preferred name; `CancellationError`.
    public static func load(
        _ model: String, engines: [EngineDescriptor], preference: EnginePreference = .automatic,
        store: ModelStore = .standard(), isOffline: Bool = false,
        configuration: LocalConfiguration = LocalConfiguration(),
        progress: @escaping @Sendable (LoadingProgress) -> Void = { _ in }
    ) async throws -> LocalModelRunner {
        let found = try await install(model, from: store, isOffline: isOffline, progress: progress)
        store.markUsed(found.name)
        do {
            let loaded = try await LoadedModel(
                found, engines: engines, preference: preference, configuration: configuration, progress: progress)
            let caches = try configuration.caches.map { ($0, try found.weightsDigest()) }
            let runner = try LocalModelRunner(
                loaded.model, id: found.name, contextSize: loaded.contextSize,
                chatTemplate: found.manifest?.chatTemplate, sampling: found.sampling,
                timelines: configuration.timelines, cacheMemory: configuration.cacheMemory, caches: caches,
                logger: configuration.logger)
            try await runner.warmUp()
            return runner
        } catch let error as ConversationError {
            throw error
        } catch let error where !(error is CancellationError) {
            configuration.logger.error(
                "A model could not be loaded.",
                metadata: ["file": "\(found.url.lastPathComponent)", "error": "\(error)"])
            throw ConversationError(.modelLoadingFailed, "\(error)", cause: error)
        }
    }

    static func install(
        _ model: String, from store: ModelStore, isOffline: Bool,
        progress: @escaping @Sendable (LoadingProgress) -> Void
    ) async throws -> StoredModel {
        do {
            return try await store.install(
                model, isOffline: isOffline, willFetch: { progress(.missing($0)) }, report: { progress(.fetching($0)) })
        } catch let error as ModelStoreError {
            let isMistaken = [.invalidReference, .unknownModel, .fileNotFound, .invalidManifest].contains(error.code)
            throw ConversationError(isMistaken ? .modelLoadingFailed : .downloadFailed, "\(error)", cause: error)
        } catch let error where !(error is CancellationError) {
            throw ConversationError(.downloadFailed, "\(error)", cause: error)
        }
    }
}
