// SPDX-License-Identifier: Apache-2.0

import ParleyCalendar

/// A day or range of days as expressed in words, before its date is known.
indirect enum DayTerm: Hashable {
    /// Counted from today.
    case offset(Int)
    case weekday(Weekday, DateLanguage.Which?)
    /// A month and a day, with the weekday that was said beside it.
    case date(year: Int?, month: Int?, day: Int, weekday: Weekday?)
    /// A day of the month so many after the current one.
    case dayOfMonth(Int, Int)
    /// A date in digits whose order is open: as written first, as written second.
    case digits(Int, Int, year: Int?)
    case days(DayTerm, DayTerm)
    case month(Int, year: Int?, DateLanguage.Which?)
    case year(Int)
    /// A week, weekend, month or year, counted from the current one.
    case period(DateLanguage.Unit, Int)
    /// The next so many units from today, or the weekend that has not begun.
    case coming(Int, DateLanguage.Unit)
    case edge(DateLanguage.Edge, DayTerm)
    /// The first, second, …, last of the days of a period that are one of these weekdays.
    case nth(Int, weekdays: [Weekday], DayTerm)
    case shifted(DayTerm, CalendarDuration)

    /// Whether there is another one in each week.
    var isWeekly: Bool {
        switch self {
        case .weekday, .period(.week, _), .period(.weekend, _), .coming(_, .weekend): true
        case .edge(_, let term), .nth(_, _, let term): term.isWeekly
        default: false
        }
    }
}

/// A time of day as expressed in words.
struct TimeTerm: Hashable {
    /// The hour as it was said; nil where only a part of the day was.
    var hour: Int?
    var minute = 0
    var second = 0
    /// Whether the hour is one of 24, or was said with a.m. or p.m.
    var isExact = false
    /// Whether no minutes and no "o'clock" were said.
    var isBare = false
    var part: DateLanguage.Part?

    /// Converts the hour to 24-hour time with a.m. or p.m.; false if it fits neither.
    mutating func set(afternoon: Bool) -> Bool {
        guard let said = hour, said <= 12 || afternoon else { return false }
        if said <= 12, !isExact || said < 10 { hour = afternoon ? (said == 12 ? 12 : said + 12) : said % 12 }
        isExact = true
        return true
    }

    /// Moves the time by less than an hour: "quarter past", "ten to".
    mutating func add(minutes: Int) {
        minute += minutes
        if minute < 0 {
            minute += 60
            hour = hour.map { $0 == 0 ? 23 : $0 == 1 && !isExact ? 12 : $0 - 1 }
        } else if minute >= 60 {
            minute -= 60
            hour = hour.map { $0 == 12 && !isExact ? 1 : ($0 + 1) % 24 }
        } else if minute > 0, hour == 24 {
            // Past midnight is the next day.
            hour = 0
        }
    }

    /// Converts the hour to 24-hour time according to a part of the day.
    mutating func set(part: DateLanguage.Part) {
        self.part = part
        guard let said = hour, !isExact else { return }
        switch part {
        case .morning: hour = said % 12
        case .noon: hour = said >= 10 ? said : said + 12
        case .afternoon: hour = said == 12 ? 12 : said + 12
        case .evening: hour = said + 12
        case .night, .midnight: hour = said == 12 ? (minute > 0 ? 0 : 24) : (said < 6 ? said : said + 12)
        }
        isExact = true
    }
}

/// What was said of one end of a stretch, or of a point in time.
struct PointTerm {
    var day: DayTerm?
    var time: TimeTerm?
    /// Counted from now: "in 20 minutes".
    var shift: CalendarDuration?
    /// Seconds from UTC, of a time that was written with its zone.
    var offset: Int?

    var isEmpty: Bool { day == nil && time == nil && shift == nil }

    /// Sets the day; one behind an amount is counted with it: "in two weeks on Friday", "in zwei Monaten am 3."
    mutating func set(_ said: DayTerm) {
        day = said
        guard let amount = shift, amount.seconds == 0 else { return }
        switch said {
        case .weekday(_, nil) where amount.isWholeWeeks: day = .shifted(said, amount)
        case .date(nil, nil, let number, _) where amount.days == 0: day = .dayOfMonth(number, amount.months)
        default: return
        }
        shift = nil
    }
}

extension CalendarDuration {
    /// Whether a weekday that is moved by it stays that weekday.
    var isWholeWeeks: Bool { months == 0 && seconds == 0 && days % 7 == 0 }
}

/// Everything that a text says about time.
struct DateFindings {
    var start = PointTerm()
    /// Whether the start was named as one, so that it says nothing of an end: "every Monday from January".
    var isOpen = false
    var end: PointTerm?
    /// Another point that was named with "or".
    var other: PointTerm?
    var length: CalendarDuration?
    var recurrence: Recurrence?
    /// The end of the recurrence.
    var until: PointTerm?
    var isAllDay = false
    /// The tokens that were understood.
    var used: [Range<Int>] = []

    var isEmpty: Bool {
        start.isEmpty && (end?.isEmpty ?? true) && length == nil && recurrence == nil && !isAllDay
    }
}
