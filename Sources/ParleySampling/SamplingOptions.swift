// SPDX-License-Identifier: Apache-2.0

/// How the next token is drawn from the logits.
///
/// A value that is nil is left open: what a caller leaves open the model's file may say, then the catalog, and else it
/// is the ``usual`` one. Filters apply in the order repetition penalty, top-k, top-p, min-p, temperature.
///
/// ```swift
/// let asked = SamplingOptions(temperature: 0, seed: 7)
/// let sampling = asked.filled(from: recommended.inRange)
/// ```
public struct SamplingOptions: Sendable, Hashable {
    /// Divides the logits before the draw: 0 or more; 0 always takes the likeliest token.
    public var temperature: Float?
    /// Only that many of the likeliest tokens stay: 0 or more; 0 keeps all.
    public var topK: Int?
    /// The smallest set of likeliest tokens whose probability reaches this stays: above 0 and at most 1; 1 keeps all
    /// ([Holtzman et al., 2020](https://arxiv.org/abs/1904.09751)).
    public var topP: Float?
    /// Only tokens at least that many times as likely as the likeliest stay: from 0 to 1; 0 keeps all
    /// ([Nguyen et al., 2024](https://arxiv.org/abs/2407.01082)).
    public var minP: Float?
    /// Makes tokens that came recently less likely: their positive logits are divided by this, which is above 0, and
    /// negative ones multiplied; 1 changes nothing ([Keskar et al., 2019](https://arxiv.org/abs/1909.05858)).
    public var repetitionPenalty: Float?
    /// How many of the last tokens count as recent: 0 or more; 0 turns the penalty off.
    public var penaltyWindow: Int?
    /// The seed of the draws: with the same options, prompt and model it gives the same tokens. Nil takes a random one.
    public var seed: UInt64?

    /// Creates options; by default all are left open.
    public init(
        temperature: Float? = nil, topK: Int? = nil, topP: Float? = nil, minP: Float? = nil,
        repetitionPenalty: Float? = nil, penaltyWindow: Int? = nil, seed: UInt64? = nil
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

    /// What is taken where neither the caller nor the model's makers say anything; the seed stays open.
    public static let usual = SamplingOptions(
        temperature: temperatures.usual, topK: topKs.usual, topP: topPs.usual, minP: minPs.usual,
        repetitionPenalty: penalties.usual, penaltyWindow: windows.usual)

    /// These options, with those that are open taken from others.
    public func filled(from defaults: SamplingOptions) -> SamplingOptions {
        SamplingOptions(
            temperature: temperature ?? defaults.temperature, topK: topK ?? defaults.topK, topP: topP ?? defaults.topP,
            minP: minP ?? defaults.minP, repetitionPenalty: repetitionPenalty ?? defaults.repetitionPenalty,
            penaltyWindow: penaltyWindow ?? defaults.penaltyWindow, seed: seed ?? defaults.seed)
    }
}

// MARK: - Ranges

extension SamplingOptions {
    /// The values that an option may have, for callers and for files alike, and the one it has where nobody says.
    package struct Values<Value: Comparable & Sendable>: Sendable {
        /// The property.
        let option: String
        /// The option's name in sentences.
        let name: String
        let range: ClosedRange<Value>
        /// The range in words.
        let words: String
        /// The value of an option that is left open.
        package let usual: Value
    }

    /// What ``temperature`` may be.
    package static let temperatures = Values<Float>(
        option: "temperature", name: "temperature", range: 0 ... .greatestFiniteMagnitude, words: "0 or more",
        usual: 0.7)
    /// What ``topK`` may be.
    package static let topKs = Values(option: "topK", name: "top-k", range: 0 ... .max, words: "0 or more", usual: 40)
    /// What ``topP`` may be.
    package static let topPs = Values<Float>(
        option: "topP", name: "top-p", range: .leastNonzeroMagnitude...1, words: "above 0 and at most 1", usual: 0.95)
    /// What ``minP`` may be.
    package static let minPs = Values<Float>(
        option: "minP", name: "min-p", range: 0...1, words: "from 0 to 1", usual: 0.05)
    /// What ``repetitionPenalty`` may be.
    package static let penalties = Values<Float>(
        option: "repetitionPenalty", name: "repetition penalty",
        range: .leastNonzeroMagnitude ... .greatestFiniteMagnitude, words: "above 0", usual: 1.1)
    /// What ``penaltyWindow`` may be.
    package static let windows = Values(
        option: "penaltyWindow", name: "the penalty's window", range: 0 ... .max, words: "0 or more", usual: 64)

    /// An option whose value it cannot have.
    public struct OutOfRange: Sendable, Hashable, CustomStringConvertible {
        /// The property, such as `topK`.
        public let option: String
        /// The option's name in sentences, such as `top-k`.
        public let name: String
        /// What it has to be, in words: `0 or more`.
        public let range: String
        /// What it is.
        public let value: String

        /// All in one line, without a full stop: `top-k must be 0 or more, not -1`.
        public var description: String { "\(name) must be \(range), not \(value)" }
    }

    /// The first option whose value is out of range; nil where all are in range or open. NaN is in no range.
    public var outOfRange: OutOfRange? {
        func check<Value>(_ value: Value?, _ values: Values<Value>) -> OutOfRange? {
            guard let value, !values.range.contains(value) else { return nil }
            return OutOfRange(option: values.option, name: values.name, range: values.words, value: "\(value)")
        }
        return check(temperature, Self.temperatures) ?? check(topK, Self.topKs) ?? check(topP, Self.topPs)
            ?? check(minP, Self.minPs) ?? check(repetitionPenalty, Self.penalties)
            ?? check(penaltyWindow, Self.windows)
    }

    /// These options as llama.cpp reads them from a file, whose numbers may be anything: a value out of range becomes
    /// the nearest value in it, so that a negative temperature is greedy, a negative top-k is none and a top-p of 0 is
    /// the likeliest token. NaN, and a penalty that would divide by 0, are ignored. A window of -1 is the whole context.
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
            penaltyWindow: penaltyWindow.map { $0 == -1 ? .max : nearest($0, Self.windows) }, seed: seed)
    }
}

// MARK: - Manifests

extension SamplingOptions: Codable {
    /// The names in manifests. A seed is the caller's, and is not in them.
    private enum CodingKeys: String, CodingKey {
        case temperature, topK, topP, minP, repetitionPenalty
        case penaltyWindow = "repetitionWindow"
    }
}
