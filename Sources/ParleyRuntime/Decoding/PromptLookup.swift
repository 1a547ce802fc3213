// SPDX-License-Identifier: Apache-2.0

import ParleyTokenizer

/// Guesses the next tokens from earlier ones: where the last tokens occurred before in the sequence, the tokens that
/// followed them there may follow again, as in quotations and edited code.
///
/// Several tokens go through the network together almost as fast as one, so guesses pay where they are often right. The
/// drafter compares its guess with the next token even where it offers none: so it stops guessing where text is new and
/// starts again as soon as text repeats ([Saxena, 2023](https://github.com/apoorvumang/prompt-lookup-decoding)).
struct PromptLookup: Sendable {
    /// How many of the last tokens must have occurred before.
    private static let context = 2
    /// The most tokens of one guess; with the token before it, two batches that the kernels take in one pass.
    static let longest = 11
    /// The cost of one more token in a step, in steps of one token, as measured with AVX2; less with AVX-512.
    private static let cost = 0.25

    private var history: [TokenID] = []
    /// For each hash of ``context`` tokens the index after their last occurrence, 0 for none.
    private var following: [Int32]
    /// The index after the last tokens' earlier occurrence.
    private var match: Int?
    /// How often, lately, the token at ``match`` was the next one.
    private var confidence = 0.5

    /// The most tokens to allocate for at once; for longer sequences memory grows, and more tokens share a slot.
    private static let reserved = 1 << 20

    /// - Parameter capacity: the most tokens of the sequence, of which the last is not run.
    init(capacity: Int) {
        let capacity = min(max(capacity, 0), Self.reserved) + 1
        history.reserveCapacity(capacity)
        var slots = 1_024
        while slots < 2 * capacity { slots *= 2 }
        following = Array(repeating: 0, count: slots)
    }

    /// Takes the next token of the sequence.
    mutating func append(_ token: TokenID) {
        let isRight = match.map { history[$0] == token }
        if let isRight { confidence += ((isRight ? 1 : 0) - confidence) / 4 }
        history.append(token)
        guard history.count >= Self.context else { return }
        let earlier = exchangeOccurrence()
        // An occurrence is followed while it stays right: it has more in common than the latest one may have.
        match = isRight == true ? match.map { $0 + 1 } : earlier
    }

    /// Appends at most `limit` tokens that are likely to follow; none where there is no match.
    func guess(limit: Int, into tokens: inout [TokenID]) {
        guard let match else { return }
        let count = min(bestCount, limit)
        // A repetition shorter than the guess is repeated within it.
        let period = history.count - match
        for offset in 0..<max(count, 0) { tokens.append(history[match + offset % period]) }
    }

    /// The number of guesses that gives the most tokens in the same time, where each is right as often as the last ones
    /// ([Leviathan et al., 2023](https://arxiv.org/abs/2211.17192), section 3.5).
    private var bestCount: Int {
        var (best, bestGain) = (0, 1.0)
        var (isReached, tokens) = (1.0, 1.0)
        for count in 1...Self.longest {
            isReached *= confidence
            tokens += isReached
            let gain = tokens / (1 + Self.cost * Double(count))
            if gain > bestGain { (best, bestGain) = (count, gain) }
        }
        return best
    }

    /// Records the place of the last tokens, and returns the index after their earlier occurrence.
    private mutating func exchangeOccurrence() -> Int? {
        let last = history.suffix(Self.context)
        let slot =
            last.reduce(0) { ($0 &* 0x9E37_79B1) ^ Int(truncatingIfNeeded: $1) &* 0x85EB_CA6B } & (following.count - 1)
        let earlier = Int(following[slot])
        following[slot] = Int32(truncatingIfNeeded: history.count)
        guard earlier > 0, history[earlier - Self.context..<earlier].elementsEqual(last) else { return nil }
        return earlier
    }
}
