// SPDX-License-Identifier: Apache-2.0

public import ParleyTokenizer

/// What to append to a timeline and which logits to return.
public struct TimelineStep: Sendable {
    /// Which positions of a step need logits.
    public enum Positions: Sendable, Hashable {
        /// None: the step only fills the cache.
        case none
        /// The last position of the step.
        case last
        /// Every position of the step.
        case all
    }

    /// The tokens that are appended, in order.
    public var tokens: [TokenID]
    /// Which positions need logits, one value for every token of the vocabulary each.
    public var positions: Positions

    /// The tokens whose positions need logits, in order: a row for each.
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
