// SPDX-License-Identifier: Apache-2.0

package import ParleyConversation
package import ParleyJSON

/// Writes vectors as lines or JSON.
package struct EmbeddingWriter: Sendable {
    /// Whether a vector is written as base64 of its 32-bit little-endian floats, else as numbers.
    package var isBase64: Bool

    package init(isBase64: Bool) {
        self.isBase64 = isBase64
    }

    /// The line of a vector.
    package func line(_ embedding: Embedding) -> String {
        isBase64 ? embedding.base64 : embedding.vector.map { "\($0)" }.joined(separator: " ")
    }

    /// The object of all vectors.
    package func json(_ embeddings: [Embedding], model: String) -> JSONValue {
        [
            "model": .string(model), "dimensions": .integer(embeddings.first?.vector.count ?? 0),
            "embeddings": .array(
                embeddings.map { embedding in
                    [
                        "tokens": .integer(embedding.tokenCount), "truncated": .bool(embedding.isTruncated),
                        "embedding": isBase64
                            ? .string(embedding.base64) : .array(embedding.vector.map { .number(Double("\($0)") ?? 0) })
                            ,
                    ]
                }),
        ]
    }
}
