// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import ParleyConversation
package import ParleyModelFile
public import ParleyModels
package import ParleyRuntime

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
        configuration.logger.record(choice, projector: found.projector, configuration)
        progress(.chosen(choice))
        let began = ContinuousClock.now
        do {
            let (model, contextSize) = try await choice.engine.loadTokenModel(found.url, configuration) {
                progress(.loading($0))
            }
            let runner = try LocalModelRunner(
                model, id: found.name, contextSize: contextSize, chatTemplate: found.manifest?.chatTemplate,
                sampling: .init(found.sampling), timelines: configuration.timelines, logger: configuration.logger)
            try await runner.warmUp()
            configuration.logger.info(
                "A model was loaded.",
                metadata: [
                    "file": "\(found.url.lastPathComponent)", "architecture": "\(runner.info.architecture)",
                    "engine": "\(choice.engine.name)", "context": "\(contextSize)",
                    "seconds": "\((ContinuousClock.now - began) / .seconds(1))",
                ])
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

extension SamplingOptions.Partial {
    /// The sampling that a file or the catalog recommends.
    package init(_ defaults: SamplingDefaults?) {
        self.init(
            temperature: defaults?.temperature, topK: defaults?.topK, topP: defaults?.topP, minP: defaults?.minP,
            repetitionPenalty: defaults?.repetitionPenalty, penaltyWindow: defaults?.repetitionWindow)
    }
}

extension Logger {
    /// Notes which engine was chosen and why others were not.
    fileprivate func record(_ choice: EngineChoice, projector: URL?, _ configuration: LocalConfiguration) {
        for refusal in choice.passedOver {
            notice(
                "An engine was passed over.", metadata: ["engine": "\(refusal.engine)", "reason": "\(refusal.reason)"])
        }
        debug("An engine was chosen.", metadata: ["engine": "\(choice.engine.name)"])
        if projector != nil, configuration.projector == nil {
            notice("The model came with a projector, but the engine reads no images.")
        }
    }
}
