// SPDX-License-Identifier: Apache-2.0

import ParleyServer
import Testing

@Suite("Which model goes")
struct ModelShelfTests {
    private let start = ContinuousClock.now

    private func shelf() -> ModelShelf {
        var shelf = ModelShelf(keepAlive: .seconds(900))
        for (id, isPinned) in [("pinned", true), ("a", false), ("b", false)] {
            shelf.add(id, isPinned: isPinned, now: start)
            shelf.set(id, .loaded, now: start)
        }
        return shelf
    }

    @Test("The one that has been idle longest goes first, a pinned one never.")
    func oldest() {
        var shelf = shelf()
        shelf.lease("a", now: start + .seconds(1))
        shelf.release("a", now: start + .seconds(2))
        #expect(shelf.leastRecentlyUsed == "b")
        shelf.set("b", .unloaded, now: start)
        #expect(shelf.leastRecentlyUsed == "a")
        shelf.set("a", .unloaded, now: start)
        #expect(shelf.leastRecentlyUsed == nil)
    }

    @Test("A model with a lease never goes.")
    func leased() {
        var shelf = shelf()
        shelf.lease("a", now: start)
        shelf.lease("a", now: start)
        shelf.lease("b", now: start)
        shelf.release("a", now: start)
        #expect(shelf.leastRecentlyUsed == nil)
        #expect(shelf.expired(now: start + .seconds(9_000)) == [])
        shelf.release("a", now: start + .seconds(5))
        #expect(shelf.leastRecentlyUsed == "a")
    }

    @Test("What nobody uses goes after a while, counted from its last reply.")
    func keepAlive() {
        var shelf = shelf()
        shelf.lease("a", now: start)
        shelf.release("a", now: start + .seconds(100))
        #expect(shelf.expired(now: start + .seconds(899)) == [])
        #expect(shelf.expired(now: start + .seconds(900)) == ["b"])
        #expect(shelf.expired(now: start + .seconds(1_000)) == ["a", "b"])
    }
}
