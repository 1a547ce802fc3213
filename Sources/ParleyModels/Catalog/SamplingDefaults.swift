// SPDX-License-Identifier: Apache-2.0

/// How a model is best sampled; nil leaves a value to whoever asks.
public struct SamplingDefaults: Sendable, Hashable {
    /// The temperature; 0 always takes the likeliest token.
    public var temperature: Float?
    /// How many of the likeliest tokens stay candidates.
    public var topK: Int?
    /// The probability that the candidates together must reach.
    public var topP: Float?
    /// The share of the likeliest token's probability that a candidate must reach.
    public var minP: Float?
    /// The factor against tokens that were used lately; 1 is none.
    public var repetitionPenalty: Float?

    /// Creates defaults.
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
