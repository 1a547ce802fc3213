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
    /// How many of the last tokens count as recent.
    public var penaltyWindow: Int
    /// The seed of the draws; the same seed, prompt and options give the same tokens. Nil takes a random one.
    public var seed: UInt64?

    /// Creates options; the defaults are those for a model about which nothing is known.
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

    /// Options of which some are not said.
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

        /// Creates options of which some, or all, are not said.
        public init(
            temperature: Float? = nil, topK: Int? = nil, topP: Float? = nil, minP: Float? = nil,
            repetitionPenalty: Float? = nil
        ) {
            self.temperature = temperature
            self.topK = topK
            self.topP = topP
            self.minP = minP
            self.repetitionPenalty = repetitionPenalty
        }
    }

    /// Resolves options: for each value the first layer that says it wins, then the default of ``init``.
    ///
    /// - Parameter layers: the most important first: the caller's options, the file's metadata, the catalog.
    public init(resolving layers: [Partial], seed: UInt64? = nil) {
        self.init(seed: seed)
        temperature = layers.lazy.compactMap(\.temperature).first ?? temperature
        topK = layers.lazy.compactMap(\.topK).first ?? topK
        topP = layers.lazy.compactMap(\.topP).first ?? topP
        minP = layers.lazy.compactMap(\.minP).first ?? minP
        repetitionPenalty = layers.lazy.compactMap(\.repetitionPenalty).first ?? repetitionPenalty
    }

    /// Says which value is out of range.
    ///
    /// - Throws: ``RuntimeError`` with code `invalidInput`.
    public func validate() throws(RuntimeError) {
        let problem: String? =
            if !(temperature >= 0 && temperature.isFinite) {
                "temperature must be 0 or more, not \(temperature)"
            } else if topK < 0 { "top-k must be 0 or more, not \(topK)" } else if !(topP > 0 && topP <= 1) {
                "top-p must be above 0 and at most 1, not \(topP)"
            } else if !(minP >= 0 && minP <= 1) {
                "min-p must be from 0 to 1, not \(minP)"
            } else if !(repetitionPenalty > 0 && repetitionPenalty.isFinite) {
                "repetition penalty must be above 0, not \(repetitionPenalty)"
            } else if penaltyWindow < 0 { "the penalty's window must be 0 or more, not \(penaltyWindow)" } else { nil }
        if let problem { throw RuntimeError(.invalidInput, problem) }
    }
}
