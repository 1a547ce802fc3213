// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A text to make a vector of.
public enum EmbeddingInput: Sendable, Hashable {
    /// A text, which gets the tokens that begin and end it.
    case text(String)
    /// The tokens of a text, which are taken as they are.
    case tokens([Int32])
}

/// The vector of a text.
public struct Embedding: Sendable, Hashable {
    /// The values; the vector's length is 1, so that the cosine of two vectors is their dot product.
    public var vector: [Float]
    /// The number of tokens that were read, those that begin and end the text included.
    public var tokenCount: Int
    /// Whether the text had more tokens than the model takes, and only the first ones were read.
    public var isTruncated: Bool

    /// Creates the vector of a text.
    public init(vector: [Float], tokenCount: Int, isTruncated: Bool = false) {
        self.vector = vector
        self.tokenCount = tokenCount
        self.isTruncated = isTruncated
    }

    /// How similar two texts are in the eyes of the model: the cosine of their vectors, from -1 to 1.
    ///
    /// - Parameter other: a vector of the same model.
    /// - Returns: the cosine; 0 for vectors of different models, if their numbers of values differ.
    public func similarity(to other: Embedding) -> Float {
        guard vector.count == other.vector.count else { return 0 }
        return zip(vector, other.vector).reduce(0) { $0 + $1.0 * $1.1 }
    }
}

extension Embedding {
    /// The vector's 32-bit little-endian floats in base64, the form of OpenAI's API.
    package var base64: String {
        var bytes = Data(capacity: vector.count * MemoryLayout<Float>.size)
        for value in vector { withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) } }
        return bytes.base64EncodedString()
    }
}

/// What turns texts into vectors, such that texts of similar meaning have similar directions.
public protocol TextEmbedding: Sendable {
    /// The name of the model, for labels and logs.
    var modelID: String { get }

    /// The number of values in a vector.
    var dimensions: Int { get }

    /// The longest text in tokens, those that begin and end it included.
    var contextSize: Int { get }

    /// Makes a vector of each text.
    ///
    /// Calls may run at the same time; a vector does not depend on other texts. Cancelling the task ends the call within
    /// one step of the engine, which takes a few hundred tokens.
    ///
    /// - Parameters:
    ///   - inputs: the texts.
    ///   - truncates: whether of texts that are too long only the beginning is read.
    /// - Returns: the vectors, in the order of the texts.
    /// - Throws: ``ConversationError`` with code `promptExceedsContext` for a text that is too long, with its number of
    ///   tokens; `invalidInput` for one without tokens, or with tokens beyond the vocabulary; `modelNotLoaded`;
    ///   `CancellationError`.
    func embed(_ inputs: [EmbeddingInput], truncates: Bool) async throws -> [Embedding]

    /// Frees the model; later calls throw ``ConversationError`` with code `modelNotLoaded`. Unloading twice does nothing.
    func unload() async
}

extension TextEmbedding {
    /// Makes a vector of each text.
    ///
    /// - Parameters:
    ///   - texts: the texts.
    ///   - truncates: whether of texts that are too long only the beginning is read.
    /// - Returns: the vectors, in the order of the texts.
    /// - Throws: ``ConversationError``; `CancellationError`.
    public func embed(_ texts: [String], truncates: Bool = false) async throws -> [Embedding] {
        try await embed(texts.map(EmbeddingInput.text), truncates: truncates)
    }
}
