// SPDX-License-Identifier: Apache-2.0

/// Consecutive positions of a model's input that have embeddings instead of tokens: an image, or a piece of one.
///
/// The model that made it computes the embeddings when they are needed. Two embeddings with the same identity and count
/// are equal, and a timeline that has run one of them need not run the other.
public struct InputEmbedding: Sendable, Hashable {
    /// What the embeddings were made from, such as a digest of an image file and the number of the piece.
    public let identity: [UInt8]
    /// The number of positions; at least 1.
    public let count: Int
    /// Whatever the model needs to compute the embeddings. Only the model that made it reads it.
    public let payload: any Sendable

    /// Creates an embedding.
    ///
    /// - Parameters:
    ///   - identity: differs if the embeddings differ, and is the same whenever the same image is used.
    ///   - count: the number of positions; at least 1.
    ///   - payload: whatever the model needs to compute the embeddings.
    public init(identity: [UInt8], count: Int, payload: any Sendable) {
        precondition(count > 0, "an embedding has at least one position")
        self.identity = identity
        self.count = count
        self.payload = payload
    }

    /// Whether two embeddings have the same identity and count.
    public static func == (a: InputEmbedding, b: InputEmbedding) -> Bool {
        a.count == b.count && a.identity == b.identity
    }

    /// Adds the identity and the count to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
        hasher.combine(count)
    }
}
