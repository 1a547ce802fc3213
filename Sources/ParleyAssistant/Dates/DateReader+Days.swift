// SPDX-License-Identifier: Apache-2.0

import ParleyCalendar

extension DateReader {
    typealias Day = (term: DayTerm, time: TimeTerm?, next: Int)

    /// A day or a stretch of days, with the part of the day that a word may hold with it: "tonight".
    func day(_ start: Int) -> Day? {
        let index = skip(start, .filler, .at, marks: false)
        if let found = singleDay(index) { return later(found) }
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

    /// "Friday in two weeks", "heute in 14 Tagen": so much later than the day.
    private func later(_ day: Day) -> Day {
        guard has(day.next, .inside), let (amount, next) = amount(skip(day.next + 1, .filler, marks: false)) else {
            return day
        }
        switch day.term {
        case .offset where amount.seconds == 0, .weekday where amount.isWholeWeeks:
            return (.shifted(day.term, amount), day.time, next)
        default: return day
        }
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
        if which == nil, let (said, next) = said(behind: after) {
            if token(next)?.unit == .week {
                return (.nth(1, weekdays: [weekday], said.period(.week)), nil, next + 1)
            }
            if token(next)?.weekday == nil, token(next)?.unit == nil { (which, index) = (said, next) }
        } else if which == nil, token(after)?.unit == .week, let (said, next) = said(behind: after + 1) {
            return (.nth(1, weekdays: [weekday], said.period(.week)), nil, next)
        }
        return (.weekday(weekday, which), nil, index)
    }

    /// "3 March 2027", "March 3rd", "the 3rd of March", "3 to 5 December", "the 3rd".
    func monthDay(_ start: Int, weekday: Weekday?, isOn: Bool) -> Day? {
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
            if let (which, after) = self.said(behind: index + 1) {
                return (.dayOfMonth(day, which.offset), nil, after)
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
    func month(_ start: Int) -> Day? {
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
}
