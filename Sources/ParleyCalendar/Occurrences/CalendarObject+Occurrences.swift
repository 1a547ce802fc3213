// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension CalendarObject {
    /// Finds the occurrences that overlap a range.
    ///
    /// An occurrence without a length is included if its time is in the range; one that begins at the end of the range
    /// is not. Cancelled items are included; see ``CalendarItem/status``. To-dos with neither a start nor a due time
    /// are not.
    ///
    /// - Parameters:
    ///   - type: Events or to-dos.
    ///   - range: The range, including its start but not its end.
    ///   - local: The time zone for times and days without a zone.
    ///   - limits: The limits on the work this may take.
    /// - Returns: The occurrences, and the problems of series that could not be expanded.
    /// - Throws: ``CalendarError`` with code `tooManyOccurrences`.
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
        var left = limits.allTimes
        for key in order {
            let series = RecurrenceSeries(groups[key] ?? [], zones: zones, most: min(limits.times, left))
            let found = series.occurrences(in: bounds)
            left -= found.examined
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

    /// Finds one occurrence by its identity, which does not change when an override moves it.
    ///
    /// - Parameters:
    ///   - type: Events or to-dos.
    ///   - uid: The UID of the item.
    ///   - recurrenceID: The original start of the occurrence; nil for an item that does not recur, or the first
    ///     occurrence of a series.
    ///   - local: The time zone for times and days without a zone.
    ///   - limits: The limits on the work this may take.
    /// - Returns: The occurrence; nil if there is none.
    public func occurrence<Item: CalendarItem>(
        of type: Item.Type, uid: String, at recurrenceID: CalendarTime?, local: TimeZone,
        limits: OccurrenceLimits = OccurrenceLimits()
    ) -> Occurrence<Item>? {
        let group = items(type).filter { $0.uid == uid }
        let first = group.first { $0.recurrenceID == nil } ?? group.first
        guard let id = recurrenceID ?? first?.recurrenceID ?? first?.span?.start else { return nil }
        return RecurrenceSeries(group, zones: zones(local: local), most: limits.times).occurrence(with: id)
    }

    /// Whole seconds, rounded up, within the years that a calendar can name and a day around them, for all zones.
    private static func seconds(_ date: Date) -> Int {
        let (first, last) = (CivilTime.earliest.seconds - 86_400, CivilTime.latest.seconds + 86_400)
        return Int(max(Double(first), min(Double(last), date.timeIntervalSince1970.rounded(.up))))
    }
}
