// SPDX-License-Identifier: Apache-2.0

/// The sampling that the makers of a model recommend, as far as the file says.
public struct SamplingDefaults: Codable, Sendable, Hashable {
    /// The temperature.
    public var temperature: Float?
    /// How many of the likeliest tokens are drawn from.
    public var topK: Int?
    /// The probability that the tokens drawn from have together.
    public var topP: Float?
    /// The least probability of a token, relative to the likeliest.
    public var minP: Float?
    /// The penalty on tokens that occurred before.
    public var repetitionPenalty: Float?
    /// How many of the last tokens are penalised.
    public var repetitionWindow: Int?

    /// Creates defaults; nil is what a file does not say.
    public init(
        temperature: Float? = nil, topK: Int? = nil, topP: Float? = nil, minP: Float? = nil,
        repetitionPenalty: Float? = nil, repetitionWindow: Int? = nil
    ) {
        self.temperature = temperature
        self.topK = topK
        self.topP = topP
        self.minP = minP
        self.repetitionPenalty = repetitionPenalty
        self.repetitionWindow = repetitionWindow
    }
}

extension GGUFFile {
    /// The sampling that the makers of the model recommend; all nil where the file says nothing.
    public var samplingDefaults: SamplingDefaults {
        SamplingDefaults(
            temperature: samplingNumber("temp"),
            topK: metadata["general.sampling.top_k"]?.integer,
            topP: samplingNumber("top_p"),
            minP: samplingNumber("min_p"),
            repetitionPenalty: samplingNumber("penalty_repeat"),
            repetitionWindow: metadata["general.sampling.penalty_last_n"]?.integer)
    }

    /// Infinities and the like are treated as missing.
    private func samplingNumber(_ name: String) -> Float? {
        metadata["general.sampling.\(name)"]?.float.flatMap { $0.isFinite ? $0 : nil }
    }
}
