// SPDX-License-Identifier: Apache-2.0

/// Tests whether a rule includes a day; every part of the rule that selects days is a condition on the day.
struct RuleDays {
    private let rule: RecurrenceRule
    private let months: UInt16
    private let weekdays: UInt8
    private let ordinals: [RecurrenceRule.Day]
    private let monthDays: [Int]
    /// Whether ordinals of weekdays count within the month; otherwise they count within the year.
    private let countsInMonth: Bool

    /// - Parameters:
    ///   - rule: The rule.
    ///   - start: The first day, from which comes what the rule does not say.
    init(_ rule: RecurrenceRule, start: CivilDate) {
        self.rule = rule
        var (months, days, monthDays) = (rule.months, rule.days, rule.monthDays)
        if rule.yearDays.isEmpty, monthDays.isEmpty, days.isEmpty {
            let parts = start.parts
            switch rule.frequency {
            case .yearly where !rule.weekNumbers.isEmpty: days = [.init(start.weekday)]
            case .yearly:
                if months.isEmpty { months = [parts.month] }
                monthDays = [parts.day]
            case .monthly: monthDays = [parts.day]
            case .weekly: days = [.init(start.weekday)]
            default: break
            }
        }
        let ordinalsCount = rule.frequency == .monthly || rule.frequency == .yearly && rule.weekNumbers.isEmpty
        self.months = months.reduce(0) { $0 | 1 << UInt16($1) }
        self.monthDays = monthDays
        weekdays = days.reduce(0) { $1.ordinal == nil || !ordinalsCount ? $0 | 1 << UInt8($1.weekday.rawValue) : $0 }
        ordinals = ordinalsCount ? days.filter { $0.ordinal != nil } : []
        countsInMonth = rule.frequency == .monthly || !rule.months.isEmpty
    }

    /// In how many months of a year the rule can have days.
    var monthCount: Int { months == 0 ? 12 : months.nonzeroBitCount }

    /// Whether the rule can include days of a month.
    func allows(month: Int) -> Bool { months == 0 || months & 1 << UInt16(month) != 0 }

    /// Whether the rule includes a day.
    func contains(_ date: CivilDate) -> Bool {
        let (year, month, day) = date.parts
        guard allows(month: month) else { return false }
        let monthLength = CivilDate.days(inMonth: month, of: year)
        if !monthDays.isEmpty, !monthDays.contains(day), !monthDays.contains(day - monthLength - 1) { return false }
        let yearDay = date.dayNumber - CivilDate.dayNumber(year: year, month: 1, day: 1) + 1
        let yearLength = CivilDate.days(inYear: year)
        if !rule.yearDays.isEmpty, !rule.yearDays.contains(yearDay),
            !rule.yearDays.contains(yearDay - yearLength - 1)
        {
            return false
        }
        if weekdays != 0 || !ordinals.isEmpty {
            let weekday = date.weekday
            if weekdays & 1 << UInt8(weekday.rawValue) == 0 {
                let (position, length) = countsInMonth ? (day, monthLength) : (yearDay, yearLength)
                let (first, last) = ((position - 1) / 7 + 1, -((length - position) / 7 + 1))
                let isMeant = ordinals.contains { $0.weekday == weekday && ($0.ordinal == first || $0.ordinal == last) }
                guard isMeant else { return false }
            }
        }
        return rule.weekNumbers.isEmpty || hasMeantWeek(date, year: year)
    }

    private func hasMeantWeek(_ date: CivilDate, year: Int) -> Bool {
        var (year, start) = (year, firstWeek(of: year))
        if date.dayNumber < start {
            year -= 1
            start = firstWeek(of: year)
        }
        var next = firstWeek(of: year + 1)
        if date.dayNumber >= next {
            (start, next) = (next, firstWeek(of: year + 2))
        }
        let (week, count) = ((date.dayNumber - start) / 7 + 1, (next - start) / 7)
        return rule.weekNumbers.contains(week) || rule.weekNumbers.contains(week - count - 1)
    }

    /// The first day of the year's first week, which is the first week with at least four days in the year.
    private func firstWeek(of year: Int) -> Int {
        let fourth = CivilDate(dayNumber: CivilDate.dayNumber(year: year, month: 1, day: 4))
        return fourth.dayNumber - (fourth.weekday.rawValue - rule.weekStart.rawValue).modulo(7)
    }
}
