// SPDX-License-Identifier: Apache-2.0

package import ParleyModels
package import ParleyRuntime

/// A model in an engine: what a runner of conversations is made of, and what measurements take as it is.
package struct LoadedModel: Sendable {
    /// The model.
    package let model: any TokenModel
    /// The tokens it was loaded for.
    package let contextSize: Int
    /// The name of the engine it is in.
    package let engine: String
    /// Where it came from, and what is known of it.
    package let source: StoredModel

    /// Loads a model that is on this machine into the engine that is wanted, or the first that runs it.
    ///
    /// - Parameters:
    ///   - source: the model.
    ///   - engines: the engines to choose from, in the order of preference.
    ///   - preference: which of them is wanted.
    ///   - configuration: how to load it.
    ///   - progress: told how far it is, on no particular thread.
    /// - Throws: ``/ParleyConversation/ConversationError`` where no engine runs the model; what the engine throws;
    ///   `CancellationError`.
    package init(
        _ source: StoredModel, engines: [EngineDescriptor], preference: EnginePreference,
        configuration: LocalConfiguration, progress: @escaping @Sendable (LoadingProgress) -> Void
    ) async throws {
        var configuration = configuration
        let choice = try EngineChoice(
            preference, for: source.url, with: configuration.loadsOwnProjector ? source.projector : nil,
            among: engines, &configuration)
        progress(.chosen(choice))
        (model, contextSize) = try await choice.engine.load(source.url, configuration) { progress(.loading($0)) }
        engine = choice.engine.name
        self.source = source
    }
}
