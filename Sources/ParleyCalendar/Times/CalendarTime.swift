// SPDX-License-Identifier: Apache-2.0

/// A value of the type DATE or DATE-TIME, in the form in which the calendar states it.
public enum CalendarTime: Hashable, Sendable {
    /// A whole day.
    case date(CivilDate)
    /// A local time without a time zone, which is the same wherever one is.
    case floating(CivilTime)
    /// A time in UTC.
    case utc(CivilTime)
    /// A local time in a time zone.
    ///
    /// `zone` names a VTIMEZONE of the calendar, or else a zone of the IANA database.
    case zoned(CivilTime, zone: String)

    /// The time on its own clock; midnight for a date.
    public var civil: CivilTime {
        switch self {
        case .date(let date): CivilTime(midnightOf: date)
        case .floating(let time), .utc(let time), .zoned(let time, _): time
        }
    }

    /// Whether it is a date without a time.
    public var isDate: Bool { if case .date = self { true } else { false } }

    /// Whether it is a time without a zone.
    public var isFloating: Bool { if case .floating = self { true } else { false } }

    /// Returns a time of the same form and zone.
    ///
    /// - Parameter civil: The local time; for a date, only its day is used.
    /// - Returns: The time.
    public func with(_ civil: CivilTime) -> CalendarTime {
        switch self {
        case .date: .date(civil.date)
        case .floating: .floating(civil)
        case .utc: .utc(civil)
        case .zoned(_, let zone): .zoned(civil, zone: zone)
        }
    }

    /// Parses a value; nil for anything else, and for days and times that do not exist.
    ///
    /// - Parameters:
    ///   - text: `20260307`, `20260307T140509` or `20260307T140509Z`.
    ///   - zone: The parameter TZID, if any; UTC takes precedence over it.
    public init?(_ text: some StringProtocol, zone: String? = nil) {
        let digits = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int? {
            var result = 0
            for byte in digits[range] {
                guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
                result = result * 10 + Int(byte - UInt8(ascii: "0"))
            }
            return result
        }
        guard digits.count == 8 || digits.count == 15 || digits.count == 16,
            let year = number(0..<4), let month = number(4..<6), let day = number(6..<8),
            let date = CivilDate(year: year, month: month, day: day)
        else { return nil }
        guard digits.count > 8 else {
            self = .date(date)
            return
        }
        guard digits[8] == UInt8(ascii: "T") || digits[8] == UInt8(ascii: "t"),
            let hour = number(9..<11), let minute = number(11..<13), let second = number(13..<15),
            let time = CivilTime(date, hour: hour, minute: minute, second: second)
        else { return nil }
        if digits.count == 16 {
            guard digits[15] == UInt8(ascii: "Z") || digits[15] == UInt8(ascii: "z") else { return nil }
            self = .utc(time)
        } else if let zone {
            self = .zoned(time, zone: zone)
        } else {
            self = .floating(time)
        }
    }

    /// The serialised value, without the zone, which is a parameter.
    public var text: String {
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let (year, month, day) = civil.date.parts
        let date = padded(year, 4) + padded(month, 2) + padded(day, 2)
        if isDate { return date }
        let (hour, minute, second) = civil.clock
        let time = "T" + padded(hour, 2) + padded(minute, 2) + padded(second, 2)
        if case .utc = self { return date + time + "Z" }
        return date + time
    }
}
