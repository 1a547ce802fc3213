// SPDX-License-Identifier: Apache-2.0

import ParleyTokenizer

/// Guesses the next tokens from earlier ones: if the last tokens occurred before in the sequence, the tokens that
/// followed them then are likely to follow again, as in quotations and edited code.
///
/// The network processes several tokens together almost as fast as one, so guesses save time if they are often right.
/// Each new token is also compared with the guess that could have been offered, even if none was. Guessing therefore
/// stops when text is new and resumes as soon as text repeats
/// ([Saxena, 2023](https://github.com/apoorvumang/prompt-lookup-decoding)).
struct PromptLookup: Sendable {
    /// How many of the last tokens must have occurred before, in the same order.
    private static let context = 2
    /// The most tokens of one guess. Together with the token before it they make two batches of the size that kernels
    /// process in one pass.
    static let longest = 11
    /// The cost of one more token in a step of one reply, relative to a step of one token; measured with AVX2 and lower
    /// with AVX-512.
    static let usualCost = 0.25

    private var history: [TokenID] = []
    /// For each hash of ``context`` tokens, the index after their last occurrence; 0 for none.
    private var following: [Int32]
    /// The index after the earlier occurrence of the last tokens.
    private var match: Int?
    /// The moving average of how often the token at ``match`` was the next token, from 0 to 1.
    private var confidence = 0.5

    /// The most tokens for which memory is allocated in advance. In longer sequences the history grows and more tokens
    /// share a slot of the hash table.
    private static let reserved = 1 << 20

    /// - Parameter capacity: the most tokens of the sequence; one more may be drawn without being run.
    init(capacity: Int) {
        let capacity = min(max(capacity, 0), Self.reserved) + 1
        history.reserveCapacity(capacity)
        var slots = 1_024
        while slots < 2 * capacity { slots *= 2 }
        following = Array(repeating: 0, count: slots)
    }

    /// Appends the next token of the sequence.
    mutating func append(_ token: TokenID) {
        let isRight = match.map { history[$0] == token }
        if let isRight { confidence += ((isRight ? 1 : 0) - confidence) / 4 }
        history.append(token)
        guard history.count >= Self.context else { return }
        let earlier = exchangeOccurrence()
        // A match is kept as long as it predicts correctly, because it may share a longer context than the latest
        // occurrence.
        match = isRight == true ? match.map { $0 + 1 } : earlier
    }

    /// Appends at most `limit` tokens that are likely to follow; none if there is no match.
    ///
    /// - Parameters:
    ///   - limit: the most tokens.
    ///   - cost: the cost of one more token in a step, relative to what a token of the reply costs without it.
    ///   - tokens: receives them.
    func guess(limit: Int, cost: Double = usualCost, into tokens: inout [TokenID]) {
        guard let match else { return }
        let count = min(bestCount(cost), limit)
        // If the repeated text is shorter than the guess, it is repeated within the guess.
        let period = history.count - match
        for offset in 0..<max(count, 0) { tokens.append(history[match + offset % period]) }
    }

    /// The length of guess that yields the most tokens per unit of time, if each guessed token is right with the
    /// probability `confidence` ([Leviathan et al., 2023](https://arxiv.org/abs/2211.17192), section 3.5).
    private func bestCount(_ cost: Double) -> Int {
        var (best, bestGain) = (0, 1.0)
        var (isReached, tokens) = (1.0, 1.0)
        for count in 1...Self.longest {
            isReached *= confidence
            tokens += isReached
            let gain = tokens / (1 + cost * Double(count))
            if gain > bestGain { (best, bestGain) = (count, gain) }
        }
        return best
    }

    /// Records the position of the last tokens, and returns the index after their earlier occurrence.
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
