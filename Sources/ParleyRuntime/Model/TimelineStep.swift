// SPDX-License-Identifier: Apache-2.0

public import ParleyTokenizer

/// The input of a step: the tokens to append to a timeline and the positions whose logits are wanted.
public struct TimelineStep: Sendable {
    /// The positions of a step whose logits are wanted.
    public enum Positions: Sendable, Hashable {
        /// None: the step only fills the cache.
        case none
        /// The last position of the step.
        case last
        /// Every position of the step.
        case all
    }

    /// The tokens to append, in order.
    public var tokens: [TokenID]
    /// The positions whose logits are wanted; each gives one value per token of the vocabulary.
    public var positions: Positions
    /// How many tokens of the same prompt follow in later steps. Engines may let short prompts go first.
    public var following = 0
    /// Whose prompt it is; engines divide their time evenly over clients.
    public var client = 0

    /// The tokens at the positions whose logits are wanted, in order; there is one row of logits for each.
    public var wantedTokens: ArraySlice<TokenID> {
        switch positions {
        case .none: []
        case .last: tokens.suffix(1)
        case .all: tokens[...]
        }
    }

    /// Creates a step.
    public init(tokens: [TokenID], positions: Positions = .last) {
        self.tokens = tokens
        self.positions = positions
    }
}
