// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Finds the items that words mean: those with the words in their title, or else those that share a longer word with it.
///
/// Neither case nor accents matter, nor the end of a longer word: "dentists" and "dentist" are the same.
struct ItemSearch {
    /// What was found.
    struct Found<Item> {
        /// The items that fit, best first.
        var items: [Item]
        /// Whether they only share a word with what was searched for.
        var isGuess = false
    }

    /// How far from now events are searched: sixty days.
    static let reach: TimeInterval = 60 * 86_400
    /// The largest number of other fits that a plan names.
    static let maxAlternatives = 5
    /// The largest number of letters in which a word and its plural, or another form of it, differ.
    private static let maxEnding = 2

    /// The words, folded.
    private let wanted: String
    /// Those of them that may fit by themselves.
    private let longer: Set<Substring>

    init(words: String) {
        wanted = Self.plain(words)
        longer = Self.longWords(wanted)
    }

    /// The elements that fit, in the given order.
    func matches<Element>(in elements: [Element], title: (Element) -> String) -> Found<Element> {
        guard !wanted.isEmpty else { return Found(items: []) }
        let titles = elements.map { Self.plain(title($0)) }
        let direct = zip(elements, titles).filter { $0.1.contains(wanted) }.map(\.0)
        guard direct.isEmpty else { return Found(items: direct) }
        return Found(items: zip(elements, titles).filter { sharesWord(with: $0.1) }.map(\.0), isGuess: true)
    }

    /// The events that fit, nearest to `now` first, those that are over last. Of a series only one date is returned: the
    /// nearest to come, or else the nearest.
    func events(in events: [StoredEvent], now: Date, clock: LocalClock) -> Found<StoredEvent> {
        let all = matches(in: events, title: \.title)
        let distance = { (event: StoredEvent) in abs(event.time.interval(clock).start.timeIntervalSince(now)) }
        let isPast = { (event: StoredEvent) in event.time.interval(clock).end <= now }
        // Who moves or deletes something seldom means what is over.
        let isNearer = { (event: StoredEvent, other: StoredEvent) in
            isPast(event) == isPast(other) ? distance(event) < distance(other) : isPast(other)
        }
        var nearest: [StoredEvent.ID: StoredEvent] = [:]
        for event in all.items {
            let id = event.isRecurring ? event.id.series : event.id
            if let other = nearest[id], !isNearer(event, other) { continue }
            nearest[id] = event
        }
        let sorted = nearest.values.sorted { left, right in
            isNearer(left, right) || !isNearer(right, left) && left.id.description < right.id.description
        }
        return Found(items: sorted, isGuess: all.isGuess)
    }

    /// The notes that fit: those with all words in their title first, then by tags and text, then those that share a
    /// longer word; within each kind in the given order.
    func notes(in notes: [StoredNote]) -> Found<StoredNote> {
        guard !wanted.isEmpty else { return Found(items: []) }
        let parts = wanted.split { $0.isWhitespace }
        func rank(_ note: StoredNote) -> Int? {
            let title = Self.plain(note.title)
            if title.contains(wanted) { return 0 }
            let all = ([note.title] + note.tags + [note.body]).map(Self.plain).joined(separator: "\n")
            if all.contains(wanted) { return 1 }
            if parts.allSatisfy({ all.contains($0) }) { return 2 }
            return sharesWord(with: all) ? 3 : nil
        }
        let ranked = notes.enumerated().compactMap { index, note in rank(note).map { ($0, index, note) } }
            .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
        return Found(items: ranked.map(\.2), isGuess: ranked.first?.0 == 3)
    }

    /// A text as it is compared, with single blanks.
    private static func plain(_ text: String) -> String {
        SearchText.plain(text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Whether a folded text has one of the longer words, or another form of it.
    private func sharesWord(with text: String) -> Bool {
        guard !longer.isEmpty else { return false }
        return Self.longWords(text).contains { word in
            longer.contains(word)
                || longer.contains {
                    abs($0.count - word.count) <= Self.maxEnding && ($0.hasPrefix(word) || word.hasPrefix($0))
                }
        }
    }

    /// The words of more than three letters.
    private static func longWords(_ text: String) -> Set<Substring> {
        Set(text.split { !$0.isLetter && !$0.isNumber }.filter { $0.count > 3 })
    }
}
