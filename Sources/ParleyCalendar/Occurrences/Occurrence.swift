// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// One time that an event happens or a to-do is due.
public struct Occurrence<Item: CalendarItem>: Hashable, Sendable {
    /// What happens: the item of the series, or the override that takes its place.
    public let item: Item
    /// Which occurrence of its series it is: the start that the series gave it, before any override moved it.
    public let recurrenceID: CalendarTime
    /// When it begins, in the zone in which the calendar says it.
    public let start: CalendarTime
    /// When it ends, in the zone of its start; not part of it. The day behind the last one for whole days.
    public let end: CalendarTime
    /// From its start to its end. Times and days without a zone are taken where the occurrences were asked for.
    public let interval: DateInterval

    /// Whether it is of whole days.
    public var isAllDay: Bool { start.isDate }
}

/// The occurrences of a calendar in a range, and what could not be understood of it.
public struct OccurrenceList<Item: CalendarItem>: Sendable {
    /// By start, then by end, then as they stand in the calendar.
    public var occurrences: [Occurrence<Item>] = []
    /// Why a series does not recur as it says, by its UID: its rule is not understood, or takes too much work. Of such a
    /// series only the start and the single dates and overrides are found.
    public var problems: [String: CalendarError] = [:]
}

/// How much work finding occurrences may take.
public struct OccurrenceLimits: Hashable, Sendable {
    /// How many occurrences are found.
    public var occurrences = 100_000
    /// How many times of one series are looked at, those before the range included where its rule counts them.
    public var times = 1_000_000

    /// Makes limits that are wide enough for calendars of many years.
    public init() {}
}
