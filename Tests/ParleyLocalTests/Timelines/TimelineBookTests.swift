// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyLocal
import ParleyRuntime
import ParleyTokenizer
import Testing

@Suite("Book of timelines")
struct TimelineBookTests {
    private func demand(_ tokens: [TokenID]) -> TimelineTable.Demand {
        TimelineTable.Demand(owner: ConversationID(), scope: "", prompt: ModelInput(tokens))
    }

    @Test("Who comes to wait for a reader instead of for memory holds up none of those who wait for memory")
    func waitsForReader() {
        var book = TimelineBook(table: TimelineTable(limit: 8, shares: true), ledger: CacheLedger(limit: 1_000))
        let shared = Array(repeating: TokenID(1), count: 300)
        // An idle timeline has what two prompts begin with. One of them is about to copy that.
        _ = book.step(demand(shared), 320, 1)
        book.ledger.rest(0, keeping: 300)
        _ = book.table.end(0, holding: ModelInput(shared))
        _ = book.step(demand(shared + [2]), 420, 2)
        #expect(book.table.progress(of: 1) == 0)
        // For the other there is no memory,
        guard case .wait(.memory) = book.step(demand(shared + [3]), 613, 3) else {
            Issue.record("it did not wait for memory")
            return
        }
        #expect(book.ledger.place(age: 4) == 2)
        // and when the idle one is gone, it waits for the first.
        _ = book.table.remove([0])
        book.ledger.remove(0)
        guard case .wait(.reader(timeline: 1, count: 300)) = book.step(demand(shared + [3]), 613, 3) else {
            Issue.record("it did not wait for the reader")
            return
        }
        #expect(book.ledger.place(age: 4) == 1)
        guard case .use = book.step(demand([7]), 20, 4) else {
            Issue.record("a short prompt was held up")
            return
        }
    }

    @Test("Who lacks memory for a timeline waits for one that is just being made, and who makes that one does not")
    func waitsForOneBeingMade() {
        var book = TimelineBook(table: TimelineTable(limit: 8, shares: true), ledger: CacheLedger(limit: nil))
        guard case .use(let first, _, _) = book.step(demand([1]), 20, 1),
            case .use(let second, _, _) = book.step(demand([2]), 20, 2)
        else {
            Issue.record("there is no limit to wait for")
            return
        }
        guard case (.none, .memory?) = book.replace(second, for: demand([2]), 2, mayWait: true) else {
            Issue.record("it did not wait for the first")
            return
        }
        guard case (.none, .none) = book.replace(first, for: demand([1]), 1, mayWait: true) else {
            Issue.record("the two wait for each other")
            return
        }
    }
}
