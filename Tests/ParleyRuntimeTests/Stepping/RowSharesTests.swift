// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import Testing

@Suite("Row shares")
struct RowSharesTests {
    private func decide(_ waiting: [Int], _ policy: inout RowShares) -> [Int] {
        var shares = waiting
        policy.decide(&shares)
        return shares
    }

    @Test("a prompt alone gets all rows of a step")
    func promptAlone() {
        var policy = RowShares(most: 256)
        #expect(decide([4_096], &policy) == [256])
        #expect(decide([100], &policy) == [100])
        #expect(decide([], &policy) == [])
    }

    @Test("replies all get their rows, and prompts share a few rows in order of arrival")
    func promptBesideReplies() {
        var policy = RowShares(most: 256)
        #expect(decide([4_096, 1, 6, 20, 1], &policy) == [32, 1, 6, 0, 1])
        #expect(decide([20, 1, 6, 4_096, 1], &policy) == [20, 1, 6, 12, 1])
    }

    @Test("while a reply's task chooses its token, prompts get few rows; if it takes long, they get all rows")
    func replyThatStaysAway() {
        var policy = RowShares(most: 256)
        #expect(decide([4_096, 1], &policy) == [32, 1])
        for _ in 1..<RowShares.patience { #expect(decide([4_000], &policy) == [32]) }
        #expect(decide([4_000], &policy) == [256])
        #expect(decide([3_700, 1], &policy) == [32, 1])
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
