// SPDX-License-Identifier: Apache-2.0

@_exported public import ParleySampling
package import ParleyTokenizer

/// Draws tokens from logits for one sequence.
///
/// The sampler keeps the sequence's recent tokens, and those of the reply, for the penalties. Its buffers are allocated once.
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
    private var reply: ReplyPenalties
    private let biases: [(token: Int, bias: Float)]
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
        reply = ReplyPenalties(
            frequency: options.frequencyPenalty ?? SamplingOptions.frequencyPenalties.usual,
            presence: options.presencePenalty ?? SamplingOptions.presencePenalties.usual)
        biases = (options.logitBias ?? [:]).map { (Int($0.key), $0.value) }.sorted { $0.token < $1.token }
    }

    /// Appends a token of the sequence.
    ///
    /// - Parameters:
    ///   - token: the token.
    ///   - isReply: whether it belongs to the reply, and not to the prompt.
    package mutating func accept(_ token: TokenID, isReply: Bool = false) {
        recent.append(token)
        if isReply { reply.append(token) }
    }

    /// Draws the next token; the caller must then call ``accept(_:)`` with the token it keeps.
    ///
    /// - Parameters:
    ///   - logits: one value per token; modified by biases, penalties and the mask, and undefined once a token has been
    ///     drawn at random.
    ///   - mask: the allowed tokens, for a vocabulary no larger than the number of logits; nil allows all.
    /// - Returns: the token; nil if the logit of every allowed token is minus infinity or NaN.
    package mutating func sample(_ logits: UnsafeMutableBufferPointer<Float>, mask: TokenMask? = nil) -> TokenID? {
        for (token, bias) in biases where logits.indices.contains(token) { logits[token] += bias }
        recent.penalize(logits, by: repetitionPenalty)
        reply.penalize(logits)
        mask?.apply(to: logits)
        guard temperature > 0 else { return Self.largest(logits) }
        if topK == 0 || topK >= logits.count, topP >= 1, minP <= 0 {
            return Candidates.draw(fromAll: logits, temperature: temperature, unit: random.unit())
        }
        candidates.fill(from: logits, topK: topK, topP: topP, minP: minP)
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
