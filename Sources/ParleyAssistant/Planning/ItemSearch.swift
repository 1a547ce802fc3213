// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Finds the items that words mean: those with the words in their title, or else those that share a longer word with it.
struct ItemSearch {
    /// How far from now events are searched: sixty days.
    static let reach: TimeInterval = 60 * 86_400
    /// The largest number of other fits that a plan names.
    static let maxAlternatives = 5

    /// The words.
    let words: String

    /// The elements that fit, in the given order.
    func matches<Element>(in elements: [Element], title: (Element) -> String) -> [Element] {
        let wanted = Self.folded(words)
        let direct = elements.filter { Self.folded(title($0)).contains(wanted) }
        guard direct.isEmpty else { return direct }
        let shared = Self.longWords(wanted)
        return elements.filter { !shared.isDisjoint(with: Self.longWords(Self.folded(title($0)))) }
    }

    /// The events that fit, nearest to `now` first. Of a series only one date is returned: the nearest to come, or else
    /// the nearest.
    func events(in events: [StoredEvent], now: Date, clock: LocalClock) -> [StoredEvent] {
        let all = matches(in: events, title: \.title)
        let distance = { (event: StoredEvent) in abs(event.time.interval(clock).start.timeIntervalSince(now)) }
        var nearest: [StoredEvent.ID: StoredEvent] = [:]
        for event in all {
            let isPast = event.time.interval(clock).end <= now
            let id = event.isRecurring ? event.id.series : event.id
            guard let other = nearest[id] else {
                nearest[id] = event
                continue
            }
            let otherIsPast = other.time.interval(clock).end <= now
            if isPast == otherIsPast ? distance(event) < distance(other) : otherIsPast {
                nearest[id] = event
            }
        }
        return nearest.values.sorted {
            (distance($0), $0.id.description) < (distance($1), $1.id.description)
        }
    }

    /// The notes that fit: those with all words in their title first, then by tags and text, then those that share a
    /// longer word; within each kind in the given order.
    func notes(in notes: [StoredNote]) -> [StoredNote] {
        let wanted = Self.folded(words)
        let parts = wanted.split { $0.isWhitespace }
        let longer = Self.longWords(wanted)
        func rank(_ note: StoredNote) -> Int? {
            let title = Self.folded(note.title)
            if title.contains(wanted) { return 0 }
            let all = ([title] + note.tags.map(Self.folded) + [Self.folded(note.body)]).joined(separator: "\n")
            if all.contains(wanted) { return 1 }
            if !parts.isEmpty, parts.allSatisfy({ all.contains($0) }) { return 2 }
            return longer.isDisjoint(with: Self.longWords(all)) ? nil : 3
        }
        let ranked = notes.enumerated().compactMap { index, note in rank(note).map { ($0, index, note) } }
        return ranked.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.2)
    }

    private static func folded(_ text: String) -> String { text.lowercased() }

    /// The words of more than three letters.
    private static func longWords(_ text: String) -> Set<Substring> {
        Set(text.split { !$0.isLetter && !$0.isNumber }.filter { $0.count > 3 })
    }
}
