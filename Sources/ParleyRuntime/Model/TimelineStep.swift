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

    /// Creates a step.
    public init(tokens: [TokenID], positions: Positions = .last) {
        self.tokens = tokens
        self.positions = positions
    }
}
