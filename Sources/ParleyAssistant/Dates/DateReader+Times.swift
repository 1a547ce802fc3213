// SPDX-License-Identifier: Apache-2.0

extension DateReader {
    /// A time of the day.
    ///
    /// - Parameters:
    ///   - start: the first token; prepositions may stand before the time.
    ///   - bare: whether a number alone is an hour.
    /// - Returns: the time and the token after it, or nil where there is none.
    func time(_ start: Int, bare: Bool = false) -> (term: TimeTerm, next: Int)? {
        let index = skip(start, .at, .filler, .on, marks: false)
        let isAnnounced = has(index - 1, .at)
        if let part = token(index)?.part {
            // "in the evening at 8" has its hour to come.
            return (time(of: part), index + 1)
        }
        guard var (term, next) = clock(index, isEvident: bare || isAnnounced) else { return nil }
        var isEvident = bare || isAnnounced || !term.isBare
        let mark = has(next, .oClock) ? next + 1 : next
        if mark > next { (term.isBare, isEvident, next) = (false, true, mark) }
        if language.minutesFollowHour, let (minutes, after) = minutesAfterHour(next, isAnnounced: isAnnounced) {
            term.minute = 0
            term.add(minutes: minutes)
            next = after
        }
        if let afternoon = token(next)?.afternoon, term.set(afternoon: afternoon) { return (term.unbared(), next + 1) }
        let beforePart = skip(next, .filler, .of, .on, marks: false)
        if let part = token(beforePart)?.part, term.hour != nil {
            term.set(part: part)
            return (term.unbared(), beforePart + 1)
        }
        return isEvident ? (term, next) : nil
    }

    private func time(of part: DateLanguage.Part) -> TimeTerm {
        switch part {
        case .noon: TimeTerm(hour: 12, isExact: true)
        case .midnight: TimeTerm(hour: 24, isExact: true)
        default: TimeTerm(part: part)
        }
    }

    /// An hour with its minutes.
    private func clock(_ index: Int, isEvident: Bool) -> (term: TimeTerm, next: Int)? {
        guard let first = token(index) else { return nil }
        // "half past nine", "ten to nine", "20 minutes past 8", "viertel vor neun", "fünf vor halb zehn"
        let fraction = first.has(.half) ? 30 : first.has(.quarter) ? 15 : first.number
        if let fraction, fraction < 60 {
            let middle = token(index + 1)?.unit == .minute ? index + 2 : index + 1
            // "10 to 9" in digits is a stretch, "ten to nine" a time.
            let isStretch = first.digits != nil && middle == index + 1 && has(middle, .to)
            if has(middle, .past) || has(middle, .before), !isStretch,
                case (var term, let next)? = hourOrHalf(middle + 1)
            {
                term.isBare = false
                term.add(minutes: has(middle, .past) ? fraction : -fraction)
                return (term, next)
            }
        }
        // "at half nine" is half past nine in Britain.
        if first.has(.half), isEvident, !language.minutesFollowHour, case (var term, let next)? = hour(index + 1) {
            term.isBare = false
            term.add(minutes: 30)
            return (term, next)
        }
        if first.has(.halfTo) { return hourOrHalf(index) }
        guard var (term, next) = hour(index) else { return nil }
        let isPoint = isMark(next, ".", glued: true)
        if isMark(next, ":", glued: true) || isPoint, let minutes = token(next + 1), minutes.isGlued,
            let digits = minutes.digits, digits.count == 2, digits.value < 60
        {
            // "3.12." is a date, and "3.5" a number.
            if isPoint, !isEvident && !has(next + 2, .oClock) && token(next + 2)?.afternoon == nil { return nil }
            if isPoint, isMark(next + 2, ".", glued: true), token(next + 3)?.isGlued ?? false { return nil }
            (term.minute, term.isBare, next) = (digits.value, false, next + 2)
            if first.digits?.count == 2, first.digits?.value ?? 10 < 10 { term.isExact = true }
            if isMark(next, ":", glued: true), let second = token(next + 1)?.digits, second.count == 2,
                second.value < 60
            {
                (term.second, next) = (second.value, next + 2)
            }
        } else if has(next, .oClock), let minutes = token(next + 1), minutes.isGlued, let digits = minutes.digits,
            digits.count == 2, digits.value < 60
        {
            // "15h30"
            (term.minute, term.isBare, next) = (digits.value, false, next + 2)
        } else if first.digits == nil, let minutes = token(next), minutes.digits == nil, let number = minutes.number,
            (10..<60).contains(number), token(next + 1)?.unit == nil
        {
            // "nine fifteen"
            (term.minute, term.isBare, next) = (number, false, next + 1)
        }
        return (term, next)
    }

    /// An hour, or in German half an hour before it: "halb zehn".
    private func hourOrHalf(_ index: Int) -> (term: TimeTerm, next: Int)? {
        guard has(index, .halfTo) else { return hour(index) }
        guard case (var term, let next)? = hour(index + 1) else { return nil }
        term.isBare = false
        term.add(minutes: -30)
        return (term, next)
    }

    private func hour(_ index: Int) -> (term: TimeTerm, next: Int)? {
        guard let token = token(index) else { return nil }
        if let part = token.part, part == .noon || part == .midnight {
            return (TimeTerm(hour: part == .noon ? 12 : 24, isExact: true), index + 1)
        }
        guard let hour = token.number, hour <= 24, token.digits?.count ?? 1 <= 2 else { return nil }
        // What follows shows that it is no hour: a unit, a month, an ordinal's suffix.
        if let after = self.token(index + 1), !after.has(.oClock) {
            if after.unit != nil || (after.isGlued && after.has(.ordinalSuffix)) { return nil }
            if after.text == "%" || (after.isGlued && (after.text == "/" || after.text == "€")) { return nil }
            if token.digits != nil, after.month != nil, after.afternoon == nil, after.part == nil { return nil }
        }
        return (TimeTerm(hour: hour, isExact: hour > 12 || hour == 0, isBare: true), index + 1)
    }

    /// Minutes after the hour as French, Spanish and German have them; below 0 where they are taken from it.
    private func minutesAfterHour(_ start: Int, isAnnounced: Bool) -> (minutes: Int, next: Int)? {
        guard has(start - 1, .oClock) || isAnnounced else { return nil }
        let isAnd = has(start, .and)
        let isBefore = has(start, .before)
        let index = skip(isAnd || isBefore ? start + 1 : start, .on, .article, marks: false)
        guard let token = token(index) else { return nil }
        let minutes = token.has(.half) ? 30 : token.has(.quarter) ? 15 : token.number
        guard let minutes, (1..<60).contains(minutes), isAnd || isBefore || token.number != nil else { return nil }
        if !isAnd, !isBefore, !has(start - 1, .oClock) { return nil }
        if let after = self.token(index + 1),
            after.month != nil || after.has(.oClock) || [".", "/", ":"].contains(after.text)
        {
            return nil
        }
        if let unit = self.token(index + 1)?.unit {
            guard unit == .minute else { return nil }
            return (isBefore ? -minutes : minutes, index + 2)
        }
        return (isBefore ? -minutes : minutes, index + 1)
    }

    /// "T15:30:00+01:00" glued to a date in digits; the zone's seconds from UTC where it is written.
    func isoTime(_ index: Int, into point: inout PointTerm) -> (offset: Int?, next: Int)? {
        guard let mark = token(index), mark.text == "t", mark.isGlued, point.time == nil,
            let hour = token(index + 1)?.digits, hour.count == 2, isMark(index + 2, ":", glued: true),
            let minute = token(index + 3)?.digits, minute.count == 2, hour.value <= 24, minute.value < 60
        else { return nil }
        var time = TimeTerm(hour: hour.value, minute: minute.value, isExact: true)
        var next = index + 4
        if isMark(next, ":", glued: true), let second = token(next + 1)?.digits, second.value < 60 {
            (time.second, next) = (second.value, next + 2)
            if isMark(next, ".", glued: true), token(next + 1)?.isGlued ?? false { next += 2 }
        }
        point.time = time
        if isMark(next, "z", glued: true) { return (0, next + 1) }
        guard isMark(next, "+", glued: true) || isMark(next, "-", glued: true), let hours = token(next + 1)?.digits
        else { return (nil, next) }
        let sign = isMark(next, "+") ? 1 : -1
        if hours.count == 4 { return (sign * (hours.value / 100 * 3600 + hours.value % 100 * 60), next + 2) }
        guard isMark(next + 2, ":", glued: true), let minutes = token(next + 3)?.digits else {
            return (sign * hours.value * 3600, next + 2)
        }
        return (sign * (hours.value * 3600 + minutes.value * 60), next + 4)
    }
}

extension TimeTerm {
    fileprivate func unbared() -> TimeTerm {
        var term = self
        term.isBare = false
        return term
    }
}
