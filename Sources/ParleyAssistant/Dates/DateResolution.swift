// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import ParleyCalendar

/// The meaning of words about time: the result of a ``DateResolver``.
public struct DateResolution: Hashable, Sendable {
    /// A point or stretch of time.
    public enum Value: Hashable, Sendable {
        /// A point in time: "tomorrow at 3".
        case instant(Date)
        /// An interval: "from 2 to 4 pm", "tomorrow evening".
        case interval(DateInterval)
        /// Whole days, including the last one: "tomorrow", "this weekend".
        case days(ClosedRange<CivilDate>)
        /// A length of time without a beginning: "for two hours".
        case duration(CalendarDuration)
    }

    /// An assumption that the resolver made because the words leave something open.
    public struct Assumption: Hashable, Sendable, CustomStringConvertible {
        /// What was assumed, in English.
        public let description: String

        /// The hour was given without a.m. or p.m.
        public static let halfOfDay = Assumption(description: "a.m. or p.m.")
        /// No day was given; the next day on which the time occurs is used.
        public static let day = Assumption(description: "the day")
        /// No month was given; the next month that has the day is used.
        public static let month = Assumption(description: "the month")
        /// No year was given; the next year that has the date is used.
        public static let year = Assumption(description: "the year")
        /// "Next Friday" may be the coming one or that of next week; "Friday", on a Friday, today or in a week.
        public static let week = Assumption(description: "the week")
        /// A date in digits was read in the locale's order of day and month.
        public static let order = Assumption(description: "the order of day and month")
        /// The hours of a part of the day, as in "tomorrow morning".
        public static let partOfDay = Assumption(description: "the hours of the part of the day")
        /// The end of a week is its last working day.
        public static let endOfWeek = Assumption(description: "the end of the week")
        /// The interval begins now.
        public static let now = Assumption(description: "the beginning, which is now")
        /// Clocks skip the time when they are set forward; the instant is calculated as if they did not.
        public static let skippedTime = Assumption(description: "a time that clocks skip that day")
        /// Clocks show the time twice because they are set back; the first instant is used.
        public static let repeatedTime = Assumption(description: "a time that clocks show twice that day")
        /// The weekday does not match the date; the date is used.
        public static let weekday = Assumption(description: "the weekday, which does not fit the date")
    }

    /// The meaning; the first occurrence if it recurs.
    public var value: Value
    /// How it recurs; nil if it does not.
    public var recurrence: Recurrence?
    /// The ranges of the text that were understood, in order and without overlap.
    public var used: [Range<String.Index>]
    /// The assumptions that were made.
    public var assumptions: [Assumption]
    /// Other possible meanings.
    public var alternatives: [Value]
}

extension CalendarDuration {
    /// Returns the instant that is later than another by this duration.
    public func added(to instant: Date, clock: LocalClock) -> Date {
        var result = instant
        if months != 0 || days != 0 {
            let day = clock.day(of: instant).adding(months: months) + days
            result = clock.instant(day, clock.time(of: instant))
        }
        return result.addingTimeInterval(Double(seconds))
    }
}

/// How an event recurs.
public struct Recurrence: Hashable, Sendable {
    /// The unit of the interval between occurrences.
    public enum Frequency: String, Hashable, Sendable, CaseIterable {
        case daily, weekly, monthly, yearly
    }

    /// The unit of the interval between occurrences.
    public var frequency: Frequency
    /// The number of units between occurrences, at least 1.
    public var interval = 1
    /// The weekdays, in order from Monday; if empty, the weekday of the first occurrence.
    public var weekdays: [Weekday] = []
    /// The day on which the user's weeks begin: of several weekdays every other week it decides which belong together.
    /// On Apple's systems the calendar decides that by itself.
    public var weekStart = Weekday.monday
    /// The ordinal of the weekday within the month, from 1; -1 for the last, nil for every such weekday. Of several
    /// weekdays it is the place among all of their days: the last of Monday to Friday is the last working day.
    public var ordinal: Int?
    /// The last day on which it may occur; nil for no limit.
    public var until: CivilDate?
    /// The number of occurrences; nil for no limit.
    public var count: Int?

    /// Creates a recurrence without an end.
    public init(_ frequency: Frequency, every interval: Int = 1, on weekdays: [Weekday] = []) {
        (self.frequency, self.interval, self.weekdays) = (frequency, interval, weekdays)
    }
}

extension Weekday {
    /// Monday to Friday.
    static let workdays: [Weekday] = [.monday, .tuesday, .wednesday, .thursday, .friday]

    /// The first letters of its name in English.
    var shortName: String { ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][rawValue] }
}

extension DateResolution.Value {
    /// When it begins; a length of time begins nowhere.
    func first(_ clock: LocalClock) -> Date {
        switch self {
        case .instant(let date): date
        case .interval(let interval): interval.start
        case .days(let days): clock.start(of: days.lowerBound)
        case .duration: .distantPast
        }
    }

    /// When it ends.
    func last(_ clock: LocalClock) -> Date {
        switch self {
        case .instant(let date): date
        case .interval(let interval): interval.end
        case .days(let days): clock.start(of: days.upperBound + 1)
        case .duration: .distantPast
        }
    }
}
