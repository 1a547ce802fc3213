// SPDX-License-Identifier: Apache-2.0

/// How a model makes one vector of a text from those of its tokens.
package enum EmbeddingPooling: Int, Sendable, Hashable {
    /// The mean of all tokens.
    case mean = 1
    /// The token that begins the text.
    case first = 2
    /// The last token.
    case last = 3
}

extension GGUFFile {
    /// How the model makes one vector of a text; nil if the file declares nothing, or that there is none.
    ///
    /// - Throws: ``ModelFileError`` if the entry is not a number, or of a kind that makes no vectors of texts.
    package var embeddingPooling: EmbeddingPooling? {
        get throws(ModelFileError) {
            let key = "\(try architecture).pooling_type"
            guard let number = try metadata.unsigned(ifPresent: key), number != 0 else { return nil }
            guard let pooling = EmbeddingPooling(rawValue: number) else {
                throw ModelFileError(
                    .invalidValue,
                    "\(name): \(key) is \(number). Supported are 1 (mean), 2 (first token) and 3 (last token); a model "
                        + "that ranks texts (4) makes no embeddings.")
            }
            return pooling
        }
    }
}
