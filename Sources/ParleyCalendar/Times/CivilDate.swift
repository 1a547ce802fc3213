// SPDX-License-Identifier: Apache-2.0

/// A day of the week.
public enum Weekday: Int, Hashable, Sendable, CaseIterable {
    case monday, tuesday, wednesday, thursday, friday, saturday, sunday

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

    /// Whether one day is before another.
    public static func < (left: CivilDate, right: CivilDate) -> Bool { left.dayNumber < right.dayNumber }

    static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    static func days(inMonth month: Int, of year: Int) -> Int {
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

extension Int {
    /// The remainder that is never negative.
    func modulo(_ divisor: Int) -> Int {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }

    /// The quotient rounded down.
    func floorDivided(by divisor: Int) -> Int { (self - modulo(divisor)) / divisor }
}
