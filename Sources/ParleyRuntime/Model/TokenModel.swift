// SPDX-License-Identifier: Apache-2.0

public import ParleyTokenizer

/// A loaded language model that computes logits from tokens: the protocol of token-level engines.
///
/// Prompt rendering, sampling, stop rules and constraints are built on this protocol and are the same for all engines.
/// Weights are immutable and shared by all timelines. The model is unloaded when the last reference to it is released.
public protocol TokenModel: Sendable {
    /// The name, architecture, sizes and chat template of the model.
    var info: ModelDescription { get }

    /// The model's tokenizer.
    var tokenizer: Tokenizer { get }

    /// The executor on which tasks that generate replies run best; nil, the default, if the engine has no preference.
    ///
    /// It is the thread that runs the steps, so that the end of a step need not wake another thread. Code that draws
    /// the tokens of a reply may prefer it with `withTaskExecutorPreference(_:operation:)`. Work on this thread delays
    /// all replies of the model, so it must not block.
    var executor: (any TaskExecutor)? { get }

    /// Reports when the engine has freed the model's memory; nil, the default, if that happens with the release of the
    /// last reference.
    var lifetime: ModelLifetime? { get }

    /// Whether timelines can copy what others have read, by ``TokenTimeline/adopt(prefix:of:)``; false by default.
    var adoptsPrefixes: Bool { get }

    /// The memory that a token takes in a timeline, in bytes; nil, the default, if that is not known.
    var cacheBytesPerToken: Int? { get }

    /// Creates an empty sequence with its own cache.
    ///
    /// - Parameter capacity: the most positions the timeline can hold; at least 1.
    /// - Returns: the sequence.
    /// - Throws: ``RuntimeError`` with code `insufficientMemory` if the cache does not fit.
    func makeTimeline(capacity: Int) throws -> any TokenTimeline
}

extension TokenModel {
    /// Nil: the engine has no preference.
    public var executor: (any TaskExecutor)? { nil }

    /// False: each timeline reads its tokens itself.
    public var adoptsPrefixes: Bool { false }

    /// Nil: it is not known.
    public var cacheBytesPerToken: Int? { nil }

    /// Nil: memory is freed with the release of the last reference.
    public var lifetime: ModelLifetime? { nil }
}

/// One mutable sequence of tokens with its cache.
///
/// Only one generation at a time may use a timeline; calls must not overlap. The engine may run the steps of several
/// timelines of a model in one batch, which does not change the results.
public protocol TokenTimeline: AnyObject, Sendable {
    /// The most positions the timeline can hold.
    var capacity: Int { get }

    /// The tokens in the timeline, in order, and the embeddings between them if the model takes any.
    ///
    /// To use the timeline for a new prompt, keep the longest common prefix with ``rewind(to:)`` and append the rest
    /// with ``step(_:into:)``.
    var contents: ModelInput { get }

    /// Whether ``rewind(to:)`` can reach every position, so that wrong guesses can be removed at no cost.
    var rewindsExactly: Bool { get }

    /// Removes everything from `position` on.
    ///
    /// - Parameter position: from 0 to the number of positions in the timeline; a larger value has no effect.
    /// - Returns: the position reached, which may be smaller if the engine cannot remove tokens at every position, and
    ///   is never inside an embedding.
    @discardableResult
    func rewind(to position: Int) -> Int

    /// Appends tokens, runs the model over them and writes the requested logits.
    ///
    /// If a step throws or its task is cancelled, only a prefix of the tokens may have been appended; `contents` shows
    /// which. Cancellation is noticed between chunks of at most 256 positions.
    ///
    /// - Throws: `CancellationError`, or ``RuntimeError`` if the tokens do not fit or the engine failed.
    func step(_ step: TimelineStep, into output: LogitRows) async throws

    /// Appends an embedding that the model has made, such as an image, and runs the model over it.
    ///
    /// If this throws or its task is cancelled, the embedding has been appended as a whole or not at all. The default is
    /// to refuse all embeddings, for models that take only tokens.
    ///
    /// - Throws: `CancellationError`, or ``RuntimeError`` with code `unsupported` if the model takes no embeddings,
    ///   `invalidInput` if another model made this one, and others if it does not fit or the engine failed.
    func step(over embedding: InputEmbedding) async throws

    /// Makes the timeline hold as much of the beginning of an input as it can without running the model: what it holds
    /// of it already, or more if another timeline of the model holds more, which is copied. It forgets everything else.
    ///
    /// The other timeline may be in use meanwhile, and even be rewound: only positions that it holds at the moment of
    /// their copy count. Logits after a copy are those after the tokens themselves, to the bit. Engines copy in pieces
    /// between the steps of other timelines, and may end where they have kept their state; see
    /// ``TokenModel/adoptsPrefixes``. If this throws or its task is
    /// cancelled, the timeline holds what was copied until then. The default copies nothing.
    ///
    /// - Parameters:
    ///   - prefix: the input, of which only the tokens before the first embedding are copied.
    ///   - donor: the other timeline; one of another model is ignored.
    /// - Returns: the number of positions in the timeline.
    /// - Throws: `CancellationError`.
    @discardableResult
    func adopt(prefix: ModelInput, of donor: any TokenTimeline) async throws -> Int
}

extension TokenTimeline {
    /// Keeps what the timeline holds of the input.
    @discardableResult
    public func adopt(prefix: ModelInput, of donor: any TokenTimeline) async throws -> Int {
        rewind(to: contents.commonPrefix(with: prefix))
    }

    /// Refuses the embedding.
    ///
    /// - Throws: ``RuntimeError`` with code `unsupported`.
    public func step(over embedding: InputEmbedding) async throws {
        throw RuntimeError.takesOnlyTokens
    }
}

extension RuntimeError {
    /// The error of models that take no embeddings.
    static let takesOnlyTokens = RuntimeError(
        .unsupported, "This model reads only text; take images and sounds out of the prompt.")
}
