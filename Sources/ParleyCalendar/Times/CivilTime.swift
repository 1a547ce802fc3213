// SPDX-License-Identifier: Apache-2.0

/// A local date and time, without a time zone.
public struct CivilTime: Hashable, Sendable, Comparable {
    /// The seconds that a clock without daylight saving would count from 1970-01-01 00:00:00 to this time.
    public let seconds: Int

    /// The first moment that a calendar can name, that of the year 0.
    package static let earliest = CivilTime(seconds: CivilDate.dayNumber(year: 0, month: 1, day: 1) * 86_400)
    /// The last second that a calendar can name, that of the year 9999.
    package static let latest = CivilTime(
        seconds: CivilDate.dayNumber(year: 9999, month: 12, day: 31) * 86_400 + 86_399)

    /// Makes a time of its number.
    ///
    /// - Parameter seconds: Seconds since 1970-01-01 00:00:00, in days of 86,400 seconds.
    public init(seconds: Int) { self.seconds = seconds }

    /// Makes a time, or nil where there is no such time.
    ///
    /// - Parameters:
    ///   - date: The day.
    ///   - hour: 0 to 23.
    ///   - minute: 0 to 59.
    ///   - second: 0 to 60; a leap second counts as the second before it.
    public init?(_ date: CivilDate, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        guard 0..<24 ~= hour, 0..<60 ~= minute, 0...60 ~= second else { return nil }
        seconds = date.dayNumber * 86_400 + hour * 3600 + minute * 60 + min(second, 59)
    }

    /// The first moment of a day.
    ///
    /// - Parameter date: The day.
    public init(midnightOf date: CivilDate) { seconds = date.dayNumber * 86_400 }

    /// The day.
    public var date: CivilDate { CivilDate(dayNumber: seconds.floorDivided(by: 86_400)) }

    /// Hour, minute and second.
    public var clock: (hour: Int, minute: Int, second: Int) {
        let rest = seconds.modulo(86_400)
        return (rest / 3600, rest / 60 % 60, rest % 60)
    }

    /// Whether one time is before another.
    public static func < (left: CivilTime, right: CivilTime) -> Bool { left.seconds < right.seconds }
}
