// SPDX-License-Identifier: Apache-2.0

import ParleyCalendar

extension DateReader {
    /// "this week", "next month", "la semaine prochaine", "the next 3 days", "the weekend".
    func period(_ start: Int) -> Day? {
        if let (unit, which, next) = namedPeriod(start) {
            let isSaid = next > start + 1 || unit == .weekend || start > 0 && has(start - 1, .on)
            return isSaid ? within(unit, which, next) : nil
        }
        guard let which = token(start)?.which, which == .next || which == .coming,
            let (count, next) = count(start + 1), count > 0, let unit = token(next)?.unit,
            unit == .day || unit == .week || unit == .month
        else { return nil }
        return (.coming(min(count, 999), unit), nil, next + 1)
    }

    /// A week, weekend, month or year, with what says which one: "next month", "la semaine prochaine", "month".
    private func namedPeriod(_ start: Int) -> (unit: DateLanguage.Unit, which: DateLanguage.Which, next: Int)? {
        if let which = token(start)?.which {
            guard let unit = token(start + 1)?.unit, unit.isPeriod else { return nil }
            return (unit, which, start + 2)
        }
        guard let unit = token(start)?.unit, unit.isPeriod else { return nil }
        if let (said, next) = said(behind: start + 1), token(next)?.weekday == nil {
            return (unit, said, next)
        }
        return (unit, .this, start + 1)
    }

    /// A period, or the day of it that is named behind it: "next week on Friday", "next month on the 3rd".
    private func within(_ unit: DateLanguage.Unit, _ which: DateLanguage.Which, _ next: Int) -> Day {
        let period = which.period(unit)
        let index = skip(next, .on, marks: false)
        guard let token = token(index) else { return (period, nil, next) }
        if let weekday = token.weekday,
            unit == .week || unit == .weekend && (weekday == .saturday || weekday == .sunday)
        {
            return (.nth(1, weekdays: [weekday], period), nil, index + 1)
        }
        guard unit == .month, index > next else { return (period, nil, next) }
        if let place = place(index) { return (.nth(place.value, weekdays: place.days, period), nil, place.next) }
        guard let found = monthDay(index, weekday: nil, isOn: true), case .date(nil, let month, let day, _) = found.term
        else { return (period, nil, next) }
        return (month == nil ? .dayOfMonth(day, which.offset) : found.term, nil, found.next)
    }

    /// "end of the month", "beginning of next week", "mid March".
    func edge(_ start: Int) -> Day? {
        guard let edge = token(start)?.edge else { return nil }
        let index = skip(start + 1, .of, .on, .filler, marks: false)
        if let (unit, which, next) = namedPeriod(index) { return (.edge(edge, which.period(unit)), nil, next) }
        guard let (term, _, next) = month(index) else { return nil }
        return (.edge(edge, term), nil, next)
    }

    /// "the first Monday in March", "last Friday of the month", "the last working day of next month".
    func nth(_ start: Int) -> Day? {
        guard let place = place(start) else { return nil }
        let index = skip(place.next, .of, .on, .inside, .filler, marks: false)
        guard index > place.next else { return nil }
        if let (unit, which, next) = namedPeriod(index), unit != .weekend {
            return (.nth(place.value, weekdays: place.days, which.period(unit)), nil, next)
        }
        guard let (term, _, next) = month(index) else { return nil }
        return (.nth(place.value, weekdays: place.days, term), nil, next)
    }

    /// "first Monday", "last working day", "3rd day": a place among the days of a period, -1 for the last.
    func place(_ start: Int) -> (value: Int, days: [Weekday], next: Int)? {
        let isLast = has(start, .ordinal(-1)) || token(start)?.which == .last
        guard let found = isLast ? (-1, start + 1) : ordinal(start), found.0 != 0 else { return nil }
        let (value, index) = (found.0, found.1)
        if let weekday = token(index)?.weekday { return (value, [weekday], index + 1) }
        switch token(index)?.unit {
        case .workday: return (value, Weekday.workdays, index + 1)
        case .day: return (value, Weekday.allCases, index + 1)
        default: return nil
        }
    }

    /// "prochain", "after next", which stand behind the word that they are about.
    func said(behind index: Int) -> (which: DateLanguage.Which, next: Int)? {
        if let which = token(index)?.which { return (which, index + 1) }
        // "the week after next", but "a week after next Friday"
        guard has(index, .after), has(index, .past), token(index + 1)?.which == .next else { return nil }
        let next = token(index + 2)
        guard next?.weekday == nil, next?.unit == nil, next?.month == nil else { return nil }
        return (.afterNext, index + 2)
    }
}

extension DateLanguage.Which {
    /// How many periods from the current one.
    var offset: Int {
        switch self {
        case .this: 0
        case .coming, .next: 1
        case .afterNext: 2
        case .last: -1
        }
    }

    /// The period of a unit that is meant; the coming weekend may be that of this week.
    func period(_ unit: DateLanguage.Unit) -> DayTerm {
        self == .coming && unit == .weekend ? .coming(1, unit) : .period(unit, offset)
    }
}

extension DateLanguage.Unit {
    /// Whether "this" and "next" go with it.
    fileprivate var isPeriod: Bool { self == .week || self == .weekend || self == .month || self == .year }
}
