// SPDX-License-Identifier: Apache-2.0

/// The values that a sampling option may have, for callers and for files alike.
struct SamplingRange<Value: Comparable & Sendable>: Sendable {
    /// The option's name in messages.
    let name: String
    let values: ClosedRange<Value>
    /// The range in words.
    let words: String

    /// Throws ``RuntimeError`` with code `invalidInput` for a value out of range; NaN is in no range.
    func check(_ value: Value) throws(RuntimeError) {
        guard !values.contains(value) else { return }
        throw RuntimeError(.invalidInput, "\(name) must be \(words), not \(value)")
    }

    /// The nearest value in range.
    func clamp(_ value: Value) -> Value { min(max(value, values.lowerBound), values.upperBound) }
}

extension SamplingOptions {
    private static let temperatures = SamplingRange<Float>(
        name: "temperature", values: 0 ... .greatestFiniteMagnitude, words: "0 or more")
    private static let topKs = SamplingRange(name: "top-k", values: 0 ... .max, words: "0 or more")
    private static let topPs = SamplingRange<Float>(
        name: "top-p", values: .leastNonzeroMagnitude...1, words: "above 0 and at most 1")
    private static let minPs = SamplingRange<Float>(name: "min-p", values: 0...1, words: "from 0 to 1")
    private static let penalties = SamplingRange<Float>(
        name: "repetition penalty", values: .leastNonzeroMagnitude ... .greatestFiniteMagnitude, words: "above 0")
    private static let windows = SamplingRange(name: "the penalty's window", values: 0 ... .max, words: "0 or more")

    /// Checks that every value is in range.
    ///
    /// - Throws: ``RuntimeError`` with code `invalidInput`.
    package func validate() throws(RuntimeError) {
        try Self.temperatures.check(temperature)
        try Self.topKs.check(topK)
        try Self.topPs.check(topP)
        try Self.minPs.check(minP)
        try Self.penalties.check(repetitionPenalty)
        try Self.windows.check(penaltyWindow)
    }
}

extension SamplingOptions.Partial {
    /// These options as llama.cpp reads them from a file: a value out of range becomes the nearest value in it, so that
    /// a negative temperature is greedy, a negative top-k is none and a top-p of 0 is the likeliest token. NaN, and a
    /// penalty that would divide by 0, are ignored. A window of -1 is the whole context.
    package var inRange: Self {
        func sound(_ value: Float?, _ range: SamplingRange<Float>) -> Float? {
            value.flatMap { $0.isFinite ? range.clamp($0) : nil }
        }
        return .init(
            temperature: sound(temperature, SamplingOptions.temperatures),
            topK: topK.map { SamplingOptions.topKs.clamp($0) },
            topP: sound(topP, SamplingOptions.topPs), minP: sound(minP, SamplingOptions.minPs),
            repetitionPenalty: sound(repetitionPenalty.flatMap { $0 > 0 ? $0 : nil }, SamplingOptions.penalties),
            penaltyWindow: penaltyWindow.map { $0 == -1 ? .max : SamplingOptions.windows.clamp($0) })
    }
}
