// SPDX-License-Identifier: Apache-2.0

/// Divides the rows of the next step among the waiting jobs, so that replies continue while prompts are processed.
///
/// A row is one token that runs through the network. Every waiting reply gets its rows first; prompts get as many of the
/// remaining rows as keep the step short, by what steps have taken so far
/// ([Agrawal et al., 2024](https://arxiv.org/abs/2403.02310)). Clients take turns at these; of one client's prompts, the
/// one with the fewest tokens left comes first, and one that has waited for long comes before all others.
package struct RowShares: Sendable {
    /// What is known of a waiting job besides the number of its tokens.
    package struct Claim: Sendable {
        /// Whose it is.
        package var client: Int
        /// How many tokens of its prompt follow those that wait now.
        package var following: Int
        /// Since when it has been given no rows.
        package var since: ContinuousClock.Instant

        /// Creates a claim.
        package init(client: Int = 0, following: Int = 0, since: ContinuousClock.Instant) {
            (self.client, self.following, self.since) = (client, following, since)
        }
    }

    /// The fewest rows that prompts get in a step, which are also those of a turn.
    package static let fewest = 16
    /// A job with at most this many tokens counts as a reply, which runs one token, or one token and a guess.
    package static let replyTokens = 1 + Generation.longestGuess
    /// The number of steps without a reply after which no reply is expected soon. A reply has no job between its steps,
    /// while its task chooses the next token.
    package static let patience = 4
    /// How long a prompt waits for rows before it comes first: half of the longest wait, because the steps before its
    /// own take time.
    package static let longestWait = Duration.seconds(1)

    /// The number of replies in the latest step that had any.
    package private(set) var replies = 0
    /// The most rows of a step.
    package var most: Int
    /// How long steps take.
    package private(set) var pace = StepPace()

    private var stepsWithoutReply = patience
    /// The rows of the latest step with replies, and how many of them were theirs.
    private var replyRows = 0
    /// When each client was last given rows, as the number of the turn.
    private var turns: [Int: Int] = [:]
    private var turn = 0
    /// The jobs with prompts; stored here to reuse the memory.
    private var prompts: [Prompt] = []

    private struct Prompt {
        var index: Int
        var client: Int
        /// How many tokens it waits to run.
        var wanted: Int
        /// How many tokens of its prompt are left.
        var left: Int
        var since: ContinuousClock.Instant
        /// How many tokens it gets.
        var given = 0
    }

    /// Creates the division for steps of at most `most` rows, before the first step.
    package init(most: Int) {
        self.most = most
    }

    /// Decides how many tokens of each job run in the next step.
    ///
    /// - Parameters:
    ///   - shares: the number of waiting tokens of each job, in order of arrival; replaced by the number to run.
    ///   - claims: what else is known of each job.
    ///   - now: the time.
    package mutating func decide(_ shares: inout [Int], _ claims: [Claim], now: ContinuousClock.Instant) {
        var left = most
        var count = 0
        for index in shares.indices where (1...Self.replyTokens).contains(shares[index]) {
            shares[index] = min(shares[index], left)
            left -= shares[index]
            count += 1
        }
        if count > 0 { (replies, replyRows) = (count, most - left) }
        stepsWithoutReply = count > 0 ? 0 : min(stepsWithoutReply + 1, Self.patience)
        if stepsWithoutReply < Self.patience { left = min(left, pace.promptRows(besides: replyRows, most: most)) }
        prompts.removeAll(keepingCapacity: true)
        for index in shares.indices where shares[index] > Self.replyTokens {
            let claim = claims[index]
            prompts.append(
                Prompt(
                    index: index, client: claim.client, wanted: shares[index], left: shares[index] + claim.following,
                    since: claim.since))
            shares[index] = 0
        }
        divide(left, now)
        for prompt in prompts { shares[prompt.index] = prompt.given }
    }

    /// Records how long a step has taken.
    package mutating func note(rows: Int, time: Duration) { pace.note(rows: rows, time: time) }

    private mutating func divide(_ rows: Int, _ now: ContinuousClock.Instant) {
        var left = rows
        if prompts.count == 1 {
            prompts[0].given = min(prompts[0].wanted, left)
            return
        }
        let late = prompts.count { $0.since.duration(to: now) >= Self.longestWait }
        if late > 0 {
            prompts.sort { ($0.since, $0.index) < ($1.since, $1.index) }
            let share = max(min(Self.fewest, left / late), 1)
            for place in 0..<late { give(share, to: place, &left) }
        }
        if turns.count > 1_024 { turns.removeAll(keepingCapacity: true) }
        while left > 0, let place = next { give(Self.fewest, to: place, &left) }
    }

    private mutating func give(_ rows: Int, to place: Int, _ left: inout Int) {
        let count = min(rows, prompts[place].wanted - prompts[place].given, left)
        prompts[place].given += count
        left -= count
        turn += 1
        turns[prompts[place].client] = turn
    }

    /// The prompt whose turn it is; nil if all have what they want.
    private var next: Int? {
        var best: (place: Int, order: (Int, Int, Int))?
        for (place, prompt) in prompts.enumerated() where prompt.given < prompt.wanted {
            let order = (turns[prompt.client] ?? 0, prompt.left, prompt.index)
            if let known = best, known.order <= order { continue }
            best = (place, order)
        }
        return best?.place
    }
}
