// SPDX-License-Identifier: Apache-2.0

import Logging
public import ParleyConversation
import ParleyModels
public import ParleyRuntime
import Synchronization

/// Turns texts into vectors with a model on this machine, such that texts of similar meaning have similar directions.
///
/// The model is unloaded with ``unload()``, or with the last reference to the embedder.
///
/// ```swift
/// let embedder = try await LocalEmbedder.load("all-minilm-l6-v2.gguf")
/// let texts = ["How do I reset my password?", "I cannot log in.", "The weather is fine."]
/// let vectors = try await embedder.embed(texts)
/// let likeness = vectors[0].similarity(to: vectors[1])
/// ```
public final class LocalEmbedder: TextEmbedding {
    /// The name of the model, for labels and logs.
    public let modelID: String
    /// The name, architecture and sizes of the model.
    public let info: ModelDescription
    /// The number of values in a vector.
    public let dimensions: Int
    /// The longest text in tokens, those that begin and end it included.
    public let contextSize: Int

    /// The model until it is unloaded. No other lock is taken while this one is held.
    private let model: Mutex<(any EmbeddingModel)?>
    private let lifetime: ModelLifetime?

    /// The most texts that are handed to the engine at once: their tokens and vectors are in memory together.
    private static let mostAtOnce = 256

    /// Creates an embedder for a loaded model.
    ///
    /// - Parameters:
    ///   - model: the model.
    ///   - id: its name, for labels and logs.
    public init(_ model: any EmbeddingModel, id: String) {
        modelID = id
        info = model.info
        dimensions = model.dimensions
        contextSize = model.context
        lifetime = model.lifetime
        self.model = Mutex(model)
    }

    /// Makes a vector of each text; see ``TextEmbedding``.
    ///
    /// - Parameters:
    ///   - inputs: the texts.
    ///   - truncates: whether of texts that are too long only the beginning is read.
    /// - Returns: the vectors, in the order of the texts.
    /// - Throws: ``ConversationError`` with code `promptExceedsContext`, `invalidInput` or `modelNotLoaded`;
    ///   `CancellationError`.
    public func embed(_ inputs: [EmbeddingInput], truncates: Bool) async throws -> [Embedding] {
        var results: [Embedding] = []
        results.reserveCapacity(inputs.count)
        for start in stride(from: 0, to: inputs.count, by: Self.mostAtOnce) {
            try Task.checkCancellation()
            guard let model = model.withLock({ $0 }) else {
                throw ConversationError(.modelNotLoaded, "\(modelID) has been unloaded. Load it again.")
            }
            let part = inputs[start..<min(start + Self.mostAtOnce, inputs.count)]
            let whole = part.map { input in
                switch input {
                case .text(let text): model.tokens(of: text)
                case .tokens(let tokens): tokens
                }
            }
            let tokens = try whole.enumerated().map { index, tokens in
                guard tokens.count > model.context else { return tokens }
                guard truncates else { throw tooLong(start + index, of: inputs.count, tokens.count) }
                return model.truncated(tokens)
            }
            do {
                for (index, vector) in try await model.embed(tokens).enumerated() {
                    results.append(
                        Embedding(
                            vector: vector, tokenCount: tokens[index].count,
                            isTruncated: tokens[index].count < whole[index].count))
                }
            } catch let error as RuntimeError {
                throw ConversationError(error)
            } catch is CancellationError where !Task.isCancelled {
                // The engine's thread has ended, because the model was unloaded meanwhile.
                throw ConversationError(.modelNotLoaded, "\(modelID) has been unloaded. Load it again.")
            }
        }
        return results
    }

    /// Frees the model, once the calls that use it have ended. Later calls throw ``ConversationError`` with code
    /// `modelNotLoaded`.
    public func unload() async {
        model.withLock { $0 = nil }
        await lifetime?.waitUntilFreed()
    }

    private func tooLong(_ index: Int, of count: Int, _ tokens: Int) -> ConversationError {
        .textExceedsContext(count > 1 ? "Text \(index + 1)" : "The text", tokens: tokens, contextTokens: contextSize)
    }
}
