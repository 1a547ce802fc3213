// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyLocal
import ParleyRuntime
import ParleyTokenizer
import Testing

@Suite("Rules of timelines")
struct TimelineTableTests {
    private let anna = ConversationID()
    private let ben = ConversationID()
    private let carl = ConversationID()

    /// `common` tokens that all have, and some that only those with the same number have.
    private func input(_ common: Int, own: Int = 0, _ number: Int32 = 0) -> ModelInput {
        ModelInput((0..<common).map { TokenID($0 % 50) } + Array(repeating: 100 + number, count: own))
    }

    private func demand(
        _ owner: ConversationID, _ prompt: ModelInput, scope: String = "", mayWait: Bool = true
    ) -> TimelineTable.Demand {
        TimelineTable.Demand(owner: owner, scope: scope, prompt: prompt, mayWait: mayWait)
    }

    @Test("A conversation gets its own timeline again, also if another holds as much")
    func own() {
        var table = TimelineTable(limit: 4, shares: true)
        #expect(table.choose(demand(anna, input(200))) == .use(.init(0, isNew: true)))
        #expect(table.end(0, holding: input(210)).isEmpty)
        #expect(table.choose(demand(ben, input(200))) == .use(.init(1, isNew: true, donor: 0)))
        #expect(table.end(1, holding: input(210)).isEmpty)
        #expect(table.choose(demand(anna, input(205, own: 9))) == .use(.init(0)))
        #expect(table.choose(demand(ben, input(208, own: 9))) == .use(.init(1)))
    }

    @Test("What another holds more of is copied into the conversation's own timeline")
    func copiesIntoOwn() {
        var table = TimelineTable(limit: 4, shares: true)
        _ = table.choose(demand(anna, input(20, own: 30)))
        _ = table.end(0, holding: input(20, own: 30))
        _ = table.choose(demand(ben, input(300, own: 1)))
        _ = table.end(1, holding: input(300, own: 10, 1))
        #expect(table.choose(demand(anna, input(290, own: 9, 2))) == .use(.init(0, donor: 1)))
    }

    @Test("A prompt that has 128 tokens in common with one that is being read waits for these")
    func waits() {
        var table = TimelineTable(limit: 4, shares: true)
        _ = table.choose(demand(anna, input(500, own: 500)))
        #expect(table.choose(demand(ben, input(127, own: 50, 1))) == .use(.init(1, isNew: true)))
        #expect(table.choose(demand(carl, input(500, own: 50, 2))) == .wait(for: 0, until: 500))
        table.advance(0, to: 256)
        #expect(table.choose(demand(carl, input(500, own: 50, 2))) == .wait(for: 0, until: 500))
        // What is left is less than it takes to wait, so that the rest is read beside the other.
        table.advance(0, to: 373)
        #expect(table.choose(demand(carl, input(500, own: 50, 2))) == .use(.init(2, isNew: true, donor: 0)))
        #expect(table.progress(of: 2) == 0)
    }

    @Test("Nothing waits for what can be copied at once, past its deadline, or for what cannot be copied")
    func doesNotWait() {
        var table = TimelineTable(limit: 4, shares: true)
        _ = table.choose(demand(carl, input(480)))
        _ = table.end(0, holding: input(480))
        _ = table.choose(demand(anna, input(500, own: 500)))
        #expect(table.choose(demand(ben, input(500, own: 1, 1))) == .use(.init(2, isNew: true, donor: 0)))
        var other = TimelineTable(limit: 4, shares: true)
        _ = other.choose(demand(anna, input(500, own: 500)))
        #expect(other.choose(demand(ben, input(500), mayWait: false)) == .use(.init(1, isNew: true)))
        var unable = TimelineTable(limit: 4, shares: false)
        _ = unable.choose(demand(anna, input(500, own: 500)))
        #expect(unable.choose(demand(ben, input(500))) == .use(.init(1, isNew: true)))
        _ = unable.end(0, holding: input(500))
        #expect(unable.choose(demand(carl, input(500))) == .use(.init(2, isNew: true)))
    }

    @Test("When all are in use for others, the one of which the least is lost is taken over, else the longest unused")
    func takesOver() {
        var table = TimelineTable(limit: 3, shares: true)
        let owners = [anna, ben, carl]
        let held = [input(10, own: 400, 1), input(200, own: 100, 2), input(200, own: 50, 3)]
        for (owner, held) in zip(owners, held) { _ = table.choose(demand(owner, held, mayWait: false)) }
        for (number, held) in held.enumerated() { _ = table.end(number, holding: held) }
        var copy = table
        // Of the third 50 positions are lost, of the second 100.
        #expect(copy.choose(demand(ConversationID(), input(220))) == .use(.init(2, formerOwner: carl)))
        copy = table
        // Nothing of use: the longest unused.
        #expect(copy.choose(demand(ConversationID(), input(0, own: 9, 7))) == .use(.init(0, formerOwner: anna)))
        copy = table
        // Most would be lost, so that it is copied into the longest unused.
        #expect(copy.choose(demand(ConversationID(), input(20))) == .use(.init(0, formerOwner: anna, donor: 1)))
        // Beyond the limit only if none is idle.
        for _ in 0..<2 { _ = copy.choose(demand(ConversationID(), input(0, own: 9, 8), mayWait: false)) }
        #expect(copy.choose(demand(ben, input(5, own: 2, 9))) == .use(.init(3, isNew: true)))
    }

    @Test("What was read in another scope is neither copied, nor waited for, nor used again")
    func scopes() {
        var table = TimelineTable(limit: 2, shares: true)
        _ = table.choose(demand(anna, input(500), scope: "a"))
        #expect(table.choose(demand(ben, input(500), scope: "b")) == .use(.init(1, isNew: true)))
        _ = table.end(0, holding: input(500))
        _ = table.end(1, holding: input(500))
        var unable = TimelineTable(limit: 1, shares: false)
        _ = unable.choose(demand(anna, input(500), scope: "a"))
        _ = unable.end(0, holding: input(500))
        let taken = TimelineTable.Choice.use(.init(0, formerOwner: anna, forgets: true))
        #expect(table.choose(demand(carl, input(500), scope: "c")) == taken)
        #expect(unable.choose(demand(carl, input(500), scope: "c")) == taken)
        #expect(table.choose(demand(anna, input(500), scope: "b")) == .use(.init(1, formerOwner: ben)))
    }

    @Test("At the end of a generation the earlier timeline of its conversation goes, and the longest unused ones")
    func ends() {
        var table = TimelineTable(limit: 2, shares: true)
        for number in 0..<4 {
            let owner = [anna, ben, carl, anna][number]
            #expect(table.choose(demand(owner, input(0, own: 20, Int32(number)))) == .use(.init(number, isNew: true)))
        }
        #expect(table.idleCount == 0)
        #expect(table.end(0, holding: input(3)).isEmpty)
        #expect(table.end(1, holding: input(3)).isEmpty)
        #expect(table.end(3, holding: input(3)).map(\.timeline) == [0])
        #expect(table.end(2, holding: input(3)).map(\.timeline) == [1])
        #expect(table.idleCount == 2)
        #expect(table.removeIdle(of: carl).map(\.timeline) == [2])
        #expect(table.removeIdle().map(\.owner) == [anna])
        #expect(table.idleCount == 0)
    }

    @Test("A timeline that could not be made is replaced by the longest unused idle one, if there is one")
    func replaces() {
        var table = TimelineTable(limit: 3, shares: true)
        for (number, owner) in [anna, ben].enumerated() {
            _ = table.choose(demand(owner, input(0, own: 20, Int32(number))))
        }
        _ = table.end(1, holding: input(3))
        _ = table.choose(demand(carl, input(9)))
        #expect(table.replace(2, for: demand(carl, input(9))) == .init(1, formerOwner: ben))
        #expect(table.replace(1, for: demand(carl, input(9))) == nil)
        #expect(table.progress(of: 0) == 0)
    }
}
