// SPDX-License-Identifier: Apache-2.0

package import ParleyTokenizer

/// Draws tokens from logits, one sequence at a time.
///
/// The sampler remembers the sequence's recent tokens for the repetition penalty. Its buffers are allocated once.
package struct Sampler: Sendable {
    /// How tokens are drawn.
    package let options: SamplingOptions
    /// The seed in use, also where the options gave none.
    package let seed: UInt64

    private var random: SplitMix64
    private var recent: RecentTokens
    private var candidates = Candidates()

    /// Creates a sampler.
    ///
    /// - Throws: ``RuntimeError`` with code `invalidInput` where an option is out of range.
    package init(_ options: SamplingOptions) throws(RuntimeError) {
        try options.validate()
        self.options = options
        seed = options.seed ?? .random(in: .min ... .max)
        random = SplitMix64(seed: seed)
        recent = RecentTokens(window: options.repetitionPenalty == 1 ? 0 : options.penaltyWindow)
    }

    /// Adds a token of the sequence, from the prompt or from the reply.
    package mutating func accept(_ token: TokenID) {
        recent.append(token)
    }

    /// Draws the next token. The caller then calls ``accept(_:)`` with the token it keeps.
    ///
    /// - Parameters:
    ///   - logits: one float a token; changed by the penalty and the mask.
    ///   - mask: the tokens that may come, none beyond its vocabulary; nil allows all.
    /// - Returns: nil where there is nothing to draw from: the logit of every allowed token is minus infinity or NaN.
    package mutating func sample(_ logits: UnsafeMutableBufferPointer<Float>, mask: TokenMask? = nil) -> TokenID? {
        recent.penalize(logits, by: options.repetitionPenalty)
        mask?.apply(to: logits)
        guard options.temperature > 0 else { return Self.largest(logits) }
        candidates.fill(from: logits, keeping: options.topK)
        candidates.keep(topP: options.topP)
        candidates.keep(minP: options.minP)
        return candidates.draw(temperature: options.temperature, unit: random.unit())
    }

    /// The token of the largest logit, the first of equals; nil where each is minus infinity or NaN.
    package static func largest(_ logits: UnsafeMutableBufferPointer<Float>) -> TokenID? {
        var best: Int?
        scan(logits, above: -.infinity) { token, logit in
            best = token
            return logit
        }
        return best.map { TokenID($0) }
    }
}
