// SPDX-License-Identifier: Apache-2.0

import ParleyCalendar

extension DateReader {
    /// What recurs and how.
    struct Recurring {
        var recurrence: Recurrence
        var day: DayTerm?
        var part: DateLanguage.Part?
        var next: Int
    }

    /// "every other Tuesday", "daily", "Mondays and Fridays", "every first Monday of the month", "the last working day of
    /// every month", "every 3 March".
    func recurrence(_ start: Int) -> Recurring? {
        guard let first = token(start) else { return nil }
        if case .frequency(let interval, let unit)? = first.meanings.first(where: {
            if case .frequency = $0 { true } else { false }
        }) {
            return recurring(interval, unit, start + 1)
        }
        let from = skip(start, .on, .filler, marks: false)
        if let (weekdays, next) = everyWeekdays(from) { return weekly(1, weekdays, next) }
        if let part = token(from)?.everyPart {
            return Recurring(recurrence: Recurrence(.daily), part: part, next: from + 1)
        }
        if let place = place(from), let (interval, next) = ofEveryMonth(place.next) {
            return monthly(interval, place, next)
        }
        guard first.has(.every) else { return nil }
        var index = skip(start + 1, .on, marks: false)
        var interval = 1
        // "every second Tuesday" is every other one, but "every second Tuesday of the month" is a place in it.
        if let place = place(index) {
            if let (unit, next) = ofPeriod(place.next), unit == .month { return monthly(1, place, next) }
            // "every first Monday", "every last Friday"
            if abs(place.value) == 1, place.days.count == 1, !has(place.next, .of) {
                return monthly(1, place, place.next)
            }
        }
        if has(index, .other) {
            (interval, index) = (2, index + 1)
        } else if let ordinal = ordinal(index), token(ordinal.next)?.weekday != nil || token(ordinal.next)?.unit != nil
        {
            (interval, index) = (ordinal.value, ordinal.next)
        } else if let ordinal = ordinal(index), ordinal.value > 0 {
            var recurrence = Recurrence(.monthly)
            if let (_, next) = ofPeriod(ordinal.next) {
                return Recurring(
                    recurrence: recurrence, day: .date(year: nil, month: nil, day: ordinal.value, weekday: nil),
                    next: next)
            }
            if let (day, _, next) = day(index), case .date(_, let month?, _, _) = day, month > 0 {
                recurrence.frequency = .yearly
                return Recurring(recurrence: recurrence, day: day, next: next)
            }
            return Recurring(
                recurrence: recurrence, day: .date(year: nil, month: nil, day: ordinal.value, weekday: nil),
                next: ordinal.next)
        } else if let (count, next) = count(index), token(next)?.unit != nil || token(next)?.weekday != nil {
            (interval, index) = (count, next)
        } else if let (day, _, next) = day(index), case .date(nil, .some, _, _) = day {
            return Recurring(recurrence: Recurrence(.yearly), day: day, next: next)
        } else if let month = token(index)?.month {
            return Recurring(
                recurrence: Recurrence(.yearly), day: .month(month, year: nil, nil), next: index + 1)
        }
        guard (1...999).contains(interval), let token = token(index) else { return nil }
        if let (weekdays, next) = weekdays(index) { return weekly(interval, weekdays, next) }
        if let unit = token.unit { return recurring(interval, unit, index + 1) }
        if let part = token.part { return Recurring(recurrence: Recurrence(.daily), part: part, next: index + 1) }
        return nil
    }

    /// One weekday or several: "Monday, Wednesday and Friday".
    func weekdays(_ start: Int) -> (days: [Weekday], next: Int)? {
        var days: [Weekday] = []
        var (index, next) = (start, start)
        while days.count < 7, let day = token(index)?.weekday ?? token(index)?.everyWeekday {
            days.append(day)
            next = index + 1
            index = skip(next, .and, .on, .every)
        }
        return days.isEmpty ? nil : (Weekday.allCases.filter { days.contains($0) }, next)
    }

    private func everyWeekdays(_ start: Int) -> (days: [Weekday], next: Int)? {
        guard token(start)?.everyWeekday != nil else { return nil }
        return weekdays(start)
    }

    private func weekly(_ interval: Int, _ weekdays: [Weekday], _ next: Int) -> Recurring {
        // A part of the day belongs to it, but what follows may be an hour of it: leave that to the reader.
        Recurring(recurrence: Recurrence(.weekly, every: interval, on: weekdays), next: next)
    }

    private func monthly(_ interval: Int, _ place: (value: Int, days: [Weekday], next: Int), _ next: Int) -> Recurring {
        var recurrence = Recurrence(.monthly, every: interval, on: place.days)
        recurrence.ordinal = place.value
        return Recurring(
            recurrence: recurrence, day: .nth(place.value, weekdays: place.days, .period(.month, 0)), next: next)
    }

    private func recurring(_ interval: Int, _ unit: DateLanguage.Unit, _ next: Int) -> Recurring? {
        switch unit {
        case .day: Recurring(recurrence: Recurrence(.daily, every: interval), next: next)
        case .workday:
            Recurring(recurrence: Recurrence(.weekly, every: interval, on: Weekday.workdays), next: next)
        case .weekend:
            Recurring(recurrence: Recurrence(.weekly, every: interval, on: [.saturday, .sunday]), next: next)
        case .week: Recurring(recurrence: Recurrence(.weekly, every: interval), next: next)
        case .month: Recurring(recurrence: Recurrence(.monthly, every: interval), next: next)
        case .year: Recurring(recurrence: Recurrence(.yearly, every: interval), next: next)
        case .second, .minute, .hour: nil
        }
    }

    /// "of every month", "of every second month", with the number of months.
    private func ofEveryMonth(_ start: Int) -> (interval: Int, next: Int)? {
        let index = skip(start, .of, .on, .inside, marks: false)
        guard has(index, .every) else { return nil }
        if token(index + 1)?.unit == .month { return (1, index + 2) }
        if has(index + 1, .other), token(index + 2)?.unit == .month { return (2, index + 3) }
        guard let (count, next) = ordinal(index + 1) ?? self.count(index + 1), 1...99 ~= count,
            token(next)?.unit == .month
        else { return nil }
        return (count, next + 1)
    }

    /// "of the month".
    func ofPeriod(_ start: Int) -> (unit: DateLanguage.Unit, next: Int)? {
        let index = skip(start, .of, .on, .every, marks: false)
        guard index > start, let unit = token(index)?.unit else { return nil }
        return (unit, index + 1)
    }
}
