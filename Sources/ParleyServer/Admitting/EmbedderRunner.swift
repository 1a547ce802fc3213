// SPDX-License-Identifier: Apache-2.0

public import ParleyConversation

/// A model that makes embeddings and writes no replies, in the place of a runner.
public struct EmbedderRunner: ModelRunner, TextEmbedding {
    private let embedder: any TextEmbedding

    /// Creates the runner of a loaded model.
    public init(_ embedder: any TextEmbedding) {
        self.embedder = embedder
    }

    /// The name of the model.
    public var modelID: String { embedder.modelID }
    /// The number of values in a vector.
    public var dimensions: Int { embedder.dimensions }
    /// The longest text in tokens.
    public var contextSize: Int { embedder.contextSize }

    /// Makes a vector of each text; see ``/ParleyConversation/TextEmbedding/embed(_:truncates:)``.
    ///
    /// - Throws: ``/ParleyConversation/ConversationError``; `CancellationError`.
    public func embed(_ inputs: [EmbeddingInput], truncates: Bool) async throws -> [Embedding] {
        try await embedder.embed(inputs, truncates: truncates)
    }

    /// Refuses to reply.
    ///
    /// - Throws: ``ServerError`` with code `model_not_capable`.
    public func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
        throw ServerError.writesNoReplies
    }

    /// Refuses to count, since the model has no prompts.
    ///
    /// - Throws: ``ServerError`` with code `model_not_capable`.
    public func promptTokenCount(
        messages: [ChatMessage], functions: [Function], options: GenerationOptions?
    ) async throws -> Int {
        throw ServerError.writesNoReplies
    }

    /// Frees the model.
    public func unload() async { await embedder.unload() }
}
