// SPDX-License-Identifier: Apache-2.0

import ParleyServer
import Testing

@Suite("Which model goes")
struct ModelShelfTests {
    private let start = ContinuousClock.now
    private let pinned = ModelPlace("pinned")
    private let a = ModelPlace("a")
    private let b = ModelPlace("b")

    private func shelf() -> ModelShelf {
        var shelf = ModelShelf(keepAlive: .seconds(900))
        for place in [pinned, a, b] {
            shelf.add(place, isPinned: place == pinned, now: start)
            shelf.set(place, .loaded, now: start)
        }
        return shelf
    }

    @Test("The one that has been idle longest goes first, a pinned one never.")
    func oldest() {
        var shelf = shelf()
        shelf.lease(a, now: start + .seconds(1))
        shelf.release(a, now: start + .seconds(2))
        #expect(shelf.leastRecentlyUsed == b)
        shelf.set(b, .unloaded, now: start)
        #expect(shelf.leastRecentlyUsed == a)
        shelf.set(a, .unloaded, now: start)
        #expect(shelf.leastRecentlyUsed == nil)
    }

    @Test("A model with a lease never goes.")
    func leased() {
        var shelf = shelf()
        shelf.lease(a, now: start)
        shelf.lease(a, now: start)
        shelf.lease(b, now: start)
        shelf.release(a, now: start)
        #expect(shelf.leastRecentlyUsed == nil)
        #expect(shelf.expired(now: start + .seconds(9_000)) == [])
        shelf.release(a, now: start + .seconds(5))
        #expect(shelf.leastRecentlyUsed == a)
    }

    @Test("What nobody uses goes after a while, counted from its last reply.")
    func keepAlive() {
        var shelf = shelf()
        shelf.lease(a, now: start)
        shelf.release(a, now: start + .seconds(100))
        #expect(shelf.expired(now: start + .seconds(899)) == [])
        #expect(shelf.expired(now: start + .seconds(900)) == [b])
        #expect(shelf.expired(now: start + .seconds(1_000)) == [a, b])
    }

    @Test("A place in an engine of choice is known as long as it is wanted or in memory, and no longer.")
    func engines() {
        var shelf = shelf()
        let other = ModelPlace("a", in: "other")
        shelf.lease(other, now: start)
        shelf.lease(other, now: start)
        shelf.set(other, .loading, now: start)
        #expect(shelf.isInUse(other) && shelf.isInUse(anywhere: "a") && !shelf.isInUse(a))
        shelf.set(other, .failed, now: start)
        shelf.release(other, now: start)
        #expect(shelf.status(of: other) == .failed, "another waits for it")
        shelf.release(other, now: start)
        #expect(shelf.status(of: other) == nil)
        shelf.lease(other, now: start)
        shelf.set(other, .loaded, now: start)
        shelf.release(other, now: start)
        #expect(shelf.expired(now: start + .seconds(900)) == [a, other, b])
        shelf.set(other, .unloaded, now: start)
        #expect(shelf.status(of: other) == nil && !shelf.isInUse(anywhere: "a"))
        shelf.remove("a")
        #expect(shelf.status(of: a) == nil && shelf.status(of: b) == .loaded)
    }
}
