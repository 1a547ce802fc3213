// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyConversation
public import ParleyModelFile
public import ParleyModels
public import ParleyRuntime

/// A model loaded by an engine; further kinds of models may be added.
public enum EngineModel: Sendable {
    /// A model that computes logits from tokens, and the context in tokens that it was loaded for.
    case tokens(any TokenModel, contextSize: Int)
    /// A model that generates whole messages.
    case runner(any ModelRunner)
}

/// An engine that can load models: the formats it reads, its capabilities and its functions.
public struct EngineDescriptor: Sendable {
    /// Loads a file or directory, depending on the format, and reports the completed fraction from 0 to 1.
    public typealias Loader =
        @Sendable (URL, LocalConfiguration, _ progress: @escaping @Sendable (Double) -> Void) async throws ->
        EngineModel

    /// The name of the engine in commands and messages.
    public var name: String
    /// The formats that it can read.
    public var formats: Set<ModelFormat>
    /// The capabilities that it supports, for models that have them.
    public var capabilities: ModelCapabilities
    /// Returns the version of the library that runs the models; nil if there is none, or it does not tell.
    public var version: @Sendable () -> String?
    /// Returns why it cannot run on this machine, such as a library that is missing or too old; nil if it can.
    public var problem: @Sendable () -> String?
    /// Returns why it cannot run a model, judged by the header alone; nil if it can, or if only loading would show a
    /// problem.
    public var refusal: @Sendable (URL) -> String?
    /// Loads a model.
    public var load: Loader
    /// How it makes embeddings; nil if it makes none.
    public var embeddings: EmbeddingSupport?

    /// Creates a description.
    public init(
        name: String, formats: Set<ModelFormat>, capabilities: ModelCapabilities = .text,
        version: @escaping @Sendable () -> String? = { nil },
        problem: @escaping @Sendable () -> String? = { nil },
        refusal: @escaping @Sendable (URL) -> String? = { _ in nil }, embeddings: EmbeddingSupport? = nil,
        load: @escaping Loader
    ) {
        self.name = name
        self.formats = formats
        self.capabilities = capabilities
        self.version = version
        self.problem = problem
        self.refusal = refusal
        self.embeddings = embeddings
        self.load = load
    }

    /// Loads a model that computes logits from tokens.
    ///
    /// - Throws: ``ConversationError`` with code `modelLoadingFailed` if the engine loads it as another kind of model,
    ///   and any error of ``load``.
    package func loadTokenModel(
        _ url: URL, _ configuration: LocalConfiguration, progress: @escaping @Sendable (Double) -> Void
    ) async throws -> (model: any TokenModel, contextSize: Int) {
        guard case .tokens(let model, let contextSize) = try await load(url, configuration, progress) else {
            throw ConversationError(
                .modelLoadingFailed,
                "The engine \(name) answers whole messages with \(url.lastPathComponent); this needs its tokens.")
        }
        return (model, contextSize)
    }
}
