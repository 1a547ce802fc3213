// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
public import ParleyModels

extension LocalModelRunner {
    /// Loads a model, and fetches it first where it is not on this machine.
    ///
    /// - Parameters:
    ///   - model: a name of the catalog (`smollm2-135m`, `qwen3-0.6b:Q4_K_M`), a model on the Hugging Face hub
    ///     (`hf:OWNER/REPO`, `hf:OWNER/REPO:Q8_0`), the address or the path of a `.gguf` file or of a LEAP manifest;
    ///     see ``ModelReference``.
    ///   - engines: the engines to choose from, in the order of preference.
    ///   - preference: which of them is wanted.
    ///   - store: where models are kept.
    ///   - configuration: how to load it.
    ///   - progress: told how far it is, on no particular thread.
    /// - Returns: a runner of the loaded model.
    /// - Throws: ``ConversationError`` with code `downloadFailed` or `modelLoadingFailed`;
    ///   `CancellationError`.
    public static func load(
        _ model: String, engines: [EngineDescriptor], preference: EnginePreference = .automatic,
        store: ModelStore = .standard(),
        configuration: LocalConfiguration = LocalConfiguration(),
        progress: @escaping @Sendable (LoadingProgress) -> Void = { _ in }
    ) async throws -> LocalModelRunner {
        let found = try await install(model, from: store) { progress(.fetching($0)) }
        var configuration = configuration
        let choice = try EngineChoice(
            preference, for: found.url, with: found.projector, among: engines, &configuration)
        progress(.chosen(choice))
        do {
            let (model, contextSize) = try await choice.engine.load(found.url, configuration) {
                progress(.loading($0))
            }
            let runner = try LocalModelRunner(
                model, id: found.name, contextSize: contextSize, chatTemplate: found.manifest?.chatTemplate,
                sampling: found.sampling, timelines: configuration.timelines)
            try await runner.warmUp()
            return runner
        } catch let error as ConversationError {
            throw error
        } catch let error where !(error is CancellationError) {
            throw ConversationError(.modelLoadingFailed, "\(error)", cause: error)
        }
    }

    private static func install(
        _ model: String, from store: ModelStore, progress: @escaping @Sendable (InstallEvent) -> Void
    ) async throws -> StoredModel {
        do {
            return try await store.install(model, report: progress)
        } catch let error as ModelStoreError {
            let isMistaken = [.invalidReference, .unknownModel, .fileNotFound, .invalidManifest].contains(error.code)
            throw ConversationError(isMistaken ? .modelLoadingFailed : .downloadFailed, "\(error)", cause: error)
        } catch let error where !(error is CancellationError) {
            throw ConversationError(.downloadFailed, "\(error)", cause: error)
        }
    }
}
