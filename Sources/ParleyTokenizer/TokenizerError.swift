// SPDX-License-Identifier: Apache-2.0

/// Why a tokenizer could not be built.
///
/// Encoding text never throws: every sequence of bytes can be tokenised.
public struct TokenizerError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is; more kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// The file names a pre-tokenizer that is not implemented.
        public static let unknownPreTokenizer = Code(description: "unknownPreTokenizer")
        /// The vocabulary is empty or has more tokens than ids can count.
        public static let invalidVocabulary = Code(description: "invalidVocabulary")
    }

    /// What kind of failure it is.
    public var code: Code
    /// What happened and what to do.
    public var message: String
    /// The underlying error, if any.
    public var cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The error for tokens or merges that were constructed to collide in a hash table.
    static let overloaded = TokenizerError(
        .invalidVocabulary,
        "The model's vocabulary is constructed to take excessive time. Use another file.")

    /// The length up to which tokens may be looked up at each place of a text or word, in bytes or characters; those of
    /// real vocabularies are shorter.
    static let longestToken = 512

    /// The error for a token that is longer.
    static func tooLong(_ length: Int) -> TokenizerError {
        TokenizerError(
            .invalidVocabulary,
            "The vocabulary has a token of length \(length), with which any text would take excessive time; at most "
                + "\(longestToken) are supported. Use another file.")
    }

    /// The message.
    public var description: String { message }
}
