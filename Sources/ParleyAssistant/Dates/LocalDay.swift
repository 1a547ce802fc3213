// SPDX-License-Identifier: Apache-2.0

/// A day of the Gregorian calendar, without a time zone.
///
/// It is stored as the number of days since 1 January 1970, so that differences are those of integers. Days can be
/// created for the years 1 to 9999.
public struct LocalDay: Hashable, Comparable, Sendable {
    /// Days since 1 January 1970.
    public var number: Int

    /// Creates the day with a number of days since 1 January 1970.
    public init(number: Int) { self.number = number }

    /// Creates the day of a date; nil if the date does not exist, such as 30 February.
    ///
    /// - Parameters:
    ///   - year: the year, 1 to 9999.
    ///   - month: the month, 1 to 12.
    ///   - day: the day, from 1.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year)
        else { return nil }
        // Years are counted from March, so that the leap day is a year's last: Howard Hinnant, "chrono-Compatible
        // Low-Level Date Algorithms" (https://howardhinnant.github.io/date_algorithms.html).
        let y = month <= 2 ? year - 1 : year
        let era = y / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        number = era * 146_097 + dayOfEra - 719_468
    }

    /// Year, month and day of the month.
    public var date: (year: Int, month: Int, day: Int) {
        let z = number + 719_468
        let era = (z >= 0 ? z : z - 146_096) / 146_097
        let dayOfEra = z - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    /// The day of the week, 1 for Monday to 7 for Sunday.
    public var weekday: Int { Self.modulo(number + 3, 7) + 1 }

    /// The number of days in a month.
    public static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The day so many months later, or the last of that month where it has no such day.
    public func adding(months: Int) -> LocalDay {
        let (year, month, day) = date
        let total = min(max(year * 12 + month - 1 + months, 12), 9999 * 12 + 11)
        let (newYear, newMonth) = (total / 12, total % 12 + 1)
        return LocalDay(year: newYear, month: newMonth, day: min(day, Self.days(in: newMonth, of: newYear))) ?? self
    }

    /// The first day of the week that holds this one.
    ///
    /// - Parameter first: the day on which weeks begin, 1 for Monday to 7 for Sunday.
    /// - Returns: that day, at most six days before this one.
    public func startOfWeek(first: Int) -> LocalDay { self - Self.modulo(weekday - first, 7) }

    /// The nearest day with that weekday, this day or later.
    public func onOrAfter(weekday wanted: Int) -> LocalDay { self + Self.modulo(wanted - weekday, 7) }

    /// The day so many days later.
    public static func + (day: LocalDay, days: Int) -> LocalDay { LocalDay(number: day.number + days) }
    /// The day so many days earlier.
    public static func - (day: LocalDay, days: Int) -> LocalDay { LocalDay(number: day.number - days) }
    /// Whether a day is before another.
    public static func < (left: LocalDay, right: LocalDay) -> Bool { left.number < right.number }

    private static func modulo(_ value: Int, _ modulus: Int) -> Int {
        let rest = value % modulus
        return rest < 0 ? rest + modulus : rest
    }
}

extension LocalDay: Strideable {
    /// How many days later another is.
    public func distance(to other: LocalDay) -> Int { other.number - number }
    /// The day so many days later.
    public func advanced(by days: Int) -> LocalDay { self + days }
}

extension LocalDay: CustomStringConvertible {
    /// The date in ISO 8601 format, such as `2026-03-29`.
    public var description: String {
        let (year, month, day) = date
        return "\(LocalTime.padded(year, 4))-\(LocalTime.padded(month, 2))-\(LocalTime.padded(day, 2))"
    }
}

/// A time of the day as clocks show it, without a time zone.
public struct LocalTime: Hashable, Comparable, Sendable {
    /// The seconds since midnight, 0 to 86,400; 86,400 is midnight at the end of the day.
    public var seconds: Int

    /// Creates the time of an hour, a minute and a second; nil if there is no such time.
    public init?(hour: Int, minute: Int = 0, second: Int = 0) {
        guard (0...24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second),
            hour < 24 || (minute == 0 && second == 0)
        else { return nil }
        seconds = hour * 3600 + minute * 60 + second
    }

    /// Creates the time a number of seconds after midnight, limited to the day.
    public init(seconds: Int) { self.seconds = min(max(seconds, 0), 86_400) }

    /// The hour, 0 to 24.
    public var hour: Int { seconds / 3600 }
    /// The minute, 0 to 59.
    public var minute: Int { seconds / 60 % 60 }

    /// Whether a time is earlier than another.
    public static func < (left: LocalTime, right: LocalTime) -> Bool { left.seconds < right.seconds }

    static func padded(_ value: Int, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension LocalTime: CustomStringConvertible {
    /// The time in ISO 8601 format, such as `15:30`, with seconds unless they are zero.
    public var description: String {
        let text = "\(Self.padded(hour, 2)):\(Self.padded(minute, 2))"
        return seconds % 60 == 0 ? text : text + ":\(Self.padded(seconds % 60, 2))"
    }
}
