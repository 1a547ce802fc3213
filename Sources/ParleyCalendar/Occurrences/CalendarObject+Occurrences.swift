// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension CalendarObject {
    /// The occurrences that lie in a range, wholly or in part.
    ///
    /// An occurrence without a length is in the range when its moment is; one that begins at the range's end is not.
    /// Cancelled items are among them; see ``CalendarItem/status``. To-dos that neither begin nor are due are not.
    ///
    /// - Parameters:
    ///   - type: Events or to-dos.
    ///   - range: From its start, which is part of it, to its end, which is not.
    ///   - local: Where times and days without a zone are meant.
    ///   - limits: How much work this may take.
    /// - Returns: The occurrences, and what could not be understood.
    /// - Throws: ``CalendarError`` of the code `tooManyOccurrences`.
    public func occurrences<Item: CalendarItem>(
        of type: Item.Type, in range: DateInterval, local: TimeZone, limits: OccurrenceLimits = OccurrenceLimits()
    ) throws(CalendarError) -> OccurrenceList<Item> {
        let zones = zones(local: local)
        let bounds = Self.seconds(range.start)..<Self.seconds(range.end)
        var order: [String] = []
        var groups: [String: [Item]] = [:]
        for (number, item) in items(type).enumerated() {
            let key = item.uid.isEmpty ? "\u{0}\(number)" : item.uid
            if groups[key] == nil { order.append(key) }
            groups[key, default: []].append(item)
        }
        var list = OccurrenceList<Item>()
        for key in order {
            let series = RecurrenceSeries(groups[key] ?? [], zones: zones, limits: limits)
            let found = series.occurrences(in: bounds)
            list.occurrences += found.occurrences
            if let problem = found.problem { list.problems[key] = problem }
            guard list.occurrences.count <= limits.occurrences else {
                throw CalendarError(
                    .tooManyOccurrences, "There are more than \(limits.occurrences) occurrences; ask for fewer days.")
            }
        }
        list.occurrences.sort { ($0.interval.start, $0.interval.end) < ($1.interval.start, $1.interval.end) }
        return list
    }

    /// Whole seconds, rounded up, within the years that a calendar can name.
    private static func seconds(_ date: Date) -> Int {
        Int(max(-62_200_000_000, min(253_500_000_000, date.timeIntervalSince1970.rounded(.up))))
    }
}
