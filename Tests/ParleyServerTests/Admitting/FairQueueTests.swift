// SPDX-License-Identifier: Apache-2.0

import ParleyServer
import Testing

import struct ParleyRuntime.SplitMix64

@Suite("Who is next")
struct FairQueueTests {
    @Test("A further reply joins only where there is room that nobody waits for.")
    func joining() {
        var queue = FairQueue(parallel: 2, capacity: 9, patience: .seconds(1))
        let now = ContinuousClock.now
        let first = queue.arrive(1, of: "a", cost: 1, now: now)
        #expect(first == .runs)
        let joined = queue.join(2)
        #expect(joined)
        let third = queue.join(3)
        #expect(!third)
        let other = queue.arrive(4, of: "b", cost: 1, now: now)
        #expect(other == .waits)
        let started = queue.leave(2)
        #expect(started == [4])
        let whileItRuns = queue.join(5)
        #expect(!whileItRuns)
        let rest = queue.leave(4)
        #expect(rest.isEmpty)
        let again = queue.join(6)
        #expect(again)
    }

    @Test("Nobody ever waits while there is room, whatever comes, joins, goes and is given up.")
    func roomIsUsed() {
        var generator = SplitMix64(seed: 7)
        for _ in 0..<200 {
            let parallel = Int.random(in: 1...4, using: &generator)
            var queue = FairQueue(parallel: parallel, capacity: 6, patience: .seconds(5), quantum: 50)
            var known: [Int] = []
            for ticket in 0..<100 {
                let now = start + .seconds(ticket / 4)
                switch Int.random(in: 0..<10, using: &generator) {
                case 0..<4:
                    let client = "\(Int.random(in: 0..<3, using: &generator))"
                    let cost = Int.random(in: -1...400, using: &generator)
                    let hadRoom = queue.running.count < parallel
                    let arrival = queue.arrive(ticket, of: client, cost: cost, now: now)
                    #expect((arrival == .runs) == hadRoom)
                    known.append(ticket)
                case 4..<6:
                    let hadRoom = queue.running.count < parallel
                    let joined = queue.join(ticket)
                    #expect(joined == hadRoom)
                    if joined { known.append(ticket) }
                case 6: _ = queue.expire(now: now)
                default:
                    guard let index = known.indices.randomElement(using: &generator) else { continue }
                    _ = queue.leave(known.remove(at: index))
                }
                #expect(queue.running.count <= parallel)
                #expect(queue.running.count == parallel || queue.waitingCount == 0)
            }
        }
    }

    private let start = ContinuousClock.now

    private func queue(parallel: Int = 1, capacity: Int = 8) -> FairQueue {
        FairQueue(parallel: parallel, capacity: capacity, patience: .seconds(120), quantum: 100)
    }

    @Test("As many requests run as may, the next ones wait, and those beyond the queue are refused.")
    func limits() {
        var queue = queue(parallel: 2, capacity: 1)
        let arrivals = (1...4).map { queue.arrive($0, of: "a", cost: 1, now: start) }
        #expect(arrivals == [.runs, .runs, .waits, .refused])
        #expect(queue.leave(1) == [3])
        #expect(queue.running == [2, 3])
        #expect(queue.waitingCount == 0)
    }

    @Test("Within a client requests run in the order in which they came.")
    func order() {
        var queue = queue()
        for ticket in 1...4 { _ = queue.arrive(ticket, of: "a", cost: 1_000, now: start) }
        #expect(queue.leave(1) == [2])
        #expect(queue.leave(2) == [3])
        #expect(queue.leave(3) == [4])
        #expect(queue.leave(4) == [])
    }

    @Test("A client with many requests delays another client by no more than a turn.")
    func turns() {
        var queue = queue()
        for ticket in 1...6 { _ = queue.arrive(ticket, of: "many", cost: 100, now: start) }
        _ = queue.arrive(7, of: "one", cost: 100, now: start)
        var order: [Int] = []
        var running = 1
        while let next = queue.leave(running).first {
            order.append(next)
            running = next
        }
        #expect(Set(order) == [2, 3, 4, 5, 6, 7])
        #expect((order.firstIndex(of: 7) ?? 9) <= 1)
    }

    @Test("Turns are of tokens: beside a client with long requests one with short ones has several a turn.")
    func deficit() {
        var queue = queue(capacity: 100)
        _ = queue.arrive(0, of: "x", cost: 1, now: start)
        for ticket in 1...4 { _ = queue.arrive(ticket, of: "long", cost: 400, now: start) }
        for ticket in 11...26 { _ = queue.arrive(ticket, of: "short", cost: 100, now: start) }
        var order: [Int] = []
        var running = 0
        while order.count < 10, let next = queue.leave(running).first {
            order.append(next)
            running = next
        }
        #expect(order.count { $0 < 10 } == 2)
    }

    @Test("Rounds are counted and not gone through, however many there are.", .timeLimit(.minutes(15)))
    func rounds() {
        var queue = FairQueue(parallel: 1, capacity: 8, patience: .seconds(120), quantum: 1)
        _ = queue.arrive(0, of: "x", cost: 1, now: start)
        _ = queue.arrive(1, of: "a", cost: 1 << 30, now: start)
        _ = queue.arrive(2, of: "b", cost: (1 << 30) - 1, now: start)
        #expect(queue.leave(0) == [2])
        #expect(queue.leave(2) == [1])
    }

    @Test("A request that is not wanted any more makes room in the queue and is never run.")
    func withdrawal() {
        var queue = queue(capacity: 1)
        _ = queue.arrive(1, of: "a", cost: 1, now: start)
        _ = queue.arrive(2, of: "b", cost: 1, now: start)
        #expect(queue.leave(2) == [])
        #expect(queue.arrive(3, of: "c", cost: 1, now: start) == .waits)
        #expect(queue.leave(1) == [3])
    }

    @Test("Requests that have waited for too long are removed, those that run are not.")
    func patience() {
        var queue = queue()
        _ = queue.arrive(1, of: "a", cost: 1, now: start)
        _ = queue.arrive(2, of: "a", cost: 1, now: start)
        _ = queue.arrive(3, of: "a", cost: 1, now: start + .seconds(60))
        #expect(queue.expire(now: start + .seconds(119)) == [])
        #expect(queue.longestWait(now: start + .seconds(119)) == .seconds(119))
        #expect(queue.expire(now: start + .seconds(120)) == [2])
        #expect(queue.running == [1])
        #expect(queue.leave(1) == [3])
    }
}
