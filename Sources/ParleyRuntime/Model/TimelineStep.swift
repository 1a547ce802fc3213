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

    /// What of the logits is needed at those positions.
    public enum Logits: Sendable, Hashable {
        /// One value for every token of the vocabulary.
        case all
        /// At least the `count` largest among the tokens that `mask` allows are right; others may be lower than they
        /// are, never higher.
        case top(count: Int, mask: TokenMask?)
    }

    /// What is appended, in order.
    public var segments: [PromptSegment]
    /// Which positions need logits.
    public var positions: Positions
    /// What of the logits is needed.
    public var logits: Logits

    /// Creates a step.
    public init(segments: [PromptSegment], positions: Positions = .last, logits: Logits = .all) {
        self.segments = segments
        self.positions = positions
        self.logits = logits
    }

    /// Creates a step that appends plain tokens.
    public init(tokens: [TokenID], positions: Positions = .last, logits: Logits = .all) {
        self.init(segments: [.tokens(tokens)], positions: positions, logits: logits)
    }
}

/// A part of a prompt.
public enum PromptSegment: Sendable, Hashable {
    /// Tokens of the vocabulary.
    case tokens([TokenID])
    /// An image or a sound that takes the place of `length` positions.
    case media(hash: UInt64, length: Int)
}

extension TimelineStep {
    /// Empties the tokens and fills them anew, in the memory they have; for a step of plain tokens.
    package mutating func replaceTokens(_ fill: (inout [TokenID]) -> Void) {
        guard segments.count == 1, case .tokens(var tokens) = segments[0] else { return }
        // Taken out, so that they are held once and change in place.
        segments[0] = .tokens([])
        tokens.removeAll(keepingCapacity: true)
        fill(&tokens)
        segments[0] = .tokens(tokens)
    }
}
