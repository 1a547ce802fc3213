// SPDX-License-Identifier: Apache-2.0

import ParleyTokenizer

/// Guesses what comes next from what came before: where the last tokens stood earlier in the sequence, what followed
/// them there may follow again. Quotations and edited code repeat themselves so.
///
/// A guess costs little to check, for several tokens go through the network together almost as fast as one; so it pays
/// where guesses are often right, and where they are not the drafter falls silent for a while
/// ([Saxena, 2023](https://github.com/apoorvumang/prompt-lookup-decoding)).
struct PromptLookup: Sendable {
    /// How many tokens must have stood together before.
    private static let context = 3
    /// The most tokens of one guess; with the token before it a batch that kernels take in one pass.
    private static let longest = 5
    /// The longest silence, in tokens.
    private static let longestPause = 32

    private var history: [TokenID] = []
    /// For each hash of ``context`` tokens the index after their last occurrence, 0 for none.
    private var following: [Int32]
    /// The index after the last tokens' earlier occurrence.
    private var match: Int?
    private var length = 2
    private var pause = 0
    private var nextPause = 1

    /// - Parameter capacity: the most tokens that will be appended.
    init(capacity: Int) {
        history.reserveCapacity(capacity)
        var slots = 1_024
        while slots < 2 * capacity { slots *= 2 }
        following = Array(repeating: 0, count: slots)
    }

    /// Takes the next token of the sequence.
    mutating func append(_ token: TokenID) {
        history.append(token)
        if pause > 0 { pause -= 1 }
        match = nil
        guard history.count >= Self.context else { return }
        let last = history.suffix(Self.context)
        let slot =
            last.reduce(0) { ($0 &* 0x9E37_79B1) ^ Int(truncatingIfNeeded: $1) &* 0x85EB_CA6B } & (following.count - 1)
        let earlier = Int(following[slot])
        following[slot] = Int32(truncatingIfNeeded: history.count)
        if earlier > 0, history[earlier - Self.context..<earlier].elementsEqual(last) { match = earlier }
    }

    /// The tokens that may follow, none where nothing speaks for any.
    ///
    /// - Parameter limit: the most tokens wanted.
    func guess(limit: Int) -> [TokenID] {
        guard let match, pause == 0 else { return [] }
        let count = min(length, limit)
        guard count > 0 else { return [] }
        // A repetition shorter than the guess goes round.
        let period = history.count - match
        return (0..<count).map { history[match + $0 % period] }
    }

    /// Learns how much of a guess was right.
    mutating func learn(guessed: Int, right: Int) {
        guard guessed > 0 else { return }
        if right == guessed {
            length = min(length + 1, Self.longest)
            nextPause = 1
        } else if right == 0 {
            length = 2
            pause = nextPause
            nextPause = min(nextPause * 2, Self.longestPause)
        } else {
            length = max(right, 2)
        }
    }
}
