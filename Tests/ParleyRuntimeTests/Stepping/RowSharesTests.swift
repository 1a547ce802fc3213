// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import Testing

@Suite("Row shares")
struct RowSharesTests {
    private let start = ContinuousClock.now

    /// Decides for prompts and replies of one client, or of several.
    private func decide(
        _ waiting: [Int], _ policy: inout RowShares, clients: [Int] = [], following: [Int] = [],
        waited: [Double] = []
    ) -> [Int] {
        var shares = waiting
        let claims = waiting.indices.map { index in
            RowShares.Claim(
                client: index < clients.count ? clients[index] : 0,
                following: index < following.count ? following[index] : 0,
                since: start - .seconds(index < waited.count ? waited[index] : 0))
        }
        policy.decide(&shares, claims, now: start)
        return shares
    }

    @Test("a prompt alone gets all rows of a step")
    func promptAlone() {
        var policy = RowShares(most: 256)
        #expect(decide([4_096], &policy) == [256])
        #expect(decide([100], &policy) == [100])
        #expect(decide([], &policy) == [])
    }

    @Test("replies all get their rows, and of one client's prompts the one with the fewest tokens left comes first")
    func promptBesideReplies() {
        var policy = RowShares(most: 256)
        #expect(decide([4_096, 1, 6, 20, 1], &policy) == [12, 1, 6, 20, 1])
        #expect(decide([20, 1, 6, 4_096, 1], &policy) == [20, 1, 6, 12, 1])
        #expect(decide([256, 256], &policy, following: [40, 4_000]) == [32, 0])
        #expect(decide([256, 256], &policy, following: [4_000, 40]) == [0, 32])
        #expect(decide([256, 256], &policy, following: [40, 40]) == [32, 0])
    }

    @Test("clients take turns, in steps of their own and beside replies")
    func turns() {
        var policy = RowShares(most: 256)
        // One client has three prompts, another one and a third two.
        let clients = [1, 1, 1, 2, 3, 3]
        let shares = decide(Array(repeating: 256, count: 6), &policy, clients: clients)
        #expect(shares == [96, 0, 0, 80, 80, 0])
        var fresh = RowShares(most: 256)
        #expect(decide([256, 14, 256], &fresh, clients: [1, 2, 3]) == [128, 14, 114])
        // Turns go on where the last step ended.
        var given = [0, 0, 0]
        for _ in 0..<3 {
            let shares = decide([256, 256, 256, 1], &policy, clients: [1, 2, 3, 4])
            #expect(shares.prefix(3).reduce(0, +) == 32)
            for index in 0..<3 { given[index] += shares[index] }
        }
        #expect(given == [32, 32, 32])
    }

    @Test("a client with a long prompt delays the short one of another by no more than its turns")
    func shortBesideLong() {
        var policy = RowShares(most: 256)
        var (long, short, steps) = (4_096, 130, 0)
        while short > 0, steps < 100 {
            let shares = decide([long, short, 1], &policy, clients: [1, 2, 3])
            (long, short, steps) = (long - shares[0], short - shares[1], steps + 1)
        }
        // Of 32 rows it gets a half; the last twelve tokens count as a reply.
        #expect(steps == 9)
    }

    @Test("a prompt that has waited for a second comes before all others, and many of them share")
    func ageing() {
        var policy = RowShares(most: 256)
        let young = decide([30, 4_096, 1], &policy, waited: [0, 0.9, 0])
        #expect(young == [30, 2, 1])
        let old = decide([60, 4_096, 1], &policy, waited: [0, 1, 0])
        #expect(old == [16, 16, 1])
        let many = decide(Array(repeating: 256, count: 100) + [1], &policy, waited: Array(repeating: 1.5, count: 100))
        #expect(many.dropLast() == Array(repeating: 1, count: 32)[...] + Array(repeating: 0, count: 68))
        let alone = decide(Array(repeating: 256, count: 8), &policy, waited: Array(repeating: 3, count: 8))
        #expect(alone.allSatisfy { $0 > 0 })
    }

    @Test("none of many prompts waits for long, whatever comes after it")
    func longestWait() {
        var policy = RowShares(most: 256)
        // A step takes 50 ms. Each comes with 4,000 tokens, but those of one client that come later have fewer.
        var since = Array(repeating: start, count: 24)
        var now = start
        var longest = Duration.zero
        for step in 0..<400 {
            var shares = [1] + since.indices.map { _ in 256 }
            let claims =
                [RowShares.Claim(since: now)]
                + since.enumerated().map { index, since in
                    RowShares.Claim(client: 0, following: 4_000 - index * 100 - step, since: since)
                }
            policy.decide(&shares, claims, now: now)
            now += .milliseconds(50)
            for index in since.indices {
                if shares[index + 1] > 0 { since[index] = now }
                longest = max(longest, since[index].duration(to: now))
            }
        }
        #expect(longest < .seconds(2))
    }

    @Test("while a reply's task chooses its token, prompts get few rows; if it takes long, they get all rows")
    func replyThatStaysAway() {
        var policy = RowShares(most: 256)
        #expect(decide([4_096, 1], &policy) == [32, 1])
        for _ in 1..<RowShares.patience { #expect(decide([4_000], &policy) == [32]) }
        #expect(decide([4_000], &policy) == [256])
        #expect(decide([3_700, 1], &policy) == [32, 1])
    }

    @Test("once steps have been measured, prompts get what keeps a step short")
    func measured() {
        for (perRow, expected) in [(1.0, 45), (0.1, 255), (10.0, 16)] {
            var policy = RowShares(most: 256)
            for rows in [1, 256, 1, 100, 1, 20, 30, 1] {
                policy.note(rows: rows, time: .seconds((4 + perRow * Double(rows)) / 1_000))
            }
            #expect(abs(decide([4_096, 1], &policy)[0] - expected) <= 1)
        }
    }

    @Test("no step exceeds its number of rows, and a request that got none is first later")
    func tooManyReplies() {
        var policy = RowShares(most: 256)
        let shares = decide(Array(repeating: 1, count: 300), &policy)
        #expect(shares == Array(repeating: 1, count: 256) + Array(repeating: 0, count: 44))
        #expect(decide([500] + Array(repeating: 8, count: 40), &policy).reduce(0, +) == 256)
    }

    @Test("a reply beside a long prompt gets a token for every few rows of the prompt")
    func interleaving() {
        var policy = RowShares(most: 256)
        var prompt = 4_096
        var rows: [Int] = []
        // The reply has no row in every second step.
        while prompt > 0, rows.count < 1_000 {
            let shares = decide(rows.count.isMultiple(of: 2) ? [prompt, 1] : [prompt], &policy)
            prompt -= shares[0]
            rows.append(shares[0])
        }
        #expect(prompt == 0)
        #expect(rows.max() == 32)
        #expect(rows.count == 128)
    }
}
