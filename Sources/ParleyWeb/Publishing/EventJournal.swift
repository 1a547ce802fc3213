// SPDX-License-Identifier: Apache-2.0

/// The latest events of one subject, with their numbers, for readers that come back.
///
/// Numbers grow, also over several journals that share a counter. What is kept is bounded by count and by size; a reader
/// that asks for events that are not kept any more has to begin anew.
package struct EventJournal: Sendable {
    /// An event as it is sent.
    package struct Entry: Hashable, Sendable {
        package var revision: Int
        package var text: String

        /// Creates an entry.
        package init(revision: Int, text: String) { (self.revision, self.text) = (revision, text) }
    }

    /// The most events that are kept.
    package static let most = 1_000
    /// The most bytes that are kept.
    package static let mostBytes = 4 << 20

    private var entries: [Entry] = []
    /// The index of the oldest entry that counts; those before it are removed now and then.
    private var first = 0
    private var bytes = 0
    /// The number of the latest event that is not kept any more.
    package private(set) var forgotten: Int

    /// Creates an empty journal.
    ///
    /// - Parameter revision: the number of the latest event before it; earlier ones cannot be asked for.
    package init(since revision: Int) { forgotten = revision }

    /// Adds an event with a number above all others.
    package mutating func append(_ entry: Entry) {
        entries.append(entry)
        bytes += entry.text.utf8.count
        while entries.count - first > Self.most || bytes > Self.mostBytes, first < entries.count {
            bytes -= entries[first].text.utf8.count
            forgotten = entries[first].revision
            entries[first].text = ""
            first += 1
        }
        if first > Self.most {
            entries.removeFirst(first)
            first = 0
        }
    }

    /// The events after a number; nil if some of them are not kept any more.
    package func entries(after revision: Int) -> ArraySlice<Entry>? {
        guard revision >= forgotten else { return nil }
        var (low, high) = (first, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].revision <= revision { low = middle + 1 } else { high = middle }
        }
        return entries[low...]
    }
}
