// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyConversation
public import ParleyModelFile
public import ParleyModels
public import ParleyRuntime

/// What an engine makes of a model. Kinds of models that do something else than answer messages may be added.
public enum EngineModel: Sendable {
    /// A model that turns tokens into logits, and the tokens that it was loaded for.
    case tokens(any TokenModel, contextSize: Int)
    /// A model that answers whole messages.
    case runner(any ModelRunner)
}

/// An engine that models can be loaded into: what it reads, what it can do and how it is started.
public struct EngineDescriptor: Sendable {
    /// Loads a file or a directory, as the format is; told the fraction that is done, from 0 to 1.
    public typealias Loader =
        @Sendable (URL, LocalConfiguration, _ progress: @escaping @Sendable (Double) -> Void) async throws ->
        EngineModel

    /// The engine's name in commands and messages.
    public var name: String
    /// The formats that it reads.
    public var formats: Set<ModelFormat>
    /// What it lets models do that can.
    public var capabilities: ModelCapabilities
    /// Why it cannot run on this machine at all, such as a library that is missing or too old; nil where it can.
    public var problem: @Sendable () -> String?
    /// Why it does not run a model of a format it reads, from its header alone; nil where it does, or where this
    /// shows only during loading.
    public var refusal: @Sendable (URL) -> String?
    /// Loads a model.
    public var load: Loader

    /// Creates a description.
    public init(
        name: String, formats: Set<ModelFormat>, capabilities: ModelCapabilities = .text,
        problem: @escaping @Sendable () -> String? = { nil },
        refusal: @escaping @Sendable (URL) -> String? = { _ in nil }, load: @escaping Loader
    ) {
        self.name = name
        self.formats = formats
        self.capabilities = capabilities
        self.problem = problem
        self.refusal = refusal
        self.load = load
    }

    /// Loads a model that turns tokens into logits.
    ///
    /// - Throws: ``ConversationError`` with code `modelLoadingFailed` where the engine makes another kind of it, and
    ///   what ``load`` throws.
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
