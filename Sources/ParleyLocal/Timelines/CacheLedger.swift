// SPDX-License-Identifier: Apache-2.0

/// The positions that the timelines of a model have reserved in the memory for keys and values, and the rules by which
/// a generation gets more.
///
/// A generation reserves its prompt and what it may write at most, or a part of that. Lacking positions come first from
/// idle timelines, the longest unused first. If that is not enough, a generation that is about to begin waits until
/// others end, and one that has begun sets the youngest reply back, perhaps itself: that gives its positions back, keeps
/// its tokens, and waits as if it were about to begin, in its place by age. So the oldest generation always gets on.
package struct CacheLedger: Sendable {
    /// An answer to a request for positions.
    package enum Answer: Sendable, Hashable {
        /// They are reserved, after these idle timelines have been freed.
        case granted(freeing: [Int])
        /// To ask again when positions have been given back.
        case waits
        /// The youngest reply has to give its positions back; it may be the one that asks.
        case setsBack(Int)
        /// More than there are at all.
        case refused
    }

    private struct Entry {
        var count: Int
        /// The place among those in use, from the oldest to the youngest, or among the idle ones by their last use.
        var order: Int
        var use: Use
        /// How many more it waits for, which nobody else gets meanwhile.
        var claim = 0
    }

    private enum Use {
        case idle, running, leaving
    }

    /// The number of positions that there are; nil if nothing limits them.
    package let limit: Int?
    /// How many replies have been set back.
    package private(set) var setBackCount = 0
    private var entries: [Int: Entry] = [:]
    /// The ages of the generations that wait.
    private var waiting: Set<Int> = []
    private var uses = 0

    /// Creates a ledger of `limit` positions; nil for no limit.
    package init(limit: Int?) {
        self.limit = limit.map { max($0, 0) }
    }

    /// The number of positions that are reserved.
    package var reserved: Int { entries.values.reduce(0) { $0 + $1.count } }

    /// Reserves the positions of a generation that is about to begin or was set back; what its timeline had counts.
    ///
    /// - Parameters:
    ///   - timeline: the number of its timeline.
    ///   - count: the number of positions.
    ///   - age: larger for generations that asked first later; the same each time that one asks.
    ///   - donor: an idle timeline that is freed last.
    /// - Returns: the answer; never `setsBack`.
    package mutating func admit(_ timeline: Int, count: Int, age: Int, sparing donor: Int? = nil) -> Answer {
        if let limit, count > limit {
            waiting.remove(age)
            return .refused
        }
        let hasElder = waiting.contains { $0 < age }
        guard !hasElder, let freed = free(count - (entries[timeline]?.count ?? 0), besides: timeline, sparing: donor)
        else {
            waiting.insert(age)
            return .waits
        }
        waiting.remove(age)
        entries[timeline] = Entry(count: count, order: age, use: .running)
        return .granted(freeing: freed)
    }

    /// The place of a generation among those that wait, counted from 1.
    package func place(age: Int) -> Int { 1 + waiting.count { $0 < age } }

    /// Whether a generation waits.
    func isWaiting(age: Int) -> Bool { waiting.contains(age) }

    /// Records that a generation no longer waits.
    package mutating func withdraw(age: Int) { waiting.remove(age) }

    /// Reserves more positions for a reply.
    ///
    /// - Parameters:
    ///   - timeline: the number of its timeline.
    ///   - count: the number of positions in all.
    /// - Returns: the answer. If another is set back, the generation asks again when that has given its positions back.
    package mutating func extend(_ timeline: Int, to count: Int) -> Answer {
        guard let entry = entries[timeline], count > entry.count else { return .granted(freeing: []) }
        if let limit, count > limit { return .refused }
        if let freed = free(count - entry.count, besides: timeline, sparing: nil) {
            entries[timeline]?.count = count
            entries[timeline]?.claim = 0
            return .granted(freeing: freed)
        }
        entries[timeline]?.claim = count - entry.count
        if entries.values.contains(where: { $0.use == .leaving }) { return .waits }
        let replies = entries.filter { $0.value.use == .running }
        let youngest = replies.max { $0.value.order < $1.value.order }?.key ?? timeline
        entries[youngest]?.use = .leaving
        entries[youngest]?.claim = 0
        setBackCount += 1
        return .setsBack(youngest)
    }

    /// Whether a reply has to give its positions back.
    package func mustLeave(_ timeline: Int) -> Bool { entries[timeline]?.use == .leaving }

    /// Records that a reply that was set back has given its positions back and waits.
    package mutating func leave(_ timeline: Int, age: Int) {
        entries[timeline] = nil
        waiting.insert(age)
    }

    /// Records that a generation has ended, and how many positions its timeline keeps.
    package mutating func rest(_ timeline: Int, keeping count: Int) {
        uses += 1
        entries[timeline] = Entry(count: count, order: uses, use: .idle)
    }

    /// Records that an idle timeline was of use to another.
    package mutating func touch(_ timeline: Int) {
        guard entries[timeline]?.use == .idle else { return }
        uses += 1
        entries[timeline]?.order = uses
    }

    /// Gives the positions of a timeline that could not be made to another one, or back.
    package mutating func move(_ timeline: Int, to other: Int?) {
        let entry = entries.removeValue(forKey: timeline)
        if let other { entries[other] = entry }
    }

    /// Records that a timeline is freed.
    package mutating func remove(_ timeline: Int) { entries[timeline] = nil }

    /// Frees idle timelines until so many positions are free.
    ///
    /// - Returns: the timelines that were freed; nil, and nothing is freed, if these would not be enough.
    private mutating func free(_ count: Int, besides timeline: Int, sparing donor: Int?) -> [Int]? {
        guard let limit else { return [] }
        let claimed = entries.reduce(0) { $0 + ($1.key == timeline ? 0 : $1.value.claim) }
        var lacking = count - (limit - reserved - claimed)
        guard lacking > 0 else { return [] }
        let idle = entries.filter { $0.value.use == .idle && $0.key != timeline }
            .sorted { ($0.key == donor ? 1 : 0, $0.value.order) < ($1.key == donor ? 1 : 0, $1.value.order) }
        var freed: [Int] = []
        for (number, entry) in idle where lacking > 0 && entry.count > 0 {
            freed.append(number)
            lacking -= entry.count
        }
        guard lacking <= 0 else { return nil }
        for number in freed { entries[number] = nil }
        return freed
    }
}
