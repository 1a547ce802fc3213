// SPDX-License-Identifier: Apache-2.0

public import ParleyTokenizer

/// A loaded language model that turns tokens into logits: the protocol of token-level engines.
///
/// Everything above it (prompt rendering, sampling, stop rules, constraints) is written once for all engines. Weights
/// are immutable and shared by all timelines; unloading happens when the last reference goes.
public protocol TokenModel: Sendable {
    /// What the model is: its name, architecture, sizes and chat template.
    var info: ModelDescription { get }

    /// The model's tokenizer.
    var tokenizer: Tokenizer { get }

    /// Where the tasks of replies run best: on the thread that computes, so that the end of a step need not wake
    /// another thread. nil, the default, where the engine has no preference.
    ///
    /// Code that draws the tokens of a reply may prefer it with `withTaskExecutorPreference(_:operation:)`. Work there
    /// delays all replies of the model, so it must not block.
    var executor: (any TaskExecutor)? { get }

    /// Tells when the engine has freed the model's memory; nil, the default, where that happens with the last
    /// reference.
    var lifetime: ModelLifetime? { get }

    /// Creates an empty sequence with a cache of its own.
    ///
    /// - Parameter capacity: the positions the timeline can hold; at least 1.
    /// - Returns: the sequence.
    /// - Throws: ``RuntimeError`` with code `insufficientMemory` where the cache does not fit.
    func makeTimeline(capacity: Int) throws -> any TokenTimeline
}

extension TokenModel {
    /// No preference.
    public var executor: (any TaskExecutor)? { nil }

    /// Memory is freed with the last reference.
    public var lifetime: ModelLifetime? { nil }
}

/// One mutable sequence of tokens with its cache.
///
/// A timeline belongs to one generation at a time; calls must not overlap. Concurrent timelines of one model may be
/// merged into one batch by the engine, which changes no result.
public protocol TokenTimeline: AnyObject, Sendable {
    /// The positions the timeline can hold.
    var capacity: Int { get }

    /// The tokens held, in order. For a new prompt, what follows the longest common prefix is replaced by
    /// ``rewind(to:)`` and ``step(_:into:)``.
    var tokens: [TokenID] { get }

    /// Whether ``rewind(to:)`` reaches every position; then guessed tokens can be removed at no cost.
    var rewindsExactly: Bool { get }

    /// Forgets everything from `position` on.
    ///
    /// - Parameter position: from 0 to the number of tokens held; a larger value changes nothing.
    /// - Returns: the position that was reached, which may be smaller where an engine cannot cut so finely.
    @discardableResult
    func rewind(to position: Int) -> Int

    /// Appends tokens, runs the model over them and writes the logits that were asked for.
    ///
    /// A step that throws, or whose task is cancelled, leaves the timeline with a prefix of the intended tokens;
    /// `tokens` says which. Cancellation is noticed between chunks of at most 256 positions.
    ///
    /// - Throws: `CancellationError`, or ``RuntimeError`` where the tokens do not fit or the engine failed.
    func step(_ step: TimelineStep, into output: LogitRows) async throws
}
