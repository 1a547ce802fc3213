// SPDX-License-Identifier: Apache-2.0

/// Shares the rows of the next step among the jobs that wait, so that replies go on while prompts are read.
///
/// Every reply that waits gets its rows first, and prompts get what is left in order of arrival
/// ([Agrawal et al., 2024](https://arxiv.org/abs/2403.02310)). A step takes about as long as its rows are many; so while
/// replies grow, prompts get few of them.
package struct RowShares: Sendable {
    /// The most rows of prompts in a step while replies grow.
    package static let besideReplies = 32
    /// A job with no more tokens than these is a reply that grows, by one token or by one and a guess.
    package static let replyTokens = 1 + Generation.longestGuess
    /// After so many steps without a reply none is expected to come back soon. Between its steps a reply is away: its
    /// task chooses the token.
    package static let patience = 4

    private let most: Int
    private var stepsWithoutReply = patience

    /// Creates the shares of a scheduler that has run nothing, for steps of at most so many rows.
    package init(most: Int) {
        self.most = most
    }

    /// Decides for the next step.
    ///
    /// - Parameter shares: for each job, in order of arrival, how many tokens wait; replaced by how many of them run.
    package mutating func decide(_ shares: inout [Int]) {
        var left = most
        var replies = 0
        for index in shares.indices where (1...Self.replyTokens).contains(shares[index]) {
            shares[index] = min(shares[index], left)
            left -= shares[index]
            replies += 1
        }
        stepsWithoutReply = replies > 0 ? 0 : min(stepsWithoutReply + 1, Self.patience)
        if stepsWithoutReply < Self.patience { left = min(left, Self.besideReplies) }
        for index in shares.indices where shares[index] > Self.replyTokens {
            shares[index] = min(shares[index], left)
            left -= shares[index]
        }
    }
}
