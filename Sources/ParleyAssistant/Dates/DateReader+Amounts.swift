// SPDX-License-Identifier: Apache-2.0

import ParleyCalendar

extension DateReader {
    /// A number of things: in digits, in words, or "a".
    func count(_ index: Int) -> (value: Int, next: Int)? {
        guard let token = token(index) else { return nil }
        if let number = token.number { return (number, index + 1) }
        return token.has(.article) ? (1, index + 1) : nil
    }

    /// "3rd", "third", "3." where the language has it so.
    func ordinal(_ index: Int) -> (value: Int, next: Int)? {
        guard let token = token(index) else { return nil }
        if let ordinal = token.ordinal, ordinal > 0 { return (ordinal, index + 1) }
        guard let digits = token.digits, digits.count <= 2, let suffix = self.token(index + 1), suffix.isGlued
        else { return nil }
        if suffix.has(.ordinalSuffix) { return (digits.value, index + 2) }
        // "3.12." is a date, "3.30" a time: no digits may follow the point.
        guard language.pointMakesOrdinal, suffix.text == "." else { return nil }
        if let after = self.token(index + 2), after.isGlued, after.digits != nil { return nil }
        return (digits.value, index + 2)
    }

    /// An amount of time: "20 minutes", "an hour and a half", "2h30", "1.5 days", "2 hours and 15 minutes".
    func amount(_ start: Int) -> (value: CalendarDuration, next: Int)? {
        var total = CalendarDuration()
        var (index, next) = (start, start)
        while next == start || index < start + 16, let (part, after) = singleAmount(index) {
            total.months += part.months
            total.days += part.days
            total.seconds += part.seconds
            next = after
            index = skip(after, .and)
            if index > after, has(skip(index, .article), .half) || has(skip(index, .article), .quarter) { break }
        }
        return next > start ? (total, next) : nil
    }

    private func singleAmount(_ start: Int) -> (value: CalendarDuration, next: Int)? {
        // "half an hour", "a quarter of an hour"
        let fraction = skip(start, .article, marks: false)
        if let quarters = quarters(fraction) {
            // "half-hour" is written in one.
            let index =
                isMark(fraction + 1, "-", glued: true) ? fraction + 2 : skip(fraction + 1, .article, .of, marks: false)
            guard let unit = token(index)?.unit, let value = duration(quarters, unit) else { return nil }
            return (value, index + 1)
        }
        guard var (count, index) = count(start) else { return nil }
        var fourths = count * 4
        if token(start)?.digits != nil, isMark(index, ".", glued: true) || isMark(index, ",", glued: true),
            let decimals = token(index + 1), decimals.isGlued, let digits = decimals.digits, digits.count <= 2
        {
            // Only what quarters can say: 1.5, 2.25.
            let hundredths = digits.count == 1 ? digits.value * 10 : digits.value
            guard hundredths % 25 == 0 else { return nil }
            fourths += hundredths / 25
            index += 2
        } else if has(index, .and), let quarters = quarters(skip(index + 1, .article, marks: false)) {
            // "two and a half hours"
            let after = skip(index + 1, .article, marks: false) + 1
            if token(after)?.unit != nil { (fourths, index) = (fourths + quarters, after) }
        }
        guard count <= 9999, let unit = token(index)?.unit, var value = duration(fourths, unit) else { return nil }
        index += 1
        // "an hour and a half"
        let half = skip(index + 1, .article, marks: false)
        if has(index, .and), let quarters = quarters(half), token(half + 1)?.unit == nil,
            let rest = duration(quarters, unit)
        {
            value.months += rest.months
            value.days += rest.days
            value.seconds += rest.seconds
            index = half + 1
        } else if unit == .hour, let minutes = token(index), minutes.isGlued, let digits = minutes.digits,
            digits.value < 60
        {
            value.seconds += digits.value * 60
            index += token(index + 1)?.unit == .minute ? 2 : 1
        }
        count = index
        return (value, count)
    }

    private func quarters(_ index: Int) -> Int? {
        has(index, .half) ? 2 : has(index, .quarter) ? 1 : nil
    }

    private func duration(_ fourths: Int, _ unit: DateLanguage.Unit) -> CalendarDuration? {
        let whole = fourths % 4 == 0
        return switch unit {
        case .second: CalendarDuration(seconds: fourths / 4)
        case .minute: CalendarDuration(seconds: fourths * 15)
        case .hour: CalendarDuration(seconds: fourths * 900)
        case .day where whole: CalendarDuration(days: fourths / 4)
        case .day: CalendarDuration(days: fourths / 4, seconds: fourths % 4 * 6 * 3600)
        case .week where whole: CalendarDuration(days: fourths / 4 * 7)
        case .month where whole: CalendarDuration(months: fourths / 4)
        case .month where fourths % 2 == 0: CalendarDuration(months: fourths / 4, days: 15)
        case .year: CalendarDuration(months: fourths * 3)
        default: nil
        }
    }

    /// An amount counted from now: "in 20 minutes", "two days ago", "vor zwei Tagen", "a week from now".
    func shift(_ start: Int) -> (value: CalendarDuration, next: Int)? {
        if has(start, .inside) || has(start, .ago),
            let (amount, next) = amount(skip(start + 1, .filler, marks: false))
        {
            return (has(start, .inside) ? amount : -amount, next)
        }
        guard let (amount, next) = amount(start) else { return nil }
        if has(next, .ago) { return (-amount, next + 1) }
        if has(next, .later) { return (amount, next + 1) }
        return nil
    }
}
