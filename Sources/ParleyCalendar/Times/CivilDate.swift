// SPDX-License-Identifier: Apache-2.0

/// A day of the week.
public enum Weekday: Int, Hashable, Sendable, CaseIterable {
    case monday, tuesday, wednesday, thursday, friday, saturday, sunday

    /// The number of ISO 8601: 1 for Monday to 7 for Sunday.
    public var number: Int { rawValue + 1 }

    /// Creates the day with a number of ISO 8601; nil unless it is from 1 to 7.
    ///
    /// - Parameter number: 1 for Monday to 7 for Sunday.
    public init?(number: Int) {
        guard 1...7 ~= number else { return nil }
        self = Self.allCases[number - 1]
    }

    /// The two letters of RFC 5545, such as `MO`.
    public var code: String { ["MO", "TU", "WE", "TH", "FR", "SA", "SU"][rawValue] }

    /// Reads the two letters of RFC 5545.
    ///
    /// - Parameter code: Two letters in any case.
    public init?(code: some StringProtocol) {
        guard let day = Self.allCases.first(where: { $0.code == code.uppercased() }) else { return nil }
        self = day
    }
}

/// A day of the Gregorian calendar, without a time and without a zone.
///
/// It is stored as the number of days since 1 January 1970, so that differences are those of integers. Years before
/// the calendar's introduction are counted as if it had always been in use.
public struct CivilDate: Hashable, Sendable, Comparable {
    /// The number of days since 1970-01-01; negative before.
    public let dayNumber: Int

    /// Makes a day of its number.
    ///
    /// - Parameter dayNumber: Days since 1970-01-01, within a million years of it.
    public init(dayNumber: Int) { self.dayNumber = dayNumber }

    /// Makes a day, or nil where there is no such day.
    ///
    /// - Parameters:
    ///   - year: 0 to 9999.
    ///   - month: 1 to 12.
    ///   - day: 1 to the number of days of the month.
    public init?(year: Int, month: Int, day: Int) {
        guard 0...9999 ~= year, 1...12 ~= month, 1...Self.days(inMonth: month, of: year) ~= day else { return nil }
        dayNumber = Self.dayNumber(year: year, month: month, day: day)
    }

    /// Year, month and day.
    public var parts: (year: Int, month: Int, day: Int) {
        // The algorithm of https://howardhinnant.github.io/date_algorithms.html, in years that begin in March.
        let shifted = dayNumber + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// The day of the week.
    public var weekday: Weekday { Weekday.allCases[(dayNumber + 3).modulo(7)] }

    /// The day so many months later, or the last of that month where it has no such day; years end with 9999.
    public func adding(months: Int) -> CivilDate {
        let (year, month, day) = parts
        let total = min(max(year * 12 + month - 1 + months, 12), 9999 * 12 + 11)
        let (newYear, newMonth) = (total / 12, total % 12 + 1)
        let last = Self.days(inMonth: newMonth, of: newYear)
        return CivilDate(dayNumber: Self.dayNumber(year: newYear, month: newMonth, day: min(day, last)))
    }

    /// The first day of the week that holds this one.
    ///
    /// - Parameter first: The day on which weeks begin.
    /// - Returns: That day, at most six days before this one.
    public func startOfWeek(first: Weekday) -> CivilDate { self - (weekday.number - first.number).modulo(7) }

    /// The nearest day with that weekday, this day or later.
    public func onOrAfter(_ wanted: Weekday) -> CivilDate { self + (wanted.number - weekday.number).modulo(7) }

    /// The day so many days later.
    public static func + (day: CivilDate, days: Int) -> CivilDate { CivilDate(dayNumber: day.dayNumber + days) }
    /// The day so many days earlier.
    public static func - (day: CivilDate, days: Int) -> CivilDate { CivilDate(dayNumber: day.dayNumber - days) }
    /// Whether one day is before another.
    public static func < (left: CivilDate, right: CivilDate) -> Bool { left.dayNumber < right.dayNumber }

    static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    /// The number of days in a month, 1 to 12.
    public static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    static func days(inYear year: Int) -> Int { isLeap(year) ? 366 : 365 }

    /// The number of a day whose parts are known to be right.
    static func dayNumber(year: Int, month: Int, day: Int) -> Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension CivilDate: Strideable {
    /// How many days later another is.
    public func distance(to other: CivilDate) -> Int { other.dayNumber - dayNumber }
    /// The day so many days later.
    public func advanced(by days: Int) -> CivilDate { self + days }
}

extension CivilDate: CustomStringConvertible {
    /// The date in ISO 8601 format, such as `2026-03-29`.
    public var description: String {
        let (year, month, day) = parts
        return [(year, 4), (month, 2), (day, 2)].map { number, width in
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }.joined(separator: "-")
    }
}

extension Int {
    /// The remainder that is never negative.
    func modulo(_ divisor: Int) -> Int {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }

    /// The quotient rounded down.
    func floorDivided(by divisor: Int) -> Int { (self - modulo(divisor)) / divisor }
}
