// SPDX-License-Identifier: Apache-2.0

/// Which tokens may come next: nothing of remarks and control tokens, no blank text, and time stamps in ascending pairs
/// ([Radford et al., 2022](https://arxiv.org/abs/2212.04356), section 4.5 and the code that belongs to it).
package struct TokenRules {
    /// The latest time stamp with which a text may begin: 1 second.
    private static let latestBeginning: Int32 = 50

    package let tokens: WhisperTokens
    package let vocabularySize: Int
    /// The tokens that are never written.
    package let suppressed: [Int32]
    /// The tokens with which a text does not begin.
    package let blanks: [Int32]
    /// Whether time stamps are written.
    package let hasTimestamps: Bool

    /// Creates the rules for a vocabulary.
    package init(
        tokens: WhisperTokens, vocabularySize: Int, suppressed: [Int32], blanks: [Int32], hasTimestamps: Bool
    ) {
        (self.tokens, self.vocabularySize, self.suppressed) = (tokens, vocabularySize, suppressed)
        (self.blanks, self.hasTimestamps) = (blanks, hasTimestamps)
    }

    /// Sets the logits of tokens that may not come next to -infinity.
    ///
    /// - Parameters:
    ///   - logits: the logits, changed in place.
    ///   - text: the tokens written so far, without the prompt.
    ///   - logSumExp: the logarithm of the sum of the exponentials of some logits, of which the largest is given.
    package func apply(
        to logits: UnsafeMutableBufferPointer<Float>, after text: [Int32],
        logSumExp: (UnsafeBufferPointer<Float>, Float) -> Float
    ) {
        for id in suppressed { logits[Int(id)] = -.infinity }
        logits[Int(tokens.noTimestamps)] = -.infinity
        if text.isEmpty { for id in blanks { logits[Int(id)] = -.infinity } }
        let (end, first) = (Int(tokens.endOfText), Int(tokens.firstTimestamp))
        guard hasTimestamps else { return forbid(first..<vocabularySize, logits) }

        let lastIsTime = text.last.map { $0 >= tokens.firstTimestamp } ?? false
        let isAfterPair = text.count < 2 || text[text.count - 2] >= tokens.firstTimestamp
        if lastIsTime {
            // Time stamps come in pairs, except before the end.
            if isAfterPair { forbid(first..<vocabularySize, logits) } else { forbid(0..<end, logits) }
        }
        if let latest = text.last(where: { $0 >= tokens.firstTimestamp }) {
            // Time never goes back, and a segment is not empty.
            let lowest = lastIsTime && !isAfterPair ? Int(latest) : Int(latest) + 1
            forbid(first..<max(first, min(lowest, vocabularySize)), logits)
        }
        if text.isEmpty {
            forbid(0..<first, logits)
            forbid(min(first + Int(Self.latestBeginning) + 1, vocabularySize)..<vocabularySize, logits)
        }
        // If a time stamp is likelier than any token of text, it is one.
        let highestTime = Self.highest(logits, first..<vocabularySize)
        guard highestTime > -.infinity else { return }
        let times = UnsafeBufferPointer(rebasing: UnsafeBufferPointer(logits)[first...])
        if logSumExp(times, highestTime) > Self.highest(logits, 0..<first) { forbid(0..<first, logits) }
    }

    private func forbid(_ range: Range<Int>, _ logits: UnsafeMutableBufferPointer<Float>) {
        for id in range { logits[id] = -.infinity }
    }

    /// The largest logit of a range; -infinity if it is empty.
    static func highest(_ logits: UnsafeMutableBufferPointer<Float>, _ range: Range<Int>) -> Float {
        var highest = -Float.infinity
        for id in range where logits[id] > highest { highest = logits[id] }
        return highest
    }
}
