// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The items of a calendar with one UID: a series with its overrides, or a single item.
package struct CalendarSeries<Item: CalendarItem>: Sendable {
    /// The UID; where there is none, `@` and the number of the series in the calendar.
    package let key: String
    /// The items, in order.
    package internal(set) var items: [Item]

    /// The item that is no override: of several versions, as a file may have that was put together, the one with the
    /// most changes, of equal ones the first; nil if the calendar has only overrides. A version of which the start cannot
    /// be read counts only where no other can.
    package var master: Item? {
        var newest: Item?
        for item in items where item.recurrenceID == nil {
            if newest.map({ $0.isOlder(than: item) }) ?? true { newest = item }
        }
        return newest
    }

    /// Finds the occurrences that overlap a range, in the order of their starts.
    ///
    /// - Parameters:
    ///   - range: The range, including its start but not its end.
    ///   - zones: The clocks of the calendar.
    ///   - most: The maximum number of days and times to examine.
    ///   - left: How many of them may be examined in several series together; those of this one are subtracted.
    /// - Returns: The occurrences, and the reason if some are missing.
    package func occurrences(
        in range: DateInterval, zones: ZoneTable, most: Int, left: inout Int
    ) -> (occurrences: [Occurrence<Item>], problem: CalendarError?) {
        let found = RecurrenceSeries(self, zones: zones, most: min(most, left))
            .occurrences(in: Self.seconds(range.start)..<Self.seconds(range.end))
        left -= found.examined
        let sorted = found.occurrences.sorted {
            ($0.interval.start, $0.interval.end) < ($1.interval.start, $1.interval.end)
        }
        return (sorted, found.problem)
    }

    /// Finds one occurrence by its identity; see ``CalendarObject/occurrence(of:key:at:local:limits:)``.
    package func occurrence(at recurrenceID: CalendarTime?, zones: ZoneTable, most: Int) -> Occurrence<Item>? {
        let first = master ?? items.first
        guard let id = recurrenceID ?? first?.recurrenceID ?? first?.span?.start else { return nil }
        return RecurrenceSeries(self, zones: zones, most: most).occurrence(with: id)
    }

    /// Whole seconds, rounded up, within the years that a calendar can name and a day around them, for all zones.
    private static func seconds(_ date: Date) -> Int {
        let (first, last) = (CivilTime.earliest.seconds - 86_400, CivilTime.latest.seconds + 86_400)
        return Int(max(Double(first), min(Double(last), date.timeIntervalSince1970.rounded(.up))))
    }
}

extension CalendarObject {
    /// The items of a type, those with the same UID together. An item without a UID, as some programs write it, is a series
    /// of its own, together with the overrides without one that follow it.
    ///
    /// - Parameter type: Events or to-dos.
    /// - Returns: The series, in the order of their first items.
    package func series<Item: CalendarItem>(of type: Item.Type) -> [CalendarSeries<Item>] {
        var found: [CalendarSeries<Item>] = []
        var places: [String: Int] = [:]
        for item in items(type) {
            // What has no UID is looked up under the empty one.
            let uid = item.uid
            if let place = places[uid], !uid.isEmpty || item.recurrenceID != nil {
                found[place].items.append(item)
            } else {
                places[uid] = found.count
                found.append(CalendarSeries(key: uid.isEmpty ? "@\(found.count + 1)" : uid, items: [item]))
            }
        }
        return found
    }

    /// An item and those that belong to it.
    func series<Item: CalendarItem>(with item: Item) -> [Item] {
        series(of: Item.self).first { $0.items.contains(item) }?.items ?? []
    }

    /// The series of an occurrence that was found in this calendar; without items if it is gone.
    func series<Item: CalendarItem>(of occurrence: Occurrence<Item>) -> CalendarSeries<Item> {
        series(of: Item.self, key: occurrence.key) ?? CalendarSeries(key: occurrence.key, items: [])
    }

    /// The series with a key; nil if there is none.
    package func series<Item: CalendarItem>(of type: Item.Type, key: String) -> CalendarSeries<Item>? {
        series(of: type).first { $0.key == key }
    }
}
