// SPDX-License-Identifier: Apache-2.0

/// How the next token is chosen from the logits.
///
/// An option that is nil is unset. Its value is then taken from the model's file, otherwise from the catalog, and
/// otherwise from ``usual``. The steps apply in this order: logit bias, repetition penalty, frequency and presence penalty,
/// top-k, top-p, min-p, temperature.
///
/// ```swift
/// let asked = SamplingOptions(temperature: 0, seed: 7)
/// let sampling = asked.filled(from: recommended.inRange)
/// ```
public struct SamplingOptions: Sendable, Hashable {
    /// Divides the logits: 0 or more; with 0 the most likely token is always chosen.
    public var temperature: Float?
    /// Keeps only this many of the most likely tokens: 0 or more; 0 keeps all.
    public var topK: Int?
    /// Keeps the smallest set of most likely tokens whose total probability reaches this value: from 0 to 1; 0 keeps the
    /// most likely one, 1 keeps all ([Holtzman et al., 2020](https://arxiv.org/abs/1904.09751)).
    public var topP: Float?
    /// Keeps only tokens whose probability is at least this fraction of the most likely token's: from 0 to 1; 0 keeps
    /// all ([Nguyen et al., 2024](https://arxiv.org/abs/2407.01082)).
    public var minP: Float?
    /// Makes recent tokens less likely: positive logits are divided by this value, which is above 0, and negative ones
    /// multiplied by it; 1 changes nothing ([Keskar et al., 2019](https://arxiv.org/abs/1909.05858)).
    public var repetitionPenalty: Float?
    /// The number of last tokens that count as recent: 0 or more; 0 turns the penalty off.
    public var penaltyWindow: Int?
    /// Lowers the logit of each token by this value for every time that the reply contains it: from -2 to 2; 0 changes
    /// nothing. Tokens of the prompt do not count.
    public var frequencyPenalty: Float?
    /// Lowers the logit of each token that the reply contains by this value: from -2 to 2; 0 changes nothing. Tokens of the
    /// prompt do not count.
    public var presencePenalty: Float?
    /// Values from -100 to 100 that are added to the logits of tokens, by their ids.
    public var logitBias: [Int32: Float]?
    /// The seed of the random choices: the same options, prompt and model then give the same tokens; nil uses a random
    /// seed.
    public var seed: UInt64?

    /// Creates options; those that are not given are unset.
    public init(
        temperature: Float? = nil, topK: Int? = nil, topP: Float? = nil, minP: Float? = nil,
        repetitionPenalty: Float? = nil, penaltyWindow: Int? = nil, frequencyPenalty: Float? = nil,
        presencePenalty: Float? = nil, logitBias: [Int32: Float]? = nil, seed: UInt64? = nil
    ) {
        self.temperature = temperature
        self.topK = topK
        self.topP = topP
        self.minP = minP
        self.repetitionPenalty = repetitionPenalty
        self.penaltyWindow = penaltyWindow
        self.frequencyPenalty = frequencyPenalty
        self.presencePenalty = presencePenalty
        self.logitBias = logitBias
        self.seed = seed
    }

    /// Always chooses the most likely token, without a repetition penalty.
    public static let greedy = SamplingOptions(temperature: 0, topK: 0, topP: 1, minP: 0, repetitionPenalty: 1)

    /// The values used if neither the caller nor the model's makers set any; the seed is unset.
    public static let usual = SamplingOptions(
        temperature: temperatures.usual, topK: topKs.usual, topP: topPs.usual, minP: minPs.usual,
        repetitionPenalty: penalties.usual, penaltyWindow: windows.usual)

    /// These options, with unset ones taken from `defaults`.
    public func filled(from defaults: SamplingOptions) -> SamplingOptions {
        SamplingOptions(
            temperature: temperature ?? defaults.temperature, topK: topK ?? defaults.topK, topP: topP ?? defaults.topP,
            minP: minP ?? defaults.minP, repetitionPenalty: repetitionPenalty ?? defaults.repetitionPenalty,
            penaltyWindow: penaltyWindow ?? defaults.penaltyWindow,
            frequencyPenalty: frequencyPenalty ?? defaults.frequencyPenalty,
            presencePenalty: presencePenalty ?? defaults.presencePenalty, logitBias: logitBias ?? defaults.logitBias,
            seed: seed ?? defaults.seed)
    }
}

// MARK: - Ranges

extension SamplingOptions {
    /// The values that an option may have, whether set by a caller or by a file, and its default.
    package struct Values<Value: Comparable & Sendable>: Sendable {
        /// The name of the property.
        let option: String
        /// The option's name in sentences.
        let name: String
        let range: ClosedRange<Value>
        /// The range in words.
        let words: String
        /// The value if nothing sets the option.
        package let usual: Value
    }

    /// The allowed values of ``temperature``.
    package static let temperatures = Values<Float>(
        option: "temperature", name: "temperature", range: 0 ... .greatestFiniteMagnitude, words: "0 or more",
        usual: 0.7)
    /// The allowed values of ``topK``.
    package static let topKs = Values(option: "topK", name: "top-k", range: 0 ... .max, words: "0 or more", usual: 40)
    /// The allowed values of ``topP``.
    package static let topPs = Values<Float>(
        option: "topP", name: "top-p", range: 0...1, words: "from 0 to 1", usual: 0.95)
    /// The allowed values of ``minP``.
    package static let minPs = Values<Float>(
        option: "minP", name: "min-p", range: 0...1, words: "from 0 to 1", usual: 0.05)
    /// The allowed values of ``repetitionPenalty``.
    package static let penalties = Values<Float>(
        option: "repetitionPenalty", name: "repetition penalty",
        range: .leastNonzeroMagnitude ... .greatestFiniteMagnitude, words: "above 0", usual: 1.1)
    /// The allowed values of ``penaltyWindow``.
    package static let windows = Values(
        option: "penaltyWindow", name: "the penalty's window", range: 0 ... .max, words: "0 or more", usual: 64)

    /// The allowed values of ``frequencyPenalty``.
    package static let frequencyPenalties = Values<Float>(
        option: "frequencyPenalty", name: "frequency penalty", range: -2...2, words: "from -2 to 2", usual: 0)
    /// The allowed values of ``presencePenalty``.
    package static let presencePenalties = Values<Float>(
        option: "presencePenalty", name: "presence penalty", range: -2...2, words: "from -2 to 2", usual: 0)
    /// The allowed values of ``logitBias``.
    package static let biases = Values<Float>(
        option: "logitBias", name: "logit bias", range: -100...100, words: "from -100 to 100", usual: 0)

    /// An option with a value outside its range.
    public struct OutOfRange: Sendable, Hashable, CustomStringConvertible {
        /// The name of the property, such as `topK`.
        public let option: String
        /// The option's name in sentences, such as `top-k`.
        public let name: String
        /// The allowed range in words, such as `0 or more`.
        public let range: String
        /// The value that is out of range.
        public let value: String

        /// The error in one line without a full stop, such as `top-k must be 0 or more, not -1`.
        public var description: String { "\(name) must be \(range), not \(value)" }
    }

    /// The first option whose value is out of range; nil if all are in range or unset. NaN is always out of range.
    public var outOfRange: OutOfRange? {
        func check<Value>(_ value: Value?, _ values: Values<Value>) -> OutOfRange? {
            guard let value, !values.range.contains(value) else { return nil }
            return OutOfRange(option: values.option, name: values.name, range: values.words, value: "\(value)")
        }
        let wrong: [OutOfRange?] = [
            check(temperature, Self.temperatures), check(topK, Self.topKs), check(topP, Self.topPs),
            check(minP, Self.minPs), check(repetitionPenalty, Self.penalties), check(penaltyWindow, Self.windows),
            check(frequencyPenalty, Self.frequencyPenalties), check(presencePenalty, Self.presencePenalties),
        ]
        let biases = (logitBias ?? [:]).values.lazy.compactMap { check($0, Self.biases) }
        return wrong.compactMap(\.self).first ?? biases.first
    }

    /// These options with every value moved into its range, as llama.cpp treats options from a file.
    ///
    /// A value out of range becomes the nearest value in the range: a negative temperature always chooses the most likely
    /// token, as does a negative top-p, and a negative top-k keeps all tokens. Values that are infinite or not a number, and
    /// repetition penalties of 0 or less, become unset. A penalty window of -1 stands for the whole context.
    public var inRange: SamplingOptions {
        func nearest<Value>(_ value: Value, _ values: Values<Value>) -> Value {
            min(max(value, values.range.lowerBound), values.range.upperBound)
        }
        func sound(_ value: Float?, _ values: Values<Float>) -> Float? {
            value.flatMap { $0.isFinite ? nearest($0, values) : nil }
        }
        return SamplingOptions(
            temperature: sound(temperature, Self.temperatures), topK: topK.map { nearest($0, Self.topKs) },
            topP: sound(topP, Self.topPs), minP: sound(minP, Self.minPs),
            repetitionPenalty: sound(repetitionPenalty.flatMap { $0 > 0 ? $0 : nil }, Self.penalties),
            penaltyWindow: penaltyWindow.map { $0 == -1 ? .max : nearest($0, Self.windows) },
            frequencyPenalty: sound(frequencyPenalty, Self.frequencyPenalties),
            presencePenalty: sound(presencePenalty, Self.presencePenalties),
            logitBias: logitBias?.compactMapValues { sound($0, Self.biases) }, seed: seed)
    }
}

// MARK: - Manifests

extension SamplingOptions: Codable {
    /// The names in manifests, which contain no seed, penalties of the reply and biases, because each caller chooses its own.
    private enum CodingKeys: String, CodingKey {
        case temperature, topK, topP, minP, repetitionPenalty
        case penaltyWindow = "repetitionWindow"
    }
}
