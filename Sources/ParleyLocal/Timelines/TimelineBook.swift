// SPDX-License-Identifier: Apache-2.0

package import ParleyConversation
package import ParleyRuntime

/// What a ``TimelinePool`` knows: its timelines and who uses them, the generations that wait, the table and the ledger. It
/// puts the rules of these two together, and decides; what follows is done by the pool.
package struct TimelineBook: Sendable {
    /// A timeline that the pool no longer has, and the conversation to which it belonged.
    package typealias Freed = (any TokenTimeline, ConversationID)

    /// What a generation waits for.
    package enum Reason: Sendable {
        /// That a timeline has read so many positions of its prompt, or is no longer in use.
        case reader(timeline: Int, count: Int)
        /// That positions have been given back once more than so often.
        case memory(releases: Int)
    }

    struct Waiter {
        var reason: Reason
        var continuation: CheckedContinuation<Void, any Error>
    }

    /// What follows from a look at the table and the ledger.
    package enum Step: Sendable {
        case use(TimelineTable.Grant, donor: (any TokenTimeline)?, freed: [Freed])
        case wait(Reason)
        case refuse
    }

    /// Who has which timeline.
    package var table: TimelineTable
    /// What they have reserved.
    package var ledger: CacheLedger
    /// All timelines that exist, by their number in the table.
    var timelines: [Int: any TokenTimeline] = [:]
    /// Those that are in use.
    var leases: [Int: TimelineLease] = [:]
    var waiters: [Int: Waiter] = [:]
    /// How often a generation has begun to wait.
    private var waits = 0
    /// How many generations have asked for a timeline.
    private var asked = 0
    /// How often positions have been given back.
    var releases = 0

    /// Creates the book of a pool without timelines.
    package init(table: TimelineTable, ledger: CacheLedger) { (self.table, self.ledger) = (table, ledger) }

    /// Removes timelines that the table no longer has.
    mutating func take(_ rows: [TimelineTable.Freed]) -> [Freed] {
        rows.compactMap { number, owner in
            ledger.remove(number)
            return timelines.removeValue(forKey: number).map { ($0, owner) }
        }
    }

    // MARK: Choosing

    /// A generation asks for the first time.
    ///
    /// - Returns: its age: the place among all, in the order in which they asked.
    mutating func ask() -> Int {
        asked += 1
        return asked
    }

    /// Chooses a timeline for a generation, and reserves its positions.
    package mutating func step(_ demand: TimelineTable.Demand, _ count: Int, _ age: Int) -> Step {
        var table = table
        switch table.choose(demand) {
        case .wait(let timeline, let count):
            // It may have waited for memory before. Younger ones do not wait for it while it waits for a reader, which
            // may be one of them that was set back.
            if ledger.isWaiting(age: age) {
                ledger.withdraw(age: age)
                releases += 1
            }
            return .wait(.reader(timeline: timeline, count: count))
        case .use(let grant):
            switch ledger.admit(grant.timeline, count: count, age: age, sparing: grant.donor) {
            case .granted(let freeing):
                // It may be freed with the others; then it is copied from all the same, and freed afterwards.
                let donor = grant.donor.flatMap { timelines[$0] }
                if let number = grant.donor { ledger.touch(number) }
                self.table = table
                return .use(grant, donor: donor, freed: take(self.table.remove(freeing)))
            case .refused: return .refuse
            default: return .wait(.memory(releases: releases))
            }
        }
    }

    /// Finds another timeline for a generation whose own could not be made: an idle one, else the next that is not in use
    /// any more, if it may wait for that.
    package mutating func replace(
        _ grant: TimelineTable.Grant, for demand: TimelineTable.Demand, _ age: Int, mayWait: Bool
    ) -> ((any TokenTimeline, TimelineTable.Grant)?, Reason?) {
        let other = table.replace(grant.timeline, for: demand)
        releases += 1
        if other == nil, mayWait, table.isInUse {
            ledger.leave(grant.timeline, age: age)
            return (nil, .memory(releases: releases))
        }
        ledger.move(grant.timeline, to: other?.timeline)
        return (other.flatMap { other in timelines[other.timeline].map { ($0, other) } }, nil)
    }

    /// A generation has ended.
    ///
    /// - Returns: the timelines that are no longer kept.
    mutating func end(_ lease: TimelineLease, holding contents: ModelInput) -> [Freed] {
        leases[lease.number] = nil
        ledger.withdraw(age: lease.age)
        ledger.rest(lease.number, keeping: contents.count)
        releases += 1
        return take(table.end(lease.number, holding: contents))
    }

    // MARK: Waiting

    /// The number of the next wait.
    mutating func wait() -> Int {
        waits += 1
        return waits
    }

    /// Lets a generation wait, unless what it waits for is there.
    ///
    /// - Returns: whether it waits.
    mutating func wait(
        _ number: Int, for reason: Reason, with continuation: CheckedContinuation<Void, any Error>
    ) -> Bool {
        if isOver(reason) { return false }
        waiters[number] = Waiter(reason: reason, continuation: continuation)
        return true
    }

    /// Removes those whose wait is over, in the order in which they began to wait.
    mutating func takeWoken() -> [CheckedContinuation<Void, any Error>] {
        let woken = waiters.filter { isOver($0.value.reason) }
        for number in woken.keys { waiters[number] = nil }
        return woken.sorted { $0.key < $1.key }.map(\.value.continuation)
    }

    private func isOver(_ reason: Reason) -> Bool {
        switch reason {
        case .reader(let timeline, let count): (table.progress(of: timeline) ?? .max) >= count
        case .memory(let seen): releases > seen
        }
    }

    // MARK: More room

    /// Reserves more positions for a reply.
    ///
    /// - Returns: the ledger's answer, the timelines that are freed, and how often positions have been given back.
    mutating func extend(_ lease: TimelineLease, to count: Int) -> (CacheLedger.Answer, [Freed], releases: Int) {
        guard !ledger.mustLeave(lease.number) else { return (.setsBack(lease.number), [], releases) }
        let answer = ledger.extend(lease.number, to: count)
        var freed: [Freed] = []
        switch answer {
        case .granted(let freeing): freed = take(table.remove(freeing))
        case .setsBack(let other) where other != lease.number:
            leases[other]?.interrupt()
            // It may be waiting for memory itself.
            releases += 1
        default: break
        }
        return (answer, freed, releases)
    }

    /// A reply has given back what it had.
    mutating func setBack(_ lease: TimelineLease) {
        ledger.leave(lease.number, age: lease.age)
        table.restart(lease.number, with: [])
        releases += 1
    }

    /// Reserves positions for a reply that was set back.
    mutating func readmit(_ lease: TimelineLease, _ count: Int, reading input: ModelInput) -> Step {
        switch ledger.admit(lease.number, count: count, age: lease.age) {
        case .granted(let freeing):
            let donor = table.restart(lease.number, with: input).flatMap { timelines[$0] }
            return .use(TimelineTable.Grant(lease.number), donor: donor, freed: take(table.remove(freeing)))
        case .refused: return .refuse
        default: return .wait(.memory(releases: releases))
        }
    }
}
