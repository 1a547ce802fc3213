// SPDX-License-Identifier: Apache-2.0

/// A length of time in calendar units: a month is not a fixed number of days, nor a day a fixed number of hours.
///
/// Values of the type DURATION (RFC 5545, section 3.3.6) have days and seconds. Days are nominal: one day later is the
/// same local time on the next day, even if the day has 23 hours. Seconds are exact. Only people say months: no
/// calendar contains them, and a duration with months is none that an event or an alarm can have.
public struct CalendarDuration: Hashable, Sendable {
    /// Whole months, in addition to the days; 0 for every duration that was read from a calendar.
    public var months: Int
    /// The days, with each week counted as seven; negative for a duration before a time.
    public var days: Int
    /// The seconds in addition to the days, with the same sign.
    public var seconds: Int

    /// Creates a duration that is the sum of months, days and seconds.
    ///
    /// - Parameters:
    ///   - months: Whole months.
    ///   - days: Nominal days.
    ///   - seconds: Exact seconds, of the same sign as the days.
    public init(months: Int = 0, days: Int = 0, seconds: Int = 0) {
        self.months = months
        self.days = days
        self.seconds = seconds
    }

    /// Reads a value such as `PT15M`, `-P1D` or `P2W`; nil for anything else, and for more than a million days.
    ///
    /// - Parameter text: The value as written; weeks may be combined with other parts.
    public init?(_ text: some StringProtocol) {
        var rest = text.uppercased()[...]
        let isNegative = rest.first == "-"
        if rest.first == "-" || rest.first == "+" { rest.removeFirst() }
        guard rest.popFirst() == "P", !rest.isEmpty else { return nil }
        var (days, seconds, inTime) = (0, 0, false)
        while !rest.isEmpty {
            if rest.first == "T" {
                guard !inTime, rest.count > 1 else { return nil }
                inTime = true
                rest.removeFirst()
            }
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest[digits.endIndex...]
            guard digits.count <= 10, let number = Int(digits), let unit = rest.popFirst() else { return nil }
            switch (unit, inTime) {
            case ("W", false): days += number * 7
            case ("D", false): days += number
            case ("H", true): seconds += number * 3600
            case ("M", true): seconds += number * 60
            case ("S", true): seconds += number
            default: return nil
            }
            // A unit may come again and again.
            guard days <= 1_000_000, seconds <= 86_400_000_000 else { return nil }
        }
        self.init(days: isNegative ? -days : days, seconds: isNegative ? -seconds : seconds)
    }

    /// The serialised value, of days and seconds alone.
    public var text: String {
        let (days, seconds) = (abs(self.days), abs(self.seconds))
        var text = self.days < 0 || self.seconds < 0 ? "-P" : "P"
        if seconds == 0, days > 0, days % 7 == 0 { return text + "\(days / 7)W" }
        if days > 0 { text += "\(days)D" }
        if seconds > 0 || days == 0 {
            let parts = [(seconds / 3600, "H"), (seconds / 60 % 60, "M"), (seconds % 60, "S")].filter { $0.0 > 0 }
            text += "T" + (parts.isEmpty ? "0S" : parts.map { "\($0)\($1)" }.joined())
        }
        return text
    }

    /// The same length in the other direction.
    public static prefix func - (duration: CalendarDuration) -> CalendarDuration {
        CalendarDuration(months: -duration.months, days: -duration.days, seconds: -duration.seconds)
    }
}

/// A value of the type PERIOD: a start with an end or a duration.
public struct CalendarPeriod: Hashable, Sendable {
    /// The length of a period.
    public enum Length: Hashable, Sendable {
        /// An exclusive end.
        case end(CalendarTime)
        /// A duration.
        case duration(CalendarDuration)
    }

    /// When it begins.
    public var start: CalendarTime
    /// How long it is.
    public var length: Length

    /// Parses a value.
    ///
    /// - Parameters:
    ///   - text: Two times, or a time and a duration, with a slash between them.
    ///   - zone: The parameter TZID, if any.
    public init?(_ text: some StringProtocol, zone: String? = nil) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let start = CalendarTime(parts[0], zone: zone), !start.isDate else { return nil }
        self.start = start
        if let end = CalendarTime(parts[1], zone: zone), !end.isDate {
            length = .end(end)
        } else if let duration = CalendarDuration(parts[1]), duration.days >= 0, duration.seconds >= 0 {
            length = .duration(duration)
        } else {
            return nil
        }
    }
}
