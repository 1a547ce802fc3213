// SPDX-License-Identifier: Apache-2.0

public import ParleyTokenizer

/// A loaded language model that turns tokens into logits: the seam for token-level engines.
///
/// Everything above it (prompt rendering, sampling, stop rules, constraints) is written once for all engines. Weights
/// are immutable and shared by all timelines; unloading happens when the last reference goes.
public protocol TokenModel: Sendable {
    /// What the model says of itself.
    var description: ModelDescription { get }

    /// The model's tokenizer.
    var tokenizer: Tokenizer { get }

    /// Creates an empty sequence with a cache of its own.
    ///
    /// - Parameter capacity: the positions the timeline can hold; at least 1.
    /// - Throws: ``RuntimeError`` with code `insufficientMemory` where the cache does not fit.
    func makeTimeline(capacity: Int) throws -> any TokenTimeline
}

/// One mutable sequence of tokens with its cache.
///
/// A timeline belongs to one generation at a time; calls must not overlap. Concurrent timelines of one model may be
/// merged into one batch by the engine, which changes no result.
public protocol TokenTimeline: AnyObject, Sendable {
    /// The positions the timeline can hold.
    var capacity: Int { get }

    /// The tokens held, in order. What follows the longest common prefix with a new prompt is replaced by
    /// ``rewind(to:)`` and ``step(_:)``.
    var tokens: [TokenID] { get }

    /// Forgets everything from `position` on.
    ///
    /// - Parameter position: from 0 to the number of tokens held; a larger value changes nothing.
    /// - Returns: the position that was reached, which may be smaller where an engine cannot cut so finely.
    @discardableResult
    func rewind(to position: Int) -> Int

    /// Appends tokens, runs the model over them and returns the logits that were asked for.
    ///
    /// A step that throws, or whose task is cancelled, leaves the timeline with some prefix of what it was to hold;
    /// `tokens` says which. Cancellation is noticed between chunks of at most 256 positions.
    ///
    /// - Throws: `CancellationError`, or ``RuntimeError`` where the tokens do not fit or the engine failed.
    func step(_ step: TimelineStep) async throws -> StepOutput
}

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
        /// At least the `count` largest among the tokens that `mask` allows; an engine may return more.
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

/// What a step returns: a row of logits for each position that was asked for.
public struct StepOutput: Sendable {
    /// The rows, in order of positions; each holds one float for every token of the vocabulary.
    public var logits: [[Float]]

    /// Creates an output.
    public init(logits: [[Float]]) {
        self.logits = logits
    }
}
