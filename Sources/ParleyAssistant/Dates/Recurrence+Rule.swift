// SPDX-License-Identifier: Apache-2.0

package import ParleyCalendar

extension Recurrence {
    /// The rule as iCalendar states it.
    ///
    /// - Parameters:
    ///   - start: The start of the series.
    ///   - clock: The clock of the start, on which the last day ends.
    /// - Returns: The rule, with its last day before its number of occurrences if both are given.
    package func rule(from start: CalendarTime, clock: ZoneClock) -> RecurrenceRule {
        let frequencies: [Frequency: RecurrenceRule.Frequency] = [
            .daily: .daily, .weekly: .weekly, .monthly: .monthly, .yearly: .yearly,
        ]
        var rule = RecurrenceRule(frequencies[frequency] ?? .daily, interval: interval)
        let place = frequency == .monthly ? ordinal : nil
        rule.days = weekdays.map { .init($0, ordinal: weekdays.count == 1 ? place : nil) }
        if weekdays.count > 1, let place { rule.setPositions = [place] }
        // A weekend is not divided, whatever day weeks begin on.
        if frequency == .weekly, interval > 1, weekdays.count > 1, !Set(weekdays).isSuperset(of: [.saturday, .sunday]) {
            rule.weekStart = weekStart
        }
        if let until {
            let last = CivilTime(seconds: (until.dayNumber + 1) * 86_400 - 1)
            switch start {
            case .date: rule.end = .until(.date(last.date))
            case .floating: rule.end = .until(.floating(last))
            case .utc, .zoned: rule.end = .until(.utc(CivilTime(seconds: clock.instant(of: last))))
            }
        } else if let count {
            rule.end = .count(max(1, count))
        }
        return rule
    }
}
