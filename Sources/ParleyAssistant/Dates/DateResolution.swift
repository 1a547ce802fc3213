// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What words about time mean: the answer of a ``DateResolver``.
public struct DateResolution: Hashable, Sendable {
    /// A point or stretch of time.
    public enum Value: Hashable, Sendable {
        /// A point in time: "tomorrow at 3".
        case instant(Date)
        /// A stretch between two points: "from 2 to 4 pm", "tomorrow evening".
        case interval(DateInterval)
        /// Whole days, the last included: "tomorrow", "this weekend".
        case days(ClosedRange<LocalDay>)
        /// A length of time that begins nowhere: "for two hours".
        case duration(CalendarDuration)
    }

    /// Something that the words leave open and the resolver decided.
    public struct Assumption: Hashable, Sendable, CustomStringConvertible {
        /// What was decided, in plain English.
        public let description: String

        /// The hour was said without a.m. or p.m.
        public static let halfOfDay = Assumption(description: "a.m. or p.m.")
        /// No day was said: it is the next on which that time comes.
        public static let day = Assumption(description: "the day")
        /// No month was said: it is the next that has the day.
        public static let month = Assumption(description: "the month")
        /// No year was said: it is the next that has the date.
        public static let year = Assumption(description: "the year")
        /// "Next Friday" may be the coming one or that of next week; "Friday", on a Friday, today or in a week.
        public static let week = Assumption(description: "the week")
        /// A date in digits was read in the locale's order of day and month.
        public static let order = Assumption(description: "the order of day and month")
        /// The hours of a part of the day, as in "tomorrow morning".
        public static let partOfDay = Assumption(description: "the hours of the part of the day")
        /// The end of a week is its last working day.
        public static let endOfWeek = Assumption(description: "the end of the week")
        /// The stretch begins now.
        public static let now = Assumption(description: "the beginning, which is now")
        /// Clocks are set forward over the time; it is taken as if they were not.
        public static let skippedTime = Assumption(description: "a time that clocks skip that day")
        /// Clocks are set back and show the time twice; the first is taken.
        public static let repeatedTime = Assumption(description: "a time that clocks show twice that day")
        /// The weekday does not fit the date, which counts.
        public static let weekday = Assumption(description: "the weekday, which does not fit the date")
    }

    /// What is meant; of something that recurs, the first time.
    public var value: Value
    /// How it recurs, where the words say so.
    public var recurrence: Recurrence?
    /// The parts of the text that were understood, in order and apart.
    public var used: [Range<String.Index>]
    /// What was decided where the words leave it open.
    public var assumptions: [Assumption]
    /// What else the words may mean.
    public var alternatives: [Value]
}

/// A length of time as people say it: a month is no number of days, and a day no number of hours.
public struct CalendarDuration: Hashable, Sendable {
    /// Whole months.
    public var months = 0
    /// Whole days.
    public var days = 0
    /// Seconds.
    public var seconds = 0

    /// The sum of months, days and seconds.
    public init(months: Int = 0, days: Int = 0, seconds: Int = 0) {
        (self.months, self.days, self.seconds) = (months, days, seconds)
    }

    /// The instant that is so much later.
    public func added(to instant: Date, clock: LocalClock) -> Date {
        var result = instant
        if months != 0 || days != 0 {
            let day = clock.day(of: instant).adding(months: months) + days
            result = clock.instant(day, clock.time(of: instant))
        }
        return result.addingTimeInterval(Double(seconds))
    }

    static prefix func - (duration: CalendarDuration) -> CalendarDuration {
        CalendarDuration(months: -duration.months, days: -duration.days, seconds: -duration.seconds)
    }
}

/// How something recurs.
public struct Recurrence: Hashable, Sendable {
    /// The unit after which it comes again.
    public enum Frequency: String, Hashable, Sendable, CaseIterable {
        case daily, weekly, monthly, yearly
    }

    /// The unit after which it comes again.
    public var frequency: Frequency
    /// Every how many units, from 1.
    public var interval = 1
    /// The weekdays, 1 for Monday to 7 for Sunday, in order; empty: that of the first time.
    public var weekdays: [Int] = []
    /// Which of the weekday in a month, from 1; -1 is the last, nil means each.
    public var ordinal: Int?
    /// The last day on which it may come.
    public var until: LocalDay?
    /// How often it comes.
    public var count: Int?

    /// A recurrence without an end.
    public init(_ frequency: Frequency, every interval: Int = 1, on weekdays: [Int] = []) {
        (self.frequency, self.interval, self.weekdays) = (frequency, interval, weekdays)
    }
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
