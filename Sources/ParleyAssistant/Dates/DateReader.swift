// SPDX-License-Identifier: Apache-2.0

import ParleyCalendar

/// Reads tokens from left to right, collects what they say about time, and skips all others.
///
/// Each step looks ahead a limited number of tokens, so that the total time is linear.
struct DateReader {
    let tokens: [DateToken]
    let language: DateLanguage
    private var findings = DateFindings()
    private var index = 0

    init(_ tokens: [DateToken], _ language: DateLanguage) {
        (self.tokens, self.language) = (tokens, language)
    }

    /// What the tokens say.
    mutating func read() -> DateFindings {
        while index < tokens.count {
            let begin = index
            if readRecurrence() || readLink() || readShift() || readPoint() || readLength() || readAllDay() {
                findings.used.append(begin..<index)
            } else {
                index += 1
            }
        }
        endRecurrence()
        return findings
    }

    // MARK: Tokens

    func token(_ index: Int) -> DateToken? { tokens.indices.contains(index) ? tokens[index] : nil }

    func has(_ index: Int, _ meaning: DateLanguage.Meaning) -> Bool { token(index)?.has(meaning) ?? false }

    func isMark(_ index: Int, _ mark: String, glued: Bool = false) -> Bool {
        guard let token = token(index), token.text == mark else { return false }
        return !glued || token.isGlued
    }

    /// The first place that holds none of these.
    func skip(_ start: Int, _ meanings: DateLanguage.Meaning..., marks: Bool = true) -> Int {
        var index = start
        while let token = token(index), index < start + 4,
            (marks && token.text == ",") || meanings.contains(where: token.has)
        {
            index += 1
        }
        return index
    }

    // MARK: Parts of the findings

    /// A day and a time beside each other, in either order.
    func point(_ start: Int, bare: Bool = false) -> (term: PointTerm, next: Int)? {
        var term = PointTerm()
        var index = start
        while index < tokens.count {
            let from = skip(index, .filler)
            // "today in two hours" is the same as "in two hours".
            if let (shift, next) = shift(from), term.isEmpty || term.day == .offset(0) && term.time == nil {
                (term.day, term.shift) = (nil, shift)
                index = next
            } else if term.day == nil, let (day, time, next) = day(from) {
                if let time {
                    guard term.time == nil || term.time?.hour == nil || time.hour == nil else { break }
                    term.time = merged(term.time, time)
                }
                term.set(day)
                index = next
                if let (offset, next) = isoTime(index, into: &term) { (term.offset, index) = (offset, next) }
            } else if let (time, next) = time(from, bare: bare && term.time == nil), let both = fits(term.time, time) {
                term.time = both
                index = next
            } else {
                break
            }
        }
        return term.isEmpty ? nil : (term, index)
    }

    private func fits(_ old: TimeTerm?, _ new: TimeTerm) -> TimeTerm? {
        guard let old else { return new }
        return (old.hour == nil) != (new.hour == nil) ? merged(old, new) : nil
    }

    /// Combines a part of the day and an hour into one time.
    private func merged(_ old: TimeTerm?, _ new: TimeTerm) -> TimeTerm {
        guard let old else { return new }
        var clock = old.hour == nil ? new : old
        if let part = old.part ?? new.part, clock.hour != nil { clock.set(part: part) }
        return clock
    }

    private mutating func readPoint() -> Bool {
        guard let (term, next) = point(skip(index, .filler)) else { return false }
        let known = findings.start
        let repeated = (term.day != nil && known.day != nil) || (term.time?.hour != nil && known.time?.hour != nil)
        guard !repeated, term.shift == nil || known.isEmpty else { return false }
        if var end = findings.end, known.day == nil {
            end.day = end.day ?? term.day
            findings.end = end
        }
        if known.day == nil, let day = term.day {
            findings.isOpen = begins(index - 1)
            if findings.used.last?.upperBound == index { findings.start.set(day) } else { findings.start.day = day }
        }
        findings.start.time = term.time.map { merged(known.time, $0) } ?? known.time
        findings.start.shift = findings.start.shift ?? term.shift
        findings.start.offset = known.offset ?? term.offset
        index = next
        return true
    }

    /// "from … to …", "between … and …", "until …", "or …".
    private mutating func readLink() -> Bool {
        if has(index, .from) || has(index, .between) {
            let isBetween = has(index, .between)
            guard let (first, middle) = point(index + 1, bare: true) else { return false }
            let link = skip(middle)
            if has(link, .to) || has(link, .until) || (isBetween && has(link, .and)),
                let (second, next) = point(link + 1, bare: true)
            {
                return take(first, second, next)
            }
            guard !isBetween, !(first.time?.isBare ?? false) || first.day != nil, findings.start.isEmpty
            else { return false }
            (findings.start, findings.isOpen) = (first, begins(index))
            index = middle
            return true
        }
        if has(index, .until), let (term, next) = point(index + 1, bare: true) {
            if findings.recurrence != nil, term.day != nil {
                findings.until = term
            } else if findings.end == nil {
                findings.end = term
            } else {
                return false
            }
            index = next
            return true
        }
        if has(index, .to), findings.used.last?.upperBound == index, !findings.start.isEmpty, findings.end == nil,
            let (term, next) = point(index + 1, bare: findings.start.time?.hour != nil)
        {
            findings.end = term
            index = next
            return true
        }
        if has(index, .or), findings.used.last?.upperBound == index, findings.other == nil,
            let (term, next) = point(index + 1, bare: findings.start.time?.hour != nil)
        {
            findings.other = term
            index = next
            return true
        }
        // Two bare hours, of which the second shows what they are: "2 to 4 pm", "2-4pm".
        let from = skip(index, .at, .filler)
        if let (first, middle) = time(from, bare: true), first.hour != nil, has(middle, .to) || has(middle, .until),
            let (second, next) = point(middle + 1, bare: true), let end = second.time, end.hour != nil,
            !first.isBare || !end.isBare || from > index && has(index, .at), findings.end == nil
        {
            return take(PointTerm(time: first), second, next)
        }
        return false
    }

    /// Whether a word such as "starting" or "ab" stands there, and none that may also mean "of".
    private func begins(_ index: Int) -> Bool { has(index, .from) && !has(index, .of) }

    private mutating func take(_ first: PointTerm, _ second: PointTerm, _ next: Int) -> Bool {
        guard findings.end == nil, findings.start.day == nil || first.day == nil else { return false }
        guard findings.start.time?.hour == nil || first.time == nil else { return false }
        if let day = first.day { findings.start.set(day) }
        findings.start.time = first.time.map { merged(findings.start.time, $0) } ?? findings.start.time
        findings.start.offset = first.offset
        findings.end = second
        index = next
        return true
    }

    private mutating func readShift() -> Bool {
        guard findings.start.shift == nil, findings.start.day == nil, findings.recurrence == nil,
            let (shift, next) = shift(index)
        else { return false }
        findings.start.shift = shift
        index = next
        return true
    }

    private mutating func readLength() -> Bool {
        guard findings.length == nil else { return false }
        let from = has(index, .lasting) ? skip(index + 1, .on, .filler) : index
        if has(index, .lasting), let (_, next) = count(from), has(next, .times) { return false }
        guard let (length, next) = amount(from) else { return false }
        if findings.recurrence != nil, has(index, .lasting), length.seconds == 0 {
            findings.until = PointTerm(shift: length)
        } else {
            findings.length = length
        }
        index = next
        return true
    }

    private mutating func readAllDay() -> Bool {
        guard has(index, .allDay) else { return false }
        findings.isAllDay = true
        index += 1
        return true
    }

    private mutating func readRecurrence() -> Bool {
        if let recurrence = findings.recurrence {
            let from = skip(index, .lasting)
            if recurrence.count == nil, let (count, next) = count(from), has(next, .times) {
                findings.recurrence?.count = count
                index = next + 1
                return true
            }
            if recurrence.weekdays.isEmpty, recurrence.frequency != .daily,
                let (weekdays, next) = weekdays(skip(index, .on, .filler))
            {
                findings.recurrence?.weekdays = weekdays
                index = next
                return true
            }
            // "every month on the first Monday"
            if recurrence.weekdays.isEmpty, recurrence.frequency == .monthly,
                let place = place(skip(index, .on, .filler))
            {
                findings.recurrence?.weekdays = place.days
                findings.recurrence?.ordinal = place.value
                findings.start.day =
                    findings.start.day ?? .nth(place.value, weekdays: place.days, .period(.month, 0))
                index = ofPeriod(place.next)?.next ?? place.next
                return true
            }
            return false
        }
        guard let found = recurrence(index) else { return false }
        findings.recurrence = found.recurrence
        if let day = found.day, findings.start.day == nil { findings.start.day = day }
        if let part = found.part { findings.start.time = merged(findings.start.time, TimeTerm(part: part)) }
        index = found.next
        return true
    }

    /// Where something comes every day, or on some weekdays, from one day to another, the second is the last on which it
    /// comes, and no end of each: "every day at 9 from 1 to 12 December". From one weekday to another are those of every
    /// week.
    private mutating func endRecurrence() {
        guard let recurrence = findings.recurrence, findings.until == nil, let first = findings.start.day,
            var end = findings.end, let last = end.day, first != last,
            recurrence.frequency == .daily || recurrence.frequency == .weekly && !recurrence.weekdays.isEmpty
        else { return }
        if case (.weekday(let from, nil), .weekday(let to, nil)) = (first, last), recurrence.frequency == .daily {
            let count = (to.number - from.number + 7) % 7
            let days = (0...count).map { Weekday.allCases[(from.rawValue + $0) % 7] }
            findings.recurrence?.frequency = .weekly
            findings.recurrence?.weekdays = Weekday.allCases.filter { days.contains($0) }
            findings.start.day = nil
        } else {
            findings.until = PointTerm(day: last)
        }
        end.day = nil
        if findings.start.time == nil { (findings.start.time, end.time) = (end.time, nil) }
        findings.end = end.isEmpty ? nil : end
    }
}
