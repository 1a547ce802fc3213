// SPDX-License-Identifier: Apache-2.0

import ParleyCalendar

/// Determines the days that a ``DayTerm`` means in a context.
struct DateCalendar {
    /// The possible meanings of a term: the preferred reading, alternatives, and the assumptions made.
    struct Reading {
        var days: ClosedRange<CivilDate>
        var others: [ClosedRange<CivilDate>] = []
        var assumptions: [DateResolution.Assumption] = []

        init(_ day: CivilDate) { days = day...day }
        /// From one day to another; where the calendar's last year cuts the second off, the first alone.
        init(_ first: CivilDate, through last: CivilDate) { days = first...max(first, last) }
    }

    let context: DateContext

    /// The days of a term; nil where there are none, as for 30 February.
    ///
    /// - Parameters:
    ///   - term: the term.
    ///   - hasPassed: whether today no longer counts, because the time that was said is over.
    /// - Returns: the days that are taken, with the others.
    func reading(of term: DayTerm, hasPassed: Bool?) -> Reading? {
        let today = context.today
        switch term {
        case .offset(let days): return Reading(today + days)
        case .weekday(let weekday, let which): return self.weekday(weekday, which, hasPassed: hasPassed)
        case .date(let year, let month, let day, let weekday): return date(year, month, day, weekday)
        case .dayOfMonth(let day, let months):
            let first = firstOfMonth(today).adding(months: months)
            return CivilDate(year: first.parts.year, month: first.parts.month, day: day).map { Reading($0) }
        case .digits(let first, let second, let year): return digits(first, second, year)
        case .days(let first, let last): return reading(of: first, hasPassed: nil).flatMap { span($0, last) }
        case .month(let month, let year, let which): return self.month(month, year, which)
        case .year(let year):
            return CivilDate(year: year, month: 1, day: 1).map { Reading($0, through: $0.adding(months: 12) - 1) }
        case .period(let unit, let offset): return period(unit, offset)
        case .coming(_, .weekend):
            let saturday = (today + 1).onOrAfter(.saturday)
            return Reading(saturday, through: saturday + 1)
        case .coming(let count, let unit):
            let end = unit == .month ? today.adding(months: count) : today + (unit == .week ? 7 * count : count)
            return Reading(today, through: end - 1)
        case .edge(let edge, let term): return self.edge(edge, term)
        case .nth(let place, let weekdays, let term): return nth(place, weekdays, term)
        case .shifted(let term, let amount):
            // "Friday in two weeks", said on a Friday, is counted from that day.
            guard var base = reading(of: term, hasPassed: amount.days < 0 ? hasPassed : false) else { return nil }
            // The calendar's first and last month keep the day of the month, so an end can come before its start.
            func move(_ days: ClosedRange<CivilDate>) -> ClosedRange<CivilDate> {
                let ends = [days.lowerBound, days.upperBound].map { $0.adding(months: amount.months) + amount.days }
                return ends[0]...max(ends[0], ends[1])
            }
            base.days = move(base.days)
            base.others = base.others.map(move)
            return base
        }
    }

    /// From the first of some days to the last of others, which may be in a week, month or year after.
    func span(_ first: Reading, _ last: DayTerm) -> Reading? {
        guard var end = reading(of: last, hasPassed: nil)?.days.upperBound else { return nil }
        let begin = first.days.lowerBound
        if end < begin {
            let weeks = (begin.dayNumber - end.dayNumber + 6) / 7
            let later = last.isWeekly ? [end + 7 * weeks] : [end.adding(months: 1), end.adding(months: 12)]
            end = later.first { $0 >= begin } ?? end
        }
        guard end >= begin else { return nil }
        var reading = Reading(begin, through: end)
        reading.assumptions = first.assumptions
        return reading
    }

    private func weekday(_ weekday: Weekday, _ which: DateLanguage.Which?, hasPassed: Bool?) -> Reading {
        let today = context.today
        let coming = today.onOrAfter(weekday)
        switch which {
        case nil where coming == today:
            // Today counts where a time is said that is still to come.
            let isToday = hasPassed == false
            var reading = Reading(isToday ? today : today + 7)
            reading.others = [isToday ? today + 7 : today].map { $0...$0 }
            reading.assumptions = [.week]
            return reading
        case nil, .this: return Reading(coming)
        case .coming: return Reading((today + 1).onOrAfter(weekday))
        case .last: return Reading((today - 7).onOrAfter(weekday))
        case .next, .afterNext:
            let skipped = which == .next ? 0 : 7
            let next = (today.startOfWeek(first: context.firstWeekday) + 7 + skipped).onOrAfter(weekday)
            var reading = Reading(next)
            // Where the coming one is in next week already, some mean the one after.
            let first = (today + 1).onOrAfter(weekday) + skipped
            let other = first == next ? next + 7 : first
            reading.others = [other...other]
            reading.assumptions = [.week]
            return reading
        }
    }

    private func date(_ year: Int?, _ month: Int?, _ day: Int, _ weekday: Weekday?) -> Reading? {
        let today = context.today
        var found: CivilDate?
        var assumption: DateResolution.Assumption?
        if let year {
            found = month.flatMap { CivilDate(year: year, month: $0, day: day) }
        } else if let month {
            // Up to eight years lie between two leap days; the weekday may choose among the years.
            let years = (today.parts.year...today.parts.year + 8).compactMap {
                CivilDate(year: $0, month: month, day: day)
            }
            found = years.first { $0 >= today }
            assumption = .year
        } else {
            let first = firstOfMonth(today)
            let days = (0...2).compactMap { months -> CivilDate? in
                let date = first.adding(months: months).parts
                return CivilDate(year: date.year, month: date.month, day: day)
            }
            found = days.first { $0 >= today }
            assumption = .month
        }
        guard let found else { return nil }
        var reading = Reading(found)
        if let assumption { reading.assumptions.append(assumption) }
        if year == nil, let month, let past = CivilDate(year: found.parts.year - 1, month: month, day: day),
            past < today
        {
            reading.others = [past...past]
        }
        if let weekday, found.weekday != weekday { reading.assumptions.append(.weekday) }
        return reading
    }

    private func digits(_ first: Int, _ second: Int, _ year: Int?) -> Reading? {
        let monthFirst = date(year, first, second, nil)
        let dayFirst = date(year, second, first, nil)
        let (wanted, other) = context.monthBeforeDay ? (monthFirst, dayFirst) : (dayFirst, monthFirst)
        guard var reading = wanted ?? other else { return nil }
        if let other, wanted != nil, other.days != reading.days {
            reading.others.insert(other.days, at: 0)
            reading.assumptions.append(.order)
        }
        return reading
    }

    private func month(_ month: Int, _ year: Int?, _ which: DateLanguage.Which?) -> Reading? {
        let today = context.today.parts
        var chosen = year ?? today.year
        if year == nil {
            switch which {
            case nil, .this: if month < today.month { chosen += 1 }
            case .coming, .next: if month <= today.month { chosen += 1 }
            case .afterNext: chosen += month <= today.month ? 2 : 1
            case .last: if month >= today.month { chosen -= 1 }
            }
        }
        guard let first = CivilDate(year: chosen, month: month, day: 1) else { return nil }
        var reading = Reading(first, through: first.adding(months: 1) - 1)
        if year == nil { reading.assumptions = [.year] }
        return reading
    }

    private func period(_ unit: DateLanguage.Unit, _ offset: Int) -> Reading? {
        let today = context.today
        switch unit {
        case .weekend:
            // Saturday and Sunday of the week that began last Monday, whatever day weeks begin on.
            let saturday = today.startOfWeek(first: .monday) + 5 + 7 * offset
            var reading = Reading(saturday, through: saturday + 1)
            if offset == 1 {
                reading.others = [(saturday - 7)...(saturday - 6)]
                reading.assumptions = [.week]
            }
            return reading
        case .week:
            let first = today.startOfWeek(first: context.firstWeekday) + 7 * offset
            return Reading(first, through: first + 6)
        case .month:
            let first = firstOfMonth(today).adding(months: offset)
            return Reading(first, through: first.adding(months: 1) - 1)
        case .year:
            guard let first = CivilDate(year: today.parts.year + offset, month: 1, day: 1) else { return nil }
            return Reading(first, through: first.adding(months: 12) - 1)
        default: return Reading(today + offset)
        }
    }

    private func edge(_ edge: DateLanguage.Edge, _ term: DayTerm) -> Reading? {
        guard let whole = reading(of: term, hasPassed: nil) else { return nil }
        let (first, last) = (whole.days.lowerBound, whole.days.upperBound)
        switch edge {
        case .start: return Reading(first)
        case .middle: return Reading(first + (last.dayNumber - first.dayNumber) / 2)
        case .end:
            guard last.dayNumber - first.dayNumber == 6 else { return Reading(last) }
            let friday = first.onOrAfter(.friday)
            // Said after the Friday of this week, it is what is left of the week.
            guard friday >= context.today || last < context.today else { return Reading(last) }
            var reading = Reading(friday)
            reading.others = [last...last]
            reading.assumptions = [.endOfWeek]
            return reading
        }
    }

    private func nth(_ place: Int, _ weekdays: [Weekday], _ term: DayTerm) -> Reading? {
        guard let whole = reading(of: term, hasPassed: nil) else { return nil }
        let day = Self.nth(place, weekdays, whole.days)
        // "The first Monday of the month", said after it, is that of the next.
        if let day, day < context.today, case .period(.month, 0) = term {
            return period(.month, 1).flatMap { Self.nth(place, weekdays, $0.days) }.map { Reading($0) }
        }
        guard let day else { return nil }
        var reading = Reading(day)
        reading.others = whole.others.compactMap { Self.nth(place, weekdays, $0) }.map { $0...$0 }
        if !reading.others.isEmpty { reading.assumptions = whole.assumptions }
        return reading
    }

    private static func nth(_ place: Int, _ weekdays: [Weekday], _ days: ClosedRange<CivilDate>) -> CivilDate? {
        let fitting = days.filter { weekdays.contains($0.weekday) }
        return place < 0 ? fitting.last : fitting.dropFirst(max(0, place - 1)).first
    }

    private func firstOfMonth(_ day: CivilDate) -> CivilDate { day - (day.parts.day - 1) }
}
