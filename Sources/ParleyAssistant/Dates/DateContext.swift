// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What words about time depend on: where and when they are said.
public struct DateContext: Sendable {
    /// When the words are said.
    public var now: Date
    /// The days and times of the user's time zone.
    public var clock: LocalClock
    /// The day on which weeks begin, 1 for Monday to 7 for Sunday.
    public var firstWeekday: Int
    /// Whether `3/4` is the fourth of March.
    public var monthBeforeDay: Bool
    /// The hours of the parts of the day.
    public var parts = Parts()

    /// From when to when the parts of the day last.
    public struct Parts: Sendable {
        /// Morning; by default 9:00 to 12:00.
        public var morning = LocalTime(seconds: 9 * 3600)..<LocalTime(seconds: 12 * 3600)
        /// Afternoon; by default 13:00 to 18:00.
        public var afternoon = LocalTime(seconds: 13 * 3600)..<LocalTime(seconds: 18 * 3600)
        /// Evening; by default 18:00 to 22:00.
        public var evening = LocalTime(seconds: 18 * 3600)..<LocalTime(seconds: 22 * 3600)
        /// Night; by default 21:00 to midnight.
        public var night = LocalTime(seconds: 21 * 3600)..<LocalTime(seconds: 24 * 3600)

        /// The default hours.
        public init() {}
    }

    /// A context with what the locale says of weeks and dates.
    ///
    /// - Parameters:
    ///   - now: when the words are said.
    ///   - timeZone: the user's time zone.
    ///   - locale: says on which day weeks begin, and whether the month comes before the day.
    public init(now: Date, timeZone: TimeZone, locale: Locale) {
        self.now = now
        clock = LocalClock(timeZone)
        let first: [Locale.Weekday] = [.monday, .tuesday, .wednesday, .thursday, .friday, .saturday, .sunday]
        firstWeekday = (first.firstIndex(of: locale.firstDayOfWeek) ?? 0) + 1
        // The regions that write the month first in digits; the others write day or year first.
        let region = locale.region?.identifier ?? ""
        monthBeforeDay = ["US", "PR", "GU", "VI", "AS", "MP", "UM", "FM", "MH", "PW", "PH"].contains(region)
    }

    /// A context in a calendar's time zone, locale and week.
    public init(now: Date, calendar: Calendar) {
        self.init(now: now, timeZone: calendar.timeZone, locale: calendar.locale ?? Locale(identifier: "en_001"))
        firstWeekday = (calendar.firstWeekday + 5) % 7 + 1
    }

    /// The day on which the words are said.
    var today: LocalDay { clock.day(of: now) }
}

extension DateContext.Parts {
    /// The hours of a part of the day.
    func hours(of part: DateLanguage.Part) -> Range<LocalTime> {
        switch part {
        case .morning: morning
        case .afternoon: afternoon
        case .evening: evening
        case .night: night
        case .noon: LocalTime(seconds: 43_200)..<LocalTime(seconds: 46_800)
        case .midnight: LocalTime(seconds: 86_400)..<LocalTime(seconds: 86_400)
        }
    }
}
