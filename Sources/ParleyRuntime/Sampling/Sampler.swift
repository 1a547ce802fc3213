// SPDX-License-Identifier: Apache-2.0

@_exported public import ParleySampling
package import ParleyTokenizer

/// Draws tokens from logits for one sequence.
///
/// The sampler keeps the sequence's recent tokens for the repetition penalty. Its buffers are allocated once.
package struct Sampler: Sendable {
    /// The seed in use, whether given in the options or chosen at random.
    package let seed: UInt64

    private let temperature: Float
    private let topK: Int
    private let topP: Float
    private let minP: Float
    private let repetitionPenalty: Float
    private var random: SplitMix64
    private var recent: RecentTokens
    private var candidates = Candidates()

    /// Creates a sampler; options that are nil get their usual values.
    ///
    /// - Throws: ``RuntimeError`` with code `invalidInput` if an option is out of range.
    package init(_ options: SamplingOptions) throws(RuntimeError) {
        if let wrong = options.outOfRange { throw RuntimeError(.invalidInput, "\(wrong)") }
        temperature = options.temperature ?? SamplingOptions.temperatures.usual
        topK = options.topK ?? SamplingOptions.topKs.usual
        topP = options.topP ?? SamplingOptions.topPs.usual
        minP = options.minP ?? SamplingOptions.minPs.usual
        repetitionPenalty = options.repetitionPenalty ?? SamplingOptions.penalties.usual
        seed = options.seed ?? .random(in: .min ... .max)
        random = SplitMix64(seed: seed)
        let window = options.penaltyWindow ?? SamplingOptions.windows.usual
        recent = RecentTokens(window: repetitionPenalty == 1 ? 0 : window)
    }

    /// Appends a token of the sequence, from the prompt or the reply.
    package mutating func accept(_ token: TokenID) {
        recent.append(token)
    }

    /// Draws the next token; the caller must then call ``accept(_:)`` with the token it keeps.
    ///
    /// - Parameters:
    ///   - logits: one value per token; modified by the repetition penalty and the mask.
    ///   - mask: the allowed tokens, for a vocabulary no larger than the number of logits; nil allows all.
    /// - Returns: the token; nil if the logit of every allowed token is minus infinity or NaN.
    package mutating func sample(_ logits: UnsafeMutableBufferPointer<Float>, mask: TokenMask? = nil) -> TokenID? {
        recent.penalize(logits, by: repetitionPenalty)
        mask?.apply(to: logits)
        guard temperature > 0 else { return Self.largest(logits) }
        candidates.fill(from: logits, keeping: topK)
        candidates.keep(topP: topP)
        candidates.keep(minP: minP)
        return candidates.draw(temperature: temperature, unit: random.unit())
    }

    /// The token with the largest logit, the first one if several are equal; nil if all are minus infinity or NaN.
    package static func largest(_ logits: UnsafeMutableBufferPointer<Float>) -> TokenID? {
        var best: Int?
        scan(logits, above: -.infinity) { token, logit in
            best = token
            return logit
        }
        return best.map { TokenID($0) }
    }
}
