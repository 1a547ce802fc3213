// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
package import ParleyModels
package import ParleyRuntime

/// A model loaded into an engine, before a runner of conversations is created for it.
package struct LoadedModel: Sendable {
    /// The model.
    package let model: any TokenModel
    /// The context that it was loaded for, in tokens.
    package let contextSize: Int
    /// The name of the engine.
    package let engine: String
    /// The model in the store: where it came from and what is recorded about it.
    package let source: StoredModel

    /// Loads a model that is on this machine into the preferred engine, or into the first that can run it.
    ///
    /// - Parameters:
    ///   - source: the model.
    ///   - engines: the engines to choose from, in the order of preference.
    ///   - preference: the engine to use, or automatic.
    ///   - configuration: the options for loading.
    ///   - progress: receives the progress, on any thread.
    /// - Throws: ``/ParleyConversation/ConversationError`` if no engine can run the model; any error of the engine;
    ///   `CancellationError`.
    package init(
        _ source: StoredModel, engines: [EngineDescriptor], preference: EnginePreference,
        configuration: LocalConfiguration, progress: @escaping @Sendable (LoadingProgress) -> Void
    ) async throws {
        var configuration = configuration
        let projector = configuration.loadsOwnProjector ? source.projector : nil
        let choice = try EngineChoice(preference, for: source.url, with: projector, among: engines, &configuration)
        configuration.logger.record(choice, projector: projector, configuration)
        progress(.chosen(choice))
        let began = ContinuousClock.now
        (model, contextSize) = try await choice.engine.loadTokenModel(source.url, configuration) {
            progress(.loading($0))
        }
        engine = choice.engine.name
        self.source = source
        configuration.logger.info(
            "A model was loaded.",
            metadata: [
                "file": "\(source.url.lastPathComponent)", "architecture": "\(model.info.architecture)",
                "engine": "\(engine)", "context": "\(contextSize)",
                "seconds": "\((ContinuousClock.now - began) / .seconds(1))",
            ])
    }
}

extension Logger {
    /// Logs which engine was chosen, and why others were not.
    fileprivate func record(_ choice: EngineChoice, projector: URL?, _ configuration: LocalConfiguration) {
        for refusal in choice.passedOver {
            notice(
                "An engine was passed over.", metadata: ["engine": "\(refusal.engine)", "reason": "\(refusal.reason)"])
        }
        debug("An engine was chosen.", metadata: ["engine": "\(choice.engine.name)"])
        if projector != nil, configuration.projector == nil {
            notice("The model has a projector, but the engine does not read images.")
        }
    }
}
