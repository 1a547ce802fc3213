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

    /// Where the tasks of replies run best: on the thread that computes, an answered step need not wake another one.
    /// nil, the default, where the engine does not care.
    ///
    /// Whoever iterates a ``Generation`` may prefer it with `withTaskExecutorPreference(_:operation:)`. What runs there
    /// holds up all replies of the model, so that it must not block.
    var executor: (any TaskExecutor)? { get }

    /// Tells when the engine has given back what the model held; nil, the default, where that happens with the last
    /// reference.
    var lifetime: ModelLifetime? { get }

    /// Creates an empty sequence with a cache of its own.
    ///
    /// - Parameter capacity: the positions the timeline can hold; at least 1.
    /// - Throws: ``RuntimeError`` with code `insufficientMemory` where the cache does not fit.
    func makeTimeline(capacity: Int) throws -> any TokenTimeline
}

extension TokenModel {
    /// No preference.
    public var executor: (any TaskExecutor)? { nil }

    /// Memory goes with the last reference.
    public var lifetime: ModelLifetime? { nil }
}

/// One mutable sequence of tokens with its cache.
///
/// A timeline belongs to one generation at a time; calls must not overlap. Concurrent timelines of one model may be
/// merged into one batch by the engine, which changes no result.
public protocol TokenTimeline: AnyObject, Sendable {
    /// The positions the timeline can hold.
    var capacity: Int { get }

    /// The tokens held, in order. What follows the longest common prefix with a new prompt is replaced by
    /// ``rewind(to:)`` and ``step(_:into:)``.
    var tokens: [TokenID] { get }

    /// Whether ``rewind(to:)`` reaches every position; then tokens can be guessed and taken back at no cost.
    var rewindsExactly: Bool { get }

    /// Forgets everything from `position` on.
    ///
    /// - Parameter position: from 0 to the number of tokens held; a larger value changes nothing.
    /// - Returns: the position that was reached, which may be smaller where an engine cannot cut so finely.
    @discardableResult
    func rewind(to position: Int) -> Int

    /// Appends tokens, runs the model over them and writes the logits that were asked for.
    ///
    /// A step that throws, or whose task is cancelled, leaves the timeline with some prefix of what it was to hold;
    /// `tokens` says which. Cancellation is noticed between chunks of at most 256 positions.
    ///
    /// - Throws: `CancellationError`, or ``RuntimeError`` where the tokens do not fit or the engine failed.
    func step(_ step: TimelineStep, into output: LogitRows) async throws
}
