// SPDX-License-Identifier: Apache-2.0

/// How the next token is drawn from the logits.
///
/// Filters apply in the order repetition penalty, top-k, top-p, min-p, temperature.
public struct SamplingOptions: Sendable, Hashable {
    /// Divides the logits before the draw; 0 always takes the likeliest token.
    public var temperature: Float
    /// Only the `topK` likeliest tokens stay; 0 keeps all.
    public var topK: Int
    /// The smallest set of likeliest tokens whose probability reaches `topP` stays; 1 keeps all
    /// ([Holtzman et al., 2020](https://arxiv.org/abs/1904.09751)).
    public var topP: Float
    /// Only tokens at least `minP` times as likely as the likeliest stay; 0 keeps all
    /// ([Nguyen et al., 2024](https://arxiv.org/abs/2407.01082)).
    public var minP: Float
    /// Positive logits of recent tokens are divided by this, negative ones multiplied; 1 changes nothing
    /// ([Keskar et al., 2019](https://arxiv.org/abs/1909.05858)).
    public var repetitionPenalty: Float
    /// How many of the last tokens count as recent; 0 turns the penalty off.
    public var penaltyWindow: Int
    /// The seed of the draws; the same seed, prompt and options give the same tokens. Nil takes a random one.
    public var seed: UInt64?

    /// Creates options; the defaults are for a model without recommendations.
    public init(
        temperature: Float = 0.7, topK: Int = 40, topP: Float = 0.95, minP: Float = 0.05,
        repetitionPenalty: Float = 1.1, penaltyWindow: Int = 64, seed: UInt64? = nil
    ) {
        self.temperature = temperature
        self.topK = topK
        self.topP = topP
        self.minP = minP
        self.repetitionPenalty = repetitionPenalty
        self.penaltyWindow = penaltyWindow
        self.seed = seed
    }

    /// Always the likeliest token, with no penalty.
    public static let greedy = SamplingOptions(temperature: 0, topK: 0, topP: 1, minP: 0, repetitionPenalty: 1)

    /// Options of which some are left open.
    public struct Partial: Sendable, Hashable {
        /// See ``SamplingOptions/temperature``.
        public var temperature: Float?
        /// See ``SamplingOptions/topK``.
        public var topK: Int?
        /// See ``SamplingOptions/topP``.
        public var topP: Float?
        /// See ``SamplingOptions/minP``.
        public var minP: Float?
        /// See ``SamplingOptions/repetitionPenalty``.
        public var repetitionPenalty: Float?
        /// See ``SamplingOptions/penaltyWindow``.
        public var penaltyWindow: Int?

        /// Creates options of which some, or all, are left open.
        public init(
            temperature: Float? = nil, topK: Int? = nil, topP: Float? = nil, minP: Float? = nil,
            repetitionPenalty: Float? = nil, penaltyWindow: Int? = nil
        ) {
            self.temperature = temperature
            self.topK = topK
            self.topP = topP
            self.minP = minP
            self.repetitionPenalty = repetitionPenalty
            self.penaltyWindow = penaltyWindow
        }
    }

    /// Resolves options: each value is the first that is given, or else the default of ``init``.
    ///
    /// Values that the caller asks for must be in range. Recommended ones come from files, whose numbers may be
    /// anything: they are brought into range, or ignored where they mean nothing; see ``Partial/inRange``.
    ///
    /// - Parameters:
    ///   - asked: the caller's options.
    ///   - recommended: the most important first: the file's metadata, the catalog.
    ///   - seed: the seed of the draws; nil takes a random one.
    /// - Throws: ``RuntimeError`` with code `invalidInput` that names the caller's option that is out of range.
    public init(
        resolving asked: Partial, recommended: [Partial] = [], seed: UInt64? = nil
    ) throws(RuntimeError) {
        self.init(seed: seed)
        for layer in recommended.reversed() { take(layer.inRange) }
        take(asked)
        // Recommended values are in range by now.
        try validate()
    }

    private mutating func take(_ layer: Partial) {
        temperature = layer.temperature ?? temperature
        topK = layer.topK ?? topK
        topP = layer.topP ?? topP
        minP = layer.minP ?? minP
        repetitionPenalty = layer.repetitionPenalty ?? repetitionPenalty
        penaltyWindow = layer.penaltyWindow ?? penaltyWindow
    }
}
