// SPDX-License-Identifier: Apache-2.0

/// A recurrence rule: a value of the type RECUR (RFC 5545, section 3.3.10).
public struct RecurrenceRule: Hashable, Sendable {
    /// The length of an interval of the rule.
    public enum Frequency: String, Hashable, Sendable, CaseIterable {
        case secondly = "SECONDLY"
        case minutely = "MINUTELY"
        case hourly = "HOURLY"
        case daily = "DAILY"
        case weekly = "WEEKLY"
        case monthly = "MONTHLY"
        case yearly = "YEARLY"
    }

    /// The end of a rule.
    public enum End: Hashable, Sendable {
        /// The rule has no end.
        case never
        /// The rule ends after a number of occurrences, including the start.
        case count(Int)
        /// The rule ends with the last occurrence that is not after this time.
        case until(CalendarTime)
    }

    /// A weekday, or the nth one in the month or year.
    public struct Day: Hashable, Sendable {
        /// The position in the month or year, counted from the end if negative; nil for every such weekday.
        public var ordinal: Int?
        /// The day of the week.
        public var weekday: Weekday

        /// Creates a weekday.
        ///
        /// - Parameters:
        ///   - weekday: The day of the week.
        ///   - ordinal: −53 to 53 except 0, or nil for every such weekday.
        public init(_ weekday: Weekday, ordinal: Int? = nil) {
            self.weekday = weekday
            self.ordinal = ordinal
        }
    }

    /// The length of an interval of the rule.
    public var frequency: Frequency
    /// The number of intervals between occurrences, at least 1.
    public var interval = 1
    /// The end of the rule.
    public var end = End.never
    /// Seconds, 0 to 60.
    public var seconds: [Int] = []
    /// Minutes, 0 to 59.
    public var minutes: [Int] = []
    /// Hours, 0 to 23.
    public var hours: [Int] = []
    /// Weekdays.
    public var days: [Day] = []
    /// Days of the month, 1 to 31, or −31 to −1 from its end.
    public var monthDays: [Int] = []
    /// Days of the year, 1 to 366, or −366 to −1 from its end.
    public var yearDays: [Int] = []
    /// Weeks of the year, 1 to 53, or −53 to −1 from its end.
    public var weekNumbers: [Int] = []
    /// Months, 1 to 12.
    public var months: [Int] = []
    /// The positions of occurrences to keep within an interval, 1 to 366, or −366 to −1 from the last.
    public var setPositions: [Int] = []
    /// The first day of the week.
    public var weekStart = Weekday.monday

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - frequency: The length of an interval.
    ///   - interval: The number of intervals between occurrences, at least 1.
    ///   - end: The end of the rule.
    public init(_ frequency: Frequency, interval: Int = 1, end: End = .never) {
        self.frequency = frequency
        self.interval = max(1, interval)
        self.end = end
    }
}

extension RecurrenceRule {
    /// Parses a rule.
    ///
    /// - Parameter text: The value as written; its parts may be in any order and case.
    /// - Throws: ``CalendarError`` with code `invalidRule` for numbers out of range, repeated or unknown parts, a
    ///   missing FREQ, or COUNT together with UNTIL.
    public init(parsing text: String) throws(CalendarError) {
        var parts: [String: Substring] = [:]
        for part in text.split(separator: ";") {
            let sides = part.split(separator: "=", maxSplits: 1)
            guard sides.count == 2, parts.updateValue(sides[1], forKey: sides[0].uppercased()) == nil else {
                throw CalendarError(.invalidRule, "A part of a rule has no value, or stands there twice.")
            }
        }
        guard let frequency = parts.removeValue(forKey: "FREQ").flatMap({ Frequency(rawValue: $0.uppercased()) }) else {
            throw CalendarError(.invalidRule, "A rule has no frequency, or one that RFC 5545 does not know.")
        }
        self.init(frequency)
        for (name, value) in parts { try read(name, value) }
        if parts["COUNT"] != nil, parts["UNTIL"] != nil {
            throw CalendarError(.invalidRule, "A rule has both COUNT and UNTIL.")
        }
    }

    private mutating func read(_ name: String, _ value: Substring) throws(CalendarError) {
        switch name {
        case "INTERVAL": interval = try Self.number(name, value, 1...1_000_000_000)
        case "COUNT": end = .count(try Self.number(name, value, 1...1_000_000_000))
        case "UNTIL":
            guard let time = CalendarTime(value) else {
                throw CalendarError(.invalidRule, "UNTIL is neither a date nor a time.")
            }
            end = .until(time)
        case "BYSECOND": seconds = try Self.numbers(name, value, 0...60)
        case "BYMINUTE": minutes = try Self.numbers(name, value, 0...59)
        case "BYHOUR": hours = try Self.numbers(name, value, 0...23)
        case "BYDAY":
            // One that comes again means nothing more, and would be compared with every date.
            var seen: Set<Day> = []
            for part in value.split(separator: ",") {
                let day = try Self.day(part)
                if seen.insert(day).inserted { days.append(day) }
            }
        case "BYMONTHDAY": monthDays = try Self.numbers(name, value, -31...31, excludingZero: true)
        case "BYYEARDAY": yearDays = try Self.numbers(name, value, -366...366, excludingZero: true)
        case "BYWEEKNO": weekNumbers = try Self.numbers(name, value, -53...53, excludingZero: true)
        case "BYMONTH": months = try Self.numbers(name, value, 1...12)
        case "BYSETPOS": setPositions = try Self.numbers(name, value, -366...366, excludingZero: true)
        case "WKST":
            guard let day = Weekday(code: value) else { throw CalendarError(.invalidRule, "WKST names no weekday.") }
            weekStart = day
        default: throw CalendarError(.invalidRule, "A rule has a part that RFC 5545 does not know.")
        }
    }

    private static func number(
        _ name: String, _ text: Substring, _ range: ClosedRange<Int>
    ) throws(CalendarError) -> Int {
        guard let number = Int(text), range ~= number else {
            throw CalendarError(
                .invalidRule, "\(name) is not a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    private static func numbers(
        _ name: String, _ text: Substring, _ range: ClosedRange<Int>, excludingZero: Bool = false
    ) throws(CalendarError) -> [Int] {
        var numbers: Set<Int> = []
        for part in text.split(separator: ",") {
            let number = try number(name, part, range)
            guard number != 0 || !excludingZero else { throw CalendarError(.invalidRule, "\(name) has a zero.") }
            numbers.insert(number)
        }
        return numbers.sorted()
    }

    private static func day(_ text: Substring) throws(CalendarError) -> Day {
        guard text.count >= 2, let weekday = Weekday(code: text.suffix(2)) else {
            throw CalendarError(.invalidRule, "BYDAY names no weekday.")
        }
        let number = text.dropLast(2)
        if number.isEmpty { return Day(weekday) }
        guard let ordinal = Int(number), -53...53 ~= ordinal, ordinal != 0 else {
            throw CalendarError(.invalidRule, "BYDAY has an ordinal that is not from 1 to 53, or −53 to −1.")
        }
        return Day(weekday, ordinal: ordinal)
    }

    /// The serialised rule.
    public var text: String {
        var parts = ["FREQ=\(frequency.rawValue)"]
        switch end {
        case .never: break
        case .count(let count): parts.append("COUNT=\(count)")
        case .until(let time): parts.append("UNTIL=\(time.text)")
        }
        if interval != 1 { parts.append("INTERVAL=\(interval)") }
        let lists = [
            ("BYSECOND", seconds), ("BYMINUTE", minutes), ("BYHOUR", hours), ("BYMONTHDAY", monthDays),
            ("BYYEARDAY", yearDays), ("BYWEEKNO", weekNumbers), ("BYMONTH", months), ("BYSETPOS", setPositions),
        ]
        for (name, numbers) in lists where !numbers.isEmpty {
            parts.append("\(name)=" + numbers.map(String.init).joined(separator: ","))
        }
        if !days.isEmpty {
            let codes = days.map { ($0.ordinal.map(String.init) ?? "") + $0.weekday.code }
            parts.append("BYDAY=" + codes.joined(separator: ","))
        }
        if weekStart != .monday { parts.append("WKST=\(weekStart.code)") }
        return parts.joined(separator: ";")
    }
}
