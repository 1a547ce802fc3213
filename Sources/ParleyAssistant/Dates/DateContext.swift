// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import ParleyCalendar

/// The context on which the meaning of words about time depends.
public struct DateContext: Sendable {
    /// The time at which the words are said.
    public var now: Date
    /// Converts between instants and the local time of the user's time zone.
    public var clock: LocalClock
    /// The day on which weeks begin.
    public var firstWeekday: Weekday
    /// Whether dates in digits give the month first, so that `3/4` is 4 March.
    public var monthBeforeDay: Bool
    /// The hours of the parts of the day.
    public var parts = Parts()

    /// The hours of the parts of the day.
    public struct Parts: Sendable {
        /// Morning; by default 9:00 to 12:00.
        public var morning = LocalTime(seconds: 9 * 3600)..<LocalTime(seconds: 12 * 3600)
        /// Afternoon; by default 13:00 to 18:00.
        public var afternoon = LocalTime(seconds: 13 * 3600)..<LocalTime(seconds: 18 * 3600)
        /// Evening; by default 18:00 to 22:00.
        public var evening = LocalTime(seconds: 18 * 3600)..<LocalTime(seconds: 22 * 3600)
        /// Night; by default 21:00 to midnight.
        public var night = LocalTime(seconds: 21 * 3600)..<LocalTime(seconds: 24 * 3600)

        /// Creates the default hours.
        public init() {}
    }

    /// Creates a context with the week and date order of a locale.
    ///
    /// - Parameters:
    ///   - now: the time at which the words are said.
    ///   - timeZone: the user's time zone.
    ///   - locale: determines the first day of the week, and whether the month comes before the day.
    public init(now: Date, timeZone: TimeZone, locale: Locale) {
        self.now = now
        clock = LocalClock(timeZone)
        let first: [Locale.Weekday] = [.monday, .tuesday, .wednesday, .thursday, .friday, .saturday, .sunday]
        firstWeekday = Weekday.allCases[first.firstIndex(of: locale.firstDayOfWeek) ?? 0]
        // The regions in which dates in digits give the month first; in others the day or the year is first.
        let region = locale.region?.identifier ?? ""
        monthBeforeDay = ["US", "PR", "GU", "VI", "AS", "MP", "UM", "FM", "MH", "PW", "PH"].contains(region)
    }

    /// Creates a context with the time zone, locale and week of a calendar.
    public init(now: Date, calendar: Calendar) {
        self.init(now: now, timeZone: calendar.timeZone, locale: calendar.locale ?? Locale(identifier: "en_001"))
        firstWeekday = Weekday(number: (calendar.firstWeekday + 5) % 7 + 1) ?? .monday
    }

    /// The day on which the words are said.
    var today: CivilDate { clock.day(of: now) }
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
