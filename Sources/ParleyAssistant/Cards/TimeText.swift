// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import ParleyCalendar

/// Days and times in plain English, short enough for a line of a card: `tomorrow, Thu 19 Nov, 15:00–16:00`.
public struct TimeText: Sendable {
    private let clock: LocalClock
    private let today: CivilDate

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Creates a writer of times for a place and a moment, which decide what `today` is.
    public init(_ context: DateContext) {
        clock = context.clock
        today = context.clock.day(of: context.now)
    }

    /// A time of an event.
    public func text(_ time: EventTime) -> String {
        switch time {
        case .timed(let interval): text(interval)
        case .allDay(let days):
            days.lowerBound == days.upperBound
                ? "\(text(days.lowerBound)), all day" : "\(date(days.lowerBound)) – \(date(days.upperBound)), all day"
        }
    }

    /// A stretch of time; one without length is a point.
    public func text(_ interval: DateInterval) -> String {
        let (first, last) = (clock.day(of: interval.start), clock.day(of: interval.end))
        let (start, end) = (clock.time(of: interval.start), clock.time(of: interval.end))
        if interval.duration == 0 { return "\(text(first)), \(start)" }
        // Midnight belongs to the day that ends.
        if first == last || (last == first + 1 && end.seconds == 0) {
            return "\(text(first)), \(start)–\(end.seconds == 0 ? "24:00" : end.description)"
        }
        return "\(date(first)) \(start) – \(date(last)) \(end)"
    }

    /// A point in time.
    public func text(_ instant: Date) -> String { text(DateInterval(start: instant, duration: 0)) }

    /// What words were found to mean; nil for a mere length of time.
    public func text(_ value: DateResolution.Value) -> String? {
        switch value {
        case .instant(let instant): text(instant)
        case .interval(let interval): text(interval)
        case .days(let days):
            days.lowerBound == days.upperBound
                ? text(days.lowerBound) : "\(date(days.lowerBound)) – \(date(days.upperBound))"
        case .duration: nil
        }
    }

    /// A day, also in relation to today.
    public func text(_ day: CivilDate) -> String {
        switch day.dayNumber - today.dayNumber {
        case -1: "yesterday, \(date(day))"
        case 0: "today, \(date(day))"
        case 1: "tomorrow, \(date(day))"
        default: date(day)
        }
    }

    private func date(_ day: CivilDate) -> String {
        let (year, month, number) = day.parts
        let text = "\(day.weekday.shortName) \(number) \(Self.months[month - 1])"
        return year == today.parts.year ? text : "\(text) \(year)"
    }
}
