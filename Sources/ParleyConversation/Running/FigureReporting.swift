// SPDX-License-Identifier: Apache-2.0

/// A runner that tells what its engine does, in numbers, for the figures of a server; an optional capability.
public protocol FigureReporting: ModelRunner {
    /// The figures of now.
    func figures() async -> RunnerFigures
}

/// What a runner's engine does, in numbers; nil where it does not know one.
///
/// Those that count do so from the loading of the model on, and never fall.
public struct RunnerFigures: Hashable, Sendable {
    /// The sequences whose keys and values are kept, in use or idle.
    public var sequences: Int?
    /// The bytes of keys and values that are in use.
    public var cacheBytes: Int?
    /// The bytes of keys and values that are promised to replies.
    public var reservedCacheBytes: Int?
    /// How often a reply has given its memory to others, to be computed again later.
    public var setBacks: Int?
    /// The number of steps.
    public var steps: Int?
    /// The number of rows in all steps.
    public var rows: Int?
    /// How long all steps have taken.
    public var stepTime: Duration?
    /// The tokens that were drafted without the model.
    public var draftedTokens: Int?
    /// The drafted tokens that were right.
    public var acceptedTokens: Int?
    /// How much of the machine steps use, for the sake of its battery and heat; nil if the engine follows no policy.
    public var power: PowerFigures?

    /// Creates figures of which none is known.
    public init() {}
}
