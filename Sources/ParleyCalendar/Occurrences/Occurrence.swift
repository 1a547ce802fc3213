// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// One occurrence of an event or a to-do.
public struct Occurrence<Item: CalendarItem>: Hashable, Sendable {
    /// The item of the series, or the override that replaces it.
    public let item: Item
    /// The UID of the item; where it has none, `@` and the number of its series in the calendar.
    public let key: String
    /// The identity of the occurrence within its series: its original start, before any override moved it.
    public let recurrenceID: CalendarTime
    /// The start, in the time zone that the calendar states.
    public let start: CalendarTime
    /// The exclusive end, in the time zone of the start; for whole days, the day after the last one.
    public let end: CalendarTime
    /// The interval from start to end; times and days without a zone are in the zone that was passed to the search.
    public let interval: DateInterval

    /// Whether it lasts whole days.
    public var isAllDay: Bool { start.isDate }
}

/// The occurrences in a range, and the problems that were found.
public struct OccurrenceList<Item: CalendarItem>: Sendable {
    /// The occurrences, sorted by start, then by end, then by their order in the calendar.
    public var occurrences: [Occurrence<Item>] = []
    /// The series that could not be expanded completely, by key, with the reason: an invalid rule, or too much work.
    ///
    /// Of such a series, only the start, the single dates and the overrides are found.
    public var problems: [String: CalendarError] = [:]
}

/// The limits on the work of finding occurrences.
public struct OccurrenceLimits: Hashable, Sendable {
    /// The maximum number of occurrences.
    public var occurrences = 100_000
    /// The maximum number of days and times of one series to examine, whether its rules have them or not, including
    /// those before the range if a rule counts them.
    public var times = RuleTimes.most
    /// The maximum number of them in all series of a calendar.
    public var allTimes = 100_000_000

    /// Creates limits that suffice for calendars of many years.
    public init() {}
}
