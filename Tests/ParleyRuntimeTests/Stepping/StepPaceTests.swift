// SPDX-License-Identifier: Apache-2.0

import ParleyRuntime
import Testing

@Suite("Pace of steps")
struct StepPaceTests {
    /// A pace after steps that take some milliseconds and some for each row.
    private func pace(fixed: Double, perRow: Double, rows: [Int] = [1, 64, 2, 16, 8, 32]) -> StepPace {
        var pace = StepPace()
        for count in Array(repeating: rows, count: 8).joined() {
            pace.note(rows: count, time: .seconds((fixed + perRow * Double(count)) / 1_000))
        }
        return pace
    }

    @Test("prompts get the rows that keep a step below 50 ms, from 16 to all")
    func rows() {
        #expect(StepPace().promptRows(besides: 4, most: 256) == StepPace.unmeasured)
        #expect(abs(pace(fixed: 4, perRow: 0.5).promptRows(besides: 8, most: 256) - 84) <= 1)
        #expect(pace(fixed: 1, perRow: 0.01).promptRows(besides: 8, most: 256) == 256)
        #expect(pace(fixed: 4, perRow: 5).promptRows(besides: 8, most: 256) == 16)
        #expect(pace(fixed: 4, perRow: 5).promptRows(besides: 8, most: 12) == 12)
    }

    @Test("where replies alone take more than half of that, a step with prompts may take twice as long as they")
    func slow() {
        // A large model: 200 ms for its weights, 5 for a row.
        #expect(abs(pace(fixed: 200, perRow: 5).promptRows(besides: 4, most: 256) - 44) <= 1)
    }

    @Test("steps that all have the same rows leave the price of a row unknown, and are no reason for more than few")
    func sameRows() {
        var pace = StepPace()
        for _ in 0..<100 { pace.note(rows: 8, time: .milliseconds(8)) }
        #expect(pace.cost(replies: 8) == nil)
        #expect(abs(pace.promptRows(besides: 8, most: 256) - 42) <= 1)
    }

    @Test("the pace follows changes, and a step that was interrupted matters little")
    func changes() {
        var pace = pace(fixed: 4, perRow: 0.5)
        pace.note(rows: 8, time: .seconds(30))
        #expect(pace.promptRows(besides: 8, most: 256) > 48)
        for rows in Array(repeating: [1, 64, 2, 16, 8, 32], count: 30).joined() {
            pace.note(rows: rows, time: .seconds((4 + 2 * Double(rows)) / 1_000))
        }
        #expect(abs(pace.promptRows(besides: 1, most: 256) - 22) <= 2)
    }

    @Test("a guess costs more the more replies share a step, and as much as a token where rows take all the time")
    func cost() throws {
        let pace = pace(fixed: 4, perRow: 0.5)
        let costs = try [1, 4, 16, 64].map { try #require(pace.cost(replies: $0)) }
        for (cost, expected) in zip(costs, [0.111, 0.333, 0.667, 0.889]) { #expect(abs(cost - expected) < 0.02) }
        #expect(try #require(self.pace(fixed: 0, perRow: 1).cost(replies: 4)) > 0.95)
        #expect(StepPace().cost(replies: 1) == nil)
    }
}
