// SPDX-License-Identifier: Apache-2.0

package import ParleyConversation
package import ParleyRuntime

/// The rules by which generations get timelines: whose they take, from which they copy, and for which they wait.
///
/// A generation takes its conversation's own timeline, else a new one while there are fewer than the limit, else an
/// idle one. Whatever timeline of the same scope holds more of its prompt is copied from. If one that is being read will
/// soon hold much more, the generation waits for that, so that what several prompts have in common is read once.
package struct TimelineTable: Sendable {
    /// What a generation needs.
    package struct Demand: Sendable {
        package var owner: ConversationID
        /// Only timelines of the same scope are copied from, and only what was read in it is used again.
        package var scope: String
        package var prompt: ModelInput
        /// Whether it may wait for another prompt to be read.
        package var mayWait: Bool

        package init(owner: ConversationID, scope: String, prompt: ModelInput, mayWait: Bool = true) {
            (self.owner, self.scope, self.prompt, self.mayWait) = (owner, scope, prompt, mayWait)
        }
    }

    /// A timeline for a generation.
    package struct Grant: Sendable, Hashable {
        package var timeline: Int
        /// Whether it has yet to be made.
        package var isNew: Bool
        /// The conversation that it has been taken from.
        package var formerOwner: ConversationID?
        /// Whether what it holds must be forgotten, because it was read in another scope.
        package var forgets: Bool
        /// The timeline to copy from.
        package var donor: Int?

        package init(
            _ timeline: Int, isNew: Bool = false, formerOwner: ConversationID? = nil, forgets: Bool = false,
            donor: Int? = nil
        ) {
            (self.timeline, self.isNew, self.formerOwner) = (timeline, isNew, formerOwner)
            (self.forgets, self.donor) = (forgets, donor)
        }
    }

    /// What a generation does next.
    package enum Choice: Sendable, Hashable {
        case use(Grant)
        /// To wait until a timeline has read that many positions, or is no longer in use, and then to ask again.
        case wait(for: Int, until: Int)
    }

    /// A timeline that is no longer in the table, and the conversation to which it belonged.
    package typealias Freed = (timeline: Int, owner: ConversationID)

    private struct Row {
        var owner: ConversationID
        var scope: String
        /// What it holds; while it is in use, the prompt of the generation.
        var contents: ModelInput
        /// How many positions of the prompt have been read; nil while the timeline is idle.
        var read: Int?
        /// Larger for those that were used later.
        var lastUse: Int

        /// How many positions can be copied now.
        var available: Int { read ?? contents.count }
    }

    /// The fewest positions for which a generation waits instead of reading them itself.
    package static let worthWaiting = 128

    private let limit: Int
    private let shares: Bool
    private var rows: [Int: Row] = [:]
    private var made = 0
    private var uses = 0

    /// - Parameters:
    ///   - limit: the number of timelines to keep; more are made only for generations that run at the same time.
    ///   - shares: whether timelines can copy from each other.
    package init(limit: Int, shares: Bool) {
        (self.limit, self.shares) = (max(limit, 1), shares)
    }

    /// The number of timelines that are not in use.
    package var idleCount: Int { rows.values.count { $0.read == nil } }

    /// Whether a timeline is in use, or is being made for somebody.
    var isInUse: Bool { rows.values.contains { $0.read != nil } }

    /// The number of positions in the timelines that are not in use.
    package var idleTokens: Int { rows.values.reduce(0) { $1.read == nil ? $0 + $1.contents.count : $0 } }

    /// Chooses a timeline for a generation; one that is chosen is in use until ``end(_:holding:)``.
    package mutating func choose(_ demand: Demand) -> Choice {
        let last = demand.prompt.count - 1
        var common: [Int: Int] = [:]
        for (number, row) in rows where row.scope == demand.scope {
            common[number] = min(row.contents.commonPrefix(with: demand.prompt), last)
        }
        func available(_ number: Int) -> Int { min(common[number] ?? 0, rows[number]?.available ?? 0) }
        let idle = rows.filter { $0.value.read == nil }.keys.sorted { use($0) < use($1) }
        let own = idle.last { rows[$0]?.owner == demand.owner && rows[$0]?.scope == demand.scope }
        guard shares else {
            return .use(grant(own ?? (rows.count < limit ? nil : idle.first), donor: nil, for: demand))
        }
        let now = rows.keys.map(available).max() ?? 0
        let awaited = rows.keys.max { (common[$0] ?? 0, available($0), $1) < (common[$1] ?? 0, available($1), $0) }
        if demand.mayWait, let awaited, let soon = common[awaited], soon - now >= Self.worthWaiting {
            return .wait(for: awaited, until: soon)
        }
        let target = own ?? (rows.count < limit ? nil : leastWasted(idle, common) ?? idle.first)
        let held = target.map(available) ?? 0
        let donor = rows.keys.filter { $0 != target }.max { (available($0), $1) < (available($1), $0) }
        return .use(grant(target, donor: donor.flatMap { available($0) > held ? $0 : nil }, for: demand))
    }

    /// The idle timeline of which the least is lost to the prompt, if at least half of one is of use to it; the longest
    /// unused one of several.
    private func leastWasted(_ idle: [Int], _ common: [Int: Int]) -> Int? {
        func waste(_ number: Int) -> Int { (rows[number]?.contents.count ?? 0) - (common[number] ?? 0) }
        return idle.filter { waste($0) <= common[$0] ?? 0 && common[$0] ?? 0 > 0 }.min { waste($0) < waste($1) }
    }

    private func use(_ number: Int) -> Int { rows[number]?.lastUse ?? 0 }

    private mutating func grant(_ target: Int?, donor: Int?, for demand: Demand) -> Grant {
        uses += 1
        // What is copied from has been of use, and is kept longer.
        if let donor { rows[donor]?.lastUse = uses }
        let number = target ?? made
        if target == nil { made += 1 }
        let former = rows[number]
        rows[number] = Row(
            owner: demand.owner, scope: demand.scope, contents: demand.prompt, read: 0, lastUse: uses)
        return Grant(
            number, isNew: former == nil, formerOwner: former.flatMap { $0.owner == demand.owner ? nil : $0.owner },
            forgets: former.map { $0.scope != demand.scope } ?? false, donor: donor)
    }

    /// Records how many positions of its prompt a timeline in use has read.
    package mutating func advance(_ number: Int, to count: Int) {
        guard let read = rows[number]?.read else { return }
        rows[number]?.read = max(read, count)
    }

    /// How many positions of its prompt a timeline in use has read; nil if it is not in use.
    package func progress(of number: Int) -> Int? { rows[number]?.read }

    /// Records that a generation has ended, and what its timeline holds.
    ///
    /// - Returns: the timelines that are no longer kept, with their owners: an earlier one of the conversation, and those
    ///   beyond the limit, the longest unused first.
    package mutating func end(_ number: Int, holding contents: ModelInput) -> [Freed] {
        guard let row = rows[number] else { return [] }
        uses += 1
        rows[number]?.contents = contents
        rows[number]?.read = nil
        rows[number]?.lastUse = uses
        let idle = rows.filter { $0.value.read == nil }.keys.sorted { use($0) < use($1) }
        var dropped = idle.filter { $0 != number && rows[$0]?.owner == row.owner && rows[$0]?.scope == row.scope }
        let rest = idle.filter { !dropped.contains($0) }
        dropped += rest.prefix(max(rest.count - limit, 0))
        return drop(dropped)
    }

    /// Takes an idle timeline for a generation whose own could not be made, the longest unused one.
    ///
    /// - Returns: the timeline; nil if none is idle.
    package mutating func replace(_ number: Int, for demand: Demand) -> Grant? {
        rows[number] = nil
        guard let idle = rows.filter({ $0.value.read == nil }).keys.min(by: { use($0) < use($1) }) else { return nil }
        return grant(idle, donor: nil, for: demand)
    }

    /// Records that a generation begins again with another input, because what it held was given back.
    ///
    /// - Returns: the timeline to copy from; nil if none has any of the input.
    @discardableResult
    package mutating func restart(_ number: Int, with input: ModelInput) -> Int? {
        guard let scope = rows[number]?.scope else { return nil }
        rows[number]?.contents = input
        rows[number]?.read = 0
        guard shares else { return nil }
        let common = rows.filter { $0.key != number && $0.value.scope == scope }
            .mapValues { min($0.contents.commonPrefix(with: input), $0.available) }
        let best = common.max { ($0.value, $1.key) < ($1.value, $0.key) }
        return best.flatMap { $0.value > 0 ? $0.key : nil }
    }

    /// Forgets timelines.
    package mutating func remove(_ numbers: [Int]) -> [Freed] { drop(numbers) }

    /// Forgets the idle timelines of a conversation, or all of them.
    ///
    /// - Returns: the timelines, with their owners.
    package mutating func removeIdle(of owner: ConversationID? = nil) -> [Freed] {
        drop(rows.filter { $0.value.read == nil && (owner == nil || $0.value.owner == owner) }.keys.sorted())
    }

    private mutating func drop(_ numbers: [Int]) -> [Freed] {
        numbers.compactMap { number in rows.removeValue(forKey: number).map { (number, $0.owner) } }
    }
}
