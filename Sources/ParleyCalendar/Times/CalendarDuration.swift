// SPDX-License-Identifier: Apache-2.0

/// A value of the type DURATION (RFC 5545, section 3.3.6).
///
/// Days are nominal: a day later is the same time of the next day, also where a day has 23 hours. Seconds are exact.
public struct CalendarDuration: Hashable, Sendable {
    /// Days, weeks counted as seven of them; negative for a time before.
    public var days: Int
    /// What comes to the days, of the same sign.
    public var seconds: Int

    /// Makes a duration.
    ///
    /// - Parameters:
    ///   - days: Nominal days.
    ///   - seconds: Exact seconds, of the same sign as the days.
    public init(days: Int = 0, seconds: Int = 0) {
        self.days = days
        self.seconds = seconds
    }

    /// Reads a value such as `PT15M`, `-P1D` or `P2W`; nil for anything else, and for more than a million days.
    ///
    /// - Parameter text: A value as written. Weeks beside other parts are understood too.
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
        }
        guard days <= 1_000_000, seconds <= 86_400_000_000 else { return nil }
        self.init(days: isNegative ? -days : days, seconds: isNegative ? -seconds : seconds)
    }

    /// The value as it is written.
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
}

/// A value of the type PERIOD: from a start to an end, or for a time.
public struct CalendarPeriod: Hashable, Sendable {
    /// How long a period is.
    public enum Length: Hashable, Sendable {
        /// Until this time, which is not part of it.
        case end(CalendarTime)
        /// For this long.
        case duration(CalendarDuration)
    }

    /// When it begins.
    public var start: CalendarTime
    /// How long it is.
    public var length: Length

    /// Reads a value.
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
