// SPDX-License-Identifier: Apache-2.0

/// The times of a rule in order, on the clock of its start, calculated one interval after the other.
///
/// The clock has no daylight saving; the caller converts times to instants with the time zone. The sequence ends with
/// the year 9999, after COUNT times, after so many empty intervals in a row that the rule presumably has no more times,
/// or when it has examined as much as it may. The caller applies UNTIL, because it is an instant.
package struct RuleTimes: Sequence, IteratorProtocol {
    /// How many days and times rules of one item may examine; those of calendars of many years need a tenth of it.
    package static let most = 2_000_000

    /// How many more days and times may be examined. An hour or less counts as a day.
    package private(set) var left: Int

    private let rule: RecurrenceRule
    private let days: RuleDays
    private let start: Int
    private let earliest: Int
    private let origin: Int
    private let offsets: [Int]
    private var index = 0
    private var remaining: Int?

    /// The rest of the current interval: every combination of base and offset, or the selected times.
    private var bases: [Int] = []
    private var selected: [Int]?
    private var position = 0

    private static let lastSecond = CivilTime.latest.seconds

    /// - Parameters:
    ///   - rule: The rule.
    ///   - start: The first time; what the rule does not say comes from it.
    ///   - earliest: Times before it may be left out, where the rule does not count.
    ///   - isDate: Whether whole days recur, for which hours, minutes and seconds of the rule mean nothing.
    ///   - most: How many days and times may be examined; rules that belong together share what there is.
    package init(
        _ rule: RecurrenceRule, start: CivilTime, earliest: CivilTime? = nil, isDate: Bool = false,
        most: Int = RuleTimes.most
    ) {
        left = most
        var rule = rule
        if isDate { (rule.hours, rule.minutes, rule.seconds) = ([], [], []) }
        self.rule = rule
        self.start = start.seconds
        let clock = start.clock
        func pick(_ numbers: [Int], _ own: Int) -> [Int] { numbers.isEmpty ? [own] : numbers }
        let seconds = Set(pick(rule.seconds, clock.second).map { Swift.min($0, 59) }).sorted()
        let minutes = pick(rule.minutes, clock.minute).flatMap { minute in seconds.map { minute * 60 + $0 } }
        switch rule.frequency {
        case .secondly: offsets = [0]
        case .minutely: offsets = seconds
        case .hourly: offsets = minutes
        default: offsets = pick(rule.hours, clock.hour).flatMap { hour in minutes.map { hour * 3600 + $0 } }
        }
        // There may be as many as a day has seconds, and a calendar may have thousands of such rules.
        left -= offsets.count - 1
        days = RuleDays(rule, start: start.date)
        if case .count(let count) = rule.end {
            remaining = count
            self.earliest = start.seconds
        } else {
            self.earliest = Swift.max(start.seconds, earliest?.seconds ?? start.seconds)
        }
        switch rule.frequency {
        case .yearly: origin = start.date.parts.year
        case .monthly: origin = start.date.month
        case .weekly:
            let back = (start.date.weekday.rawValue - rule.weekStart.rawValue).modulo(7)
            origin = start.date.dayNumber - back
        default: origin = start.seconds.floorDivided(by: Self.unit(rule.frequency))
        }
        let passed =
            switch rule.frequency {
            case .yearly: CivilTime(seconds: self.earliest).date.parts.year - origin
            case .monthly: CivilTime(seconds: self.earliest).date.month - origin
            case .weekly: (CivilTime(seconds: self.earliest).date.dayNumber - origin) / 7
            default: self.earliest.floorDivided(by: Self.unit(rule.frequency)) - origin
            }
        index = Swift.max(0, passed / rule.interval)
    }

    /// The seconds of an interval, for those of a fixed length.
    private static func unit(_ frequency: RecurrenceRule.Frequency) -> Int {
        switch frequency {
        case .secondly: 1
        case .minutely: 60
        case .hourly: 3600
        default: 86_400
        }
    }

    package mutating func next() -> CivilTime? {
        guard remaining != 0 else { return nil }
        while true {
            while let time = takeFromInterval() {
                left -= 1
                guard left >= 0, time <= Self.lastSecond else { return nil }
                guard time >= start else { continue }
                if let count = remaining {
                    remaining = count - 1
                } else if time < earliest {
                    continue
                }
                return CivilTime(seconds: time)
            }
            guard fillNextInterval() else { return nil }
        }
    }

    private mutating func takeFromInterval() -> Int? {
        defer { position += 1 }
        if let selected { return position < selected.count ? selected[position] : nil }
        let (base, offset) = position.quotientAndRemainder(dividingBy: offsets.count)
        return base < bases.count ? bases[base] + offsets[offset] : nil
    }

    /// How many empty intervals in a row end the rule. Days come again with the same dates and weekdays after 400 years,
    /// so a rule of days or longer that has none in so many has none at all. Other useful rules stay far below their
    /// number: every second on a Monday, 29 February at midnight needs about ten thousand, because excluded days, hours
    /// and minutes are skipped.
    private var barrenIntervals: Int {
        switch rule.frequency {
        case .yearly: 400
        case .monthly: 400 * 12
        case .weekly: 146_097 / 7
        case .daily: 146_097
        case .hourly, .minutely, .secondly: 1_000_000
        }
    }

    /// How many days are examined in an interval.
    private var daysOfInterval: Int {
        switch rule.frequency {
        case .yearly: 31 * days.monthCount
        case .monthly: 31
        case .weekly: 7
        case .daily, .hourly, .minutely, .secondly: 1
        }
    }

    /// Advances to the next interval in which the rule has a time.
    private mutating func fillNextInterval() -> Bool {
        // The first interval may be empty because a part of it is left out.
        for _ in 0...barrenIntervals {
            guard left > 0 else { return false }
            left -= daysOfInterval
            let (steps, overflow) = index.multipliedReportingOverflow(by: rule.interval)
            guard !overflow, steps < 1 << 40 else { return false }
            let number = origin + steps
            index += 1
            switch rule.frequency {
            case .yearly:
                guard number <= 9999 else { return false }
                bases = (1...12).flatMap { days(ofMonth: $0, year: number) }
            case .monthly:
                guard number / 12 <= 9999 else { return false }
                bases = days(ofMonth: number % 12 + 1, year: number / 12)
            case .weekly:
                let first = origin + steps * 7
                guard first * 86_400 <= Self.lastSecond else { return false }
                bases = (first..<(first + 7)).compactMap(base(ofDay:))
            default:
                let time = number * Self.unit(rule.frequency)
                guard time <= Self.lastSecond else { return false }
                bases = isMeant(time) ? [time] : []
            }
            position = 0
            select()
            if !(selected?.isEmpty ?? bases.isEmpty) { return true }
        }
        return false
    }

    private func days(ofMonth month: Int, year: Int) -> [Int] {
        guard days.allows(month: month) else { return [] }
        let first = CivilDate.dayNumber(year: year, month: month, day: 1)
        return (first..<(first + CivilDate.days(inMonth: month, of: year))).compactMap(base(ofDay:))
    }

    private func base(ofDay number: Int) -> Int? {
        // Past days can be skipped, unless positions or occurrences are counted.
        if rule.setPositions.isEmpty, remaining == nil, (number + 1) * 86_400 <= earliest { return nil }
        return days.contains(CivilDate(dayNumber: number)) ? number * 86_400 : nil
    }

    /// Whether the rule means an interval of a day or less; if not, the next index is the first one that it may mean.
    private mutating func isMeant(_ time: Int) -> Bool {
        let day = time.floorDivided(by: 86_400)
        let clock = CivilTime(seconds: time).clock
        guard days.contains(CivilDate(dayNumber: day)) else {
            skip(to: (day + 1) * 86_400)
            return false
        }
        let finer: [RecurrenceRule.Frequency] = [.hourly, .minutely, .secondly]
        guard let level = finer.firstIndex(of: rule.frequency) else { return true }
        if !rule.hours.isEmpty, !rule.hours.contains(clock.hour) {
            skip(to: time - time.modulo(3600) + 3600)
            return false
        }
        if level >= 1, !rule.minutes.isEmpty, !rule.minutes.contains(clock.minute) {
            skip(to: time - time.modulo(60) + 60)
            return false
        }
        let isMeantSecond = rule.seconds.contains(clock.second) || clock.second == 59 && rule.seconds.contains(60)
        return level < 2 || rule.seconds.isEmpty || isMeantSecond
    }

    private mutating func skip(to time: Int) {
        let number = time.floorDivided(by: Self.unit(rule.frequency)) - origin
        index = Swift.max(index, (number + rule.interval - 1) / rule.interval)
    }

    /// Selects the times of the interval that BYSETPOS keeps.
    private mutating func select() {
        guard !rule.setPositions.isEmpty else { return }
        let count = bases.count * offsets.count
        let places = Set(rule.setPositions.map { $0 > 0 ? $0 - 1 : count + $0 }).filter { 0..<count ~= $0 }
        selected = places.sorted().map { bases[$0 / offsets.count] + offsets[$0 % offsets.count] }
    }
}

extension CivilDate {
    /// The number of its month, counted from the beginning of the year 0.
    fileprivate var month: Int {
        let (year, month, _) = parts
        return year * 12 + month - 1
    }
}
