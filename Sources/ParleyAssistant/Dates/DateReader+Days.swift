// SPDX-License-Identifier: Apache-2.0

import ParleyCalendar

extension DateReader {
    typealias Day = (term: DayTerm, time: TimeTerm?, next: Int)

    /// A day or a stretch of days, with the part of the day that a word may hold with it: "tonight".
    func day(_ start: Int) -> Day? {
        let index = skip(start, .filler, .at, marks: false)
        if let found = singleDay(index) { return found }
        // "the day after tomorrow" is a phrase; "three days after Christmas", "a week from Monday" are amounts.
        guard let (amount, next) = amount(index), amount.seconds == 0 else { return nil }
        // "a week on Friday"
        if amount.days == 7, has(next, .on), let weekday = token(next + 1)?.weekday {
            return (.shifted(.weekday(weekday, nil), amount), nil, next + 2)
        }
        if has(next, .after) || has(next, .earlier) {
            let from = skip(next + 1, .on, .filler, marks: false)
            if let (term, time, after) = singleDay(from) {
                return (.shifted(term, has(next, .after) ? amount : -amount), time, after)
            }
        }
        return nil
    }

    private func singleDay(_ start: Int) -> Day? {
        if let found = digits(start) { return found }
        let index = skip(start, .on, .of, .inside, .filler, marks: false)
        guard let token = token(index) else { return nil }
        if case .day(let offset, let part)? = token.meanings.first(where: { if case .day = $0 { true } else { false } })
        {
            if isWeekLater(index + 1) { return (.offset(offset + 7), nil, index + 2) }
            return (.offset(offset), part.map { TimeTerm(part: $0) }, index + 1)
        }
        if case .holiday(let month, let day)? = token.meanings.first(where: {
            if case .holiday = $0 { true } else { false }
        }) {
            let (year, next) = year(index + 1)
            return (.date(year: year, month: month, day: day, weekday: nil), nil, next)
        }
        if let found = edge(index) ?? nth(index) ?? weekday(index) ?? period(index) { return found }
        if let found = monthDay(index, weekday: nil, isOn: has(index - 1, .on)) { return found }
        return month(index)
    }

    private func isWeekLater(_ index: Int) -> Bool { token(index)?.unit == .week && token(index)?.text == "week" }

    /// 2026-11-22, 22/11/2026, 22.11.2026, 22.11., 22/11.
    private func digits(_ start: Int) -> Day? {
        let index = skip(start, .on, .filler, marks: false)
        guard let first = token(index)?.digits, let mark = token(index + 1), mark.isGlued,
            ["-", "/", "."].contains(mark.text), let middle = token(index + 2), middle.isGlued,
            let second = middle.digits, second.count <= 2
        else { return nil }
        let third = token(index + 4)
        let hasThird = isMark(index + 3, mark.text, glued: true) && (third?.isGlued ?? false) && third?.digits != nil
        if first.count == 4 {
            guard hasThird, let day = third?.digits?.value else { return nil }
            return (.date(year: first.value, month: second.value, day: day, weekday: nil), nil, index + 5)
        }
        guard first.count <= 2, (1...31).contains(first.value), (1...31).contains(second.value) else { return nil }
        if hasThird, let year = third?.digits, year.count != 3 {
            let full = year.count == 4 ? year.value : 2000 + year.value
            return (digits(first.value, second.value, full, mark.text), nil, index + 5)
        }
        switch mark.text {
        case "/": return (digits(first.value, second.value, nil, "/"), nil, index + 3)
        // Without a year, "3.12" may be a number or a time: a date has the second point.
        case "." where isMark(index + 3, ".", glued: true):
            return (digits(first.value, second.value, nil, "."), nil, index + 4)
        default: return nil
        }
    }

    private func digits(_ first: Int, _ second: Int, _ year: Int?, _ mark: String) -> DayTerm {
        // Points are written where the day comes first.
        mark == "." ? .date(year: year, month: second, day: first, weekday: nil) : .digits(first, second, year: year)
    }

    /// "Friday", "next Friday", "vendredi prochain", "Friday the 3rd", "Monday week".
    private func weekday(_ start: Int) -> Day? {
        var which = token(start)?.which
        var index = which == nil ? start : skip(start + 1, .on, .filler, marks: false)
        guard let weekday = token(index)?.weekday else { return nil }
        index += 1
        // "Fri." and a comma before the date
        if isMark(index, ".", glued: true), token(index + 1)?.isGlued != true { index += 1 }
        if which == nil {
            let after = skip(index, .on, .filler)
            if let found = digits(after) {
                if case .date(let year, let month, let day, _) = found.term {
                    return (.date(year: year, month: month, day: day, weekday: weekday), nil, found.next)
                }
                return found
            }
            if let found = monthDay(after, weekday: weekday, isOn: has(after - 1, .on)) { return found }
            if isWeekLater(index) {
                return (.shifted(.weekday(weekday, nil), CalendarDuration(days: 7)), nil, index + 1)
            }
        }
        // "Friday next week", "vendredi prochain"
        let after = skip(index, .of, .on, marks: false)
        if which == nil, let said = token(after)?.which {
            if token(after + 1)?.unit == .week {
                return (.nth(1, weekday: weekday, .period(.week, said.offset)), nil, after + 2)
            }
            if token(after + 1)?.weekday == nil, token(after + 1)?.unit == nil { (which, index) = (said, after + 1) }
        } else if which == nil, token(after)?.unit == .week, let said = token(after + 1)?.which {
            return (.nth(1, weekday: weekday, .period(.week, said.offset)), nil, after + 2)
        }
        return (.weekday(weekday, which), nil, index)
    }

    /// "3 March 2027", "March 3rd", "the 3rd of March", "3 to 5 December", "the 3rd".
    private func monthDay(_ start: Int, weekday: Weekday?, isOn: Bool) -> Day? {
        if let month = token(start)?.month {
            let index = skip(isMark(start + 1, ".", glued: true) ? start + 2 : start + 1, .on, .filler, marks: false)
            guard let (day, next) = dayNumber(index), token(next)?.unit == nil, token(next)?.afternoon == nil,
                !isMark(next, ":", glued: true), !has(next, .oClock)
            else { return nil }
            if has(next, .to), let (last, after) = dayNumber(next + 1), token(after)?.afternoon == nil,
                !isMark(after, ":", glued: true)
            {
                let (year, end) = year(after)
                return (span(day, last, month, year), nil, end)
            }
            let (year, end) = year(isMark(next, ",") && token(next + 1)?.digits?.count == 4 ? next + 1 : next)
            return (.date(year: year, month: month, day: day, weekday: weekday), nil, end)
        }
        guard let (day, next) = dayNumber(start) else { return nil }
        if has(next, .to), let (last, after) = dayNumber(next + 1) {
            let index = skip(after, .of, marks: false)
            if let month = token(index)?.month {
                let (year, end) = year(index + 1)
                return (span(day, last, month, year), nil, end)
            }
        }
        let index = skip(next, .of, .on, marks: false)
        if let month = token(index)?.month {
            let from = skip(isMark(index + 1, ".", glued: true) ? index + 2 : index + 1, .of, marks: false)
            let (year, end) = year(token(from)?.digits?.count == 4 ? from : index + 1)
            return (.date(year: year, month: month, day: day, weekday: weekday), nil, end)
        }
        let said = ordinal(start) != nil && (isOn || token(start)?.digits != nil)
        guard said || (isOn && token(start)?.digits != nil) || weekday != nil && said else { return nil }
        // A bare number after "on" is a day only where nothing shows that it counts something else.
        guard token(next)?.unit == nil, token(next)?.afternoon == nil, !has(next, .oClock), token(next)?.part == nil,
            !isMark(next, ":", glued: true), token(next)?.weekday == nil
        else { return nil }
        if let which = token(index)?.which, token(index + 1)?.unit == .month {
            return (.dayOfMonth(day, which.offset), nil, index + 2)
        }
        if index > next, token(index)?.unit == .month {
            let after = token(index + 1)?.which?.offset
            if let after {
                return (.dayOfMonth(day, after), nil, index + 2)
            }
            return (.date(year: nil, month: nil, day: day, weekday: weekday), nil, index + 1)
        }
        // "the second act" is no day.
        if token(start)?.digits == nil, let after = token(next), after.meanings.isEmpty, after.digits == nil,
            after.text.first?.isLetter ?? false
        {
            return nil
        }
        return (.date(year: nil, month: nil, day: day, weekday: weekday), nil, next)
    }

    private func span(_ first: Int, _ last: Int, _ month: Int, _ year: Int?) -> DayTerm {
        .days(
            .date(year: year, month: month, day: first, weekday: nil),
            .date(year: year, month: month, day: last, weekday: nil))
    }

    private func dayNumber(_ index: Int) -> (value: Int, next: Int)? {
        if let (value, next) = ordinal(index) { return (1...31).contains(value) ? (value, next) : nil }
        guard let token = token(index), let number = token.number, (1...31).contains(number),
            token.digits?.count ?? 1 <= 2
        else { return nil }
        return (number, index + 1)
    }

    private func year(_ index: Int) -> (value: Int?, next: Int) {
        let from = skip(index, .of, marks: false)
        guard let digits = token(from)?.digits, digits.count == 4, (1900...2199).contains(digits.value),
            !isMark(from + 1, ":", glued: true), !isMark(from + 1, "-", glued: true)
        else { return (nil, index) }
        return (digits.value, from + 1)
    }

    /// "in March", "March 2027", "next March".
    private func month(_ start: Int) -> Day? {
        let which = token(start)?.which
        let index = which == nil ? start : start + 1
        guard let month = token(index)?.month else {
            guard which == nil, has(start - 1, .of) || has(start - 1, .inside), let digits = token(start)?.digits,
                digits.count == 4, (1900...2199).contains(digits.value)
            else { return nil }
            return (.year(digits.value), nil, start + 1)
        }
        if which == nil, let said = token(index + 1)?.which, token(index + 2)?.isTemporal != true {
            return (.month(month, year: nil, said), nil, index + 2)
        }
        let (year, next) = year(index + 1)
        return (.month(month, year: year, which), nil, next)
    }

    /// "this week", "next month", "la semaine prochaine", "the next 3 days", "the weekend".
    private func period(_ start: Int) -> Day? {
        if let which = token(start)?.which {
            if let unit = token(start + 1)?.unit, unit.isPeriod { return (.period(unit, which.offset), nil, start + 2) }
            if which == .next, let (count, next) = count(start + 1), count > 0, let unit = token(next)?.unit,
                unit == .day || unit == .week || unit == .month
            {
                return (.coming(min(count, 999), unit), nil, next + 1)
            }
            return nil
        }
        guard let unit = token(start)?.unit, unit.isPeriod else { return nil }
        if let which = token(start + 1)?.which, token(start + 2)?.weekday == nil {
            return (.period(unit, which.offset), nil, start + 2)
        }
        let isNamed = unit == .weekend || (start > 0 && has(start - 1, .on) && unit != .day)
        return isNamed ? (.period(unit, 0), nil, start + 1) : nil
    }

    /// "end of the month", "beginning of next week", "mid March".
    private func edge(_ start: Int) -> Day? {
        guard let edge = token(start)?.edge else { return nil }
        let index = skip(start + 1, .of, .on, .filler, marks: false)
        if let which = token(index)?.which, let unit = token(index + 1)?.unit, unit.isPeriod {
            return (.edge(edge, .period(unit, which.offset)), nil, index + 2)
        }
        if let unit = token(index)?.unit, unit.isPeriod {
            let which = token(index + 1)?.which
            return (.edge(edge, .period(unit, which?.offset ?? 0)), nil, which == nil ? index + 1 : index + 2)
        }
        guard let (term, _, next) = month(index) else { return nil }
        return (.edge(edge, term), nil, next)
    }

    /// "the first Monday in March", "last Friday of the month".
    private func nth(_ start: Int) -> Day? {
        let isLast = has(start, .ordinal(-1)) || token(start)?.which == .last
        guard let place = isLast ? (-1, start + 1) : ordinal(start), let weekday = token(place.1)?.weekday else {
            return nil
        }
        let index = skip(place.1 + 1, .of, .on, .inside, marks: false)
        guard index > place.1 + 1 else { return nil }
        if let found = period(index), case .period(let unit, _) = found.term, unit == .month || unit == .year {
            return (.nth(place.0, weekday: weekday, found.term), nil, found.next)
        }
        guard let (term, _, next) = month(index) else { return nil }
        return (.nth(place.0, weekday: weekday, term), nil, next)
    }
}

extension DateLanguage.Which {
    /// How many periods from the current one.
    var offset: Int {
        switch self {
        case .this: 0
        case .next: 1
        case .last: -1
        }
    }
}

extension DateLanguage.Unit {
    /// Whether "this" and "next" go with it.
    fileprivate var isPeriod: Bool { self == .week || self == .weekend || self == .month || self == .year }
}
