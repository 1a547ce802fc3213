// SPDX-License-Identifier: Apache-2.0

/// Divides the rows of the next step among the waiting jobs, so that replies continue while prompts are processed.
///
/// A row is one token that runs through the network. Every waiting reply gets its rows first; prompts get the remaining
/// rows in order of arrival ([Agrawal et al., 2024](https://arxiv.org/abs/2403.02310)). The duration of a step is
/// roughly proportional to its rows, so prompts get only few of them while replies are being generated.
package struct RowShares: Sendable {
    /// The most rows given to prompts in a step while replies are being generated.
    package static let besideReplies = 32
    /// A job with at most this many tokens counts as a reply, which runs one token, or one token and a guess.
    package static let replyTokens = 1 + Generation.longestGuess
    /// The number of steps without a reply after which no reply is expected soon. A reply has no job between its steps,
    /// while its task chooses the next token.
    package static let patience = 4

    private let most: Int
    private var stepsWithoutReply = patience

    /// Creates the division for steps of at most `most` rows, before the first step.
    package init(most: Int) {
        self.most = most
    }

    /// Decides how many tokens of each job run in the next step.
    ///
    /// - Parameter shares: the number of waiting tokens of each job, in order of arrival; replaced by the number to
    ///   run.
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
