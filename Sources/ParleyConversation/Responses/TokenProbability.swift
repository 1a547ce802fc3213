// SPDX-License-Identifier: Apache-2.0

/// A token of an answer with the probability that the model gave it, and the most likely tokens in its place.
///
/// Probabilities are the model's own: before biases, penalties, filters and constraints.
public struct TokenProbability: Hashable, Sendable {
    /// A token that could come.
    public struct Candidate: Hashable, Sendable {
        /// The id of the token.
        public var token: Int32
        /// The bytes of its text, which may end inside a character.
        public var bytes: [UInt8]
        /// The natural logarithm of its probability; minus infinity where that is zero.
        public var logprob: Float

        /// Creates a token that could come.
        public init(token: Int32, bytes: [UInt8], logprob: Float) {
            self.token = token
            self.bytes = bytes
            self.logprob = logprob
        }
    }

    /// The token that came.
    public var chosen: Candidate
    /// The most likely tokens, the most likely one first: as many as ``GenerationOptions/likelyTokens`` asks for.
    public var top: [Candidate]

    /// Creates the probability of a token.
    public init(_ chosen: Candidate, top: [Candidate] = []) {
        self.chosen = chosen
        self.top = top
    }
}
