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
        var list = OccurrenceList<Item>()
        var left = limits.allTimes
        for group in series(of: type) {
            let found = group.occurrences(in: range, zones: zones, most: limits.times, left: &left)
            list.occurrences += found.occurrences
            if let problem = found.problem { list.problems[group.key] = problem }
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
    ///   - key: The UID of the item; for one without a UID, ``Occurrence/key``.
    ///   - recurrenceID: The original start of the occurrence; nil for an item that does not recur, or the first
    ///     occurrence of a series.
    ///   - local: The time zone for times and days without a zone.
    ///   - limits: The limits on the work this may take.
    /// - Returns: The occurrence; nil if there is none.
    public func occurrence<Item: CalendarItem>(
        of type: Item.Type, key: String, at recurrenceID: CalendarTime?, local: TimeZone,
        limits: OccurrenceLimits = OccurrenceLimits()
    ) -> Occurrence<Item>? {
        series(of: type, key: key)?.occurrence(at: recurrenceID, zones: zones(local: local), most: limits.times)
    }
}
