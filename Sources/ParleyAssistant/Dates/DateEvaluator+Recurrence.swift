// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import ParleyCalendar

extension DateEvaluator {
    /// Of days on which something comes every day or on some weekdays, the first on which it does.
    func recurring(in days: ClosedRange<CivilDate>, hasPassed: Bool?) -> ClosedRange<CivilDate> {
        guard let recurrence = findings.recurrence, recurrence.comesWithinWeeks else { return days }
        var first = days.lowerBound
        if days.count > 1 {
            let next = hasPassed == true ? context.today + 1 : context.today
            // What is over altogether stays so.
            first = max(first, min(next, days.upperBound))
        }
        let weekdays = recurrence.weekdays
        let day = (0..<7).map { first + $0 }.first { weekdays.isEmpty || weekdays.contains($0.weekday) } ?? first
        return day...day
    }

    /// How it recurs, with the last day on which it does.
    func recurrence(first value: DateResolution.Value) -> Recurrence? {
        guard var recurrence = findings.recurrence else { return nil }
        recurrence.weekStart = context.firstWeekday
        let first = clock.day(of: value.first(clock))
        guard let until = findings.until else {
            // "every day next week"
            if recurrence.comesWithinWeeks, recurrence.count == nil, !findings.isOpen,
                let days = findings.start.day.flatMap({ calendar.reading(of: $0, hasPassed: nil)?.days }),
                days.count > 1, days.upperBound >= first
            {
                recurrence.until = days.upperBound
            }
            return recurrence
        }
        if let shift = until.shift {
            recurrence.until = first.adding(months: shift.months) + shift.days
            return recurrence
        }
        guard let last = until.day else { return recurrence }
        // "until Friday" is that after the first day.
        let days = calendar.span(.init(first), last) ?? calendar.reading(of: last, hasPassed: nil)
        recurrence.until = days?.days.upperBound
        return recurrence
    }
}

extension Recurrence {
    /// Whether a week says on which days it comes.
    fileprivate var comesWithinWeeks: Bool { frequency == .daily || frequency == .weekly }
}
