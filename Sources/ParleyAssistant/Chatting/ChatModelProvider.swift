// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

/// A loaded model, as a chat needs it.
public struct ChatModel: Sendable {
    /// Generates the replies.
    public var runner: any ModelRunner
    /// Whether the model was trained to call functions; others write blocks.
    public var callsFunctions: Bool
    /// Whether the model understands images.
    public var seesImages: Bool
    /// The digest of the model's file, such as `sha256:…`, for the receipts of its replies; nil if it is not known.
    public var digest: String?
    /// The largest number of tokens of a prompt and its reply together; nil if it is not known.
    public var contextSize: Int?

    /// Creates a description of a loaded model.
    public init(
        runner: any ModelRunner, callsFunctions: Bool = false, seesImages: Bool = false, digest: String? = nil,
        contextSize: Int? = nil
    ) {
        (self.runner, self.callsFunctions, self.seesImages) = (runner, callsFunctions, seesImages)
        (self.digest, self.contextSize) = (digest, contextSize)
    }
}

/// Loads the models of a chat.
public protocol ChatModelProvider: Sendable {
    /// The model for text; loads it if it is not in memory.
    ///
    /// - Throws: any error, whose description is shown to the user.
    func model() async throws -> ChatModel

    /// The model for messages with images; loads it if it is not in memory.
    ///
    /// - Throws: any error, whose description is shown to the user.
    func visionModel() async throws -> ChatModel

    /// The model with a name; loads it if it is not in memory.
    ///
    /// - Parameter name: the name, as the provider lists its models.
    /// - Returns: the model.
    /// - Throws: any error, whose description is shown to the user.
    func model(_ name: String) async throws -> ChatModel
}

extension ChatModelProvider {
    /// The model for text, where one model does both.
    public func visionModel() async throws -> ChatModel { try await model() }

    /// An error, where there is no choice of models.
    ///
    /// - Throws: ``AssistantError`` with code `itemNotFound`.
    public func model(_ name: String) async throws -> ChatModel {
        throw AssistantError(.itemNotFound, "There is no model \(name) here.")
    }
}

/// A provider of one model that is in memory already.
public struct LoadedChatModel: ChatModelProvider {
    private let loaded: ChatModel

    /// Creates a provider of a model.
    public init(_ model: ChatModel) { loaded = model }

    /// The model.
    public func model() async -> ChatModel { loaded }
}
