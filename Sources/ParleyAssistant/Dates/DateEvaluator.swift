// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import ParleyCalendar

/// Converts what was read to instants and days: first the preferred reading, then each alternative.
struct DateEvaluator {
    /// The reading chosen for ambiguous words.
    private struct Choice: Equatable {
        /// 0 for the preferred reading; alternatives are counted from 1.
        var day = 0
        var isAfternoon: Bool?
        var isSecondTime = false
    }

    let calendar: DateCalendar
    let findings: DateFindings
    let after: Date?
    private var choice = Choice()
    private var assumptions: [DateResolution.Assumption] = []
    private var choices: [Choice] = []
    var context: DateContext { calendar.context }
    var clock: LocalClock { calendar.context.clock }

    init(context: DateContext, findings: DateFindings, after: Date?) {
        calendar = DateCalendar(context: context)
        (self.findings, self.after) = (findings, after)
    }

    /// The meaning; nil if the words name a day that does not exist.
    func resolution() -> DateResolution? {
        var first = self
        guard let value = first.value() else { return nil }
        var resolution = DateResolution(
            value: value, recurrence: recurrence(first: value), used: [], assumptions: [], alternatives: [])
        for assumption in first.assumptions where !resolution.assumptions.contains(assumption) {
            resolution.assumptions.append(assumption)
        }
        for choice in first.choices {
            var other = self
            other.choice = choice
            guard let value = other.value(), value != resolution.value, !resolution.alternatives.contains(value) else {
                continue
            }
            // The other half of today may be over; nobody means that.
            let isOver = value.first(clock) < context.now && resolution.value.first(clock) >= context.now
            if choice.isAfternoon == nil || !isOver { resolution.alternatives.append(value) }
        }
        if let named = findings.other {
            var point = named
            point.day = named.day ?? findings.start.day
            point.time = named.time ?? findings.start.time
            var findings = findings
            (findings.start, findings.other) = (point, nil)
            var other = DateEvaluator(context: context, findings: findings, after: after)
            if let value = other.value(), value != resolution.value { resolution.alternatives.insert(value, at: 0) }
        }
        return resolution
    }

    // MARK: Values

    private mutating func value() -> DateResolution.Value? {
        var start = findings.start
        if start.time == nil { start.time = findings.other?.time }
        guard var end = findings.end else { return single(start) }
        if start.isEmpty, findings.recurrence == nil {
            // "until 5 pm"
            guard let last = single(end)?.last(clock), last > context.now else { return nil }
            assumptions.append(.now)
            return .interval(DateInterval(start: context.now, end: last))
        }
        if start.day == nil, start.shift == nil { start.day = end.day }
        shareHalf(&start.time, &end.time)
        if start.time == nil, end.time == nil {
            guard let first = start.day.flatMap({ calendar.reading(of: $0, hasPassed: nil) }), let last = end.day,
                let span = calendar.span(first, last)
            else { return nil }
            assumptions += span.assumptions
            return .days(span.days)
        }
        guard let first = single(start, ignoringLength: true)?.first(clock) else { return nil }
        if end.day == nil, end.shift == nil {
            let day = clock.day(of: first)
            guard let time = end.time else { return nil }
            let candidates = [day, day + 1].map { instant(time, on: $0, near: start.time) }
            guard let last = candidates.first(where: { $0 > first }) else { return nil }
            return .interval(DateInterval(start: first, end: last))
        }
        if end.time == nil, findings.end?.day != nil { end.time = nil }
        guard let value = single(end, ignoringLength: true) else { return nil }
        let last = value.last(clock)
        if last > first { return .interval(DateInterval(start: first, end: last)) }
        // "from 10 pm to 2 am on Friday"
        guard end.day == start.day, let time = end.time else { return nil }
        return .interval(DateInterval(start: first, end: instant(time, on: clock.day(of: first) + 1, near: nil)))
    }

    /// "2 to 4 pm" begins in the afternoon, "11 to 1 pm" in the morning, "2 pm to 4" ends in the afternoon.
    private func shareHalf(_ start: inout TimeTerm?, _ end: inout TimeTerm?) {
        guard var first = start, var last = end, let from = first.hour, let to = last.hour else { return }
        let minutes = { (term: TimeTerm) in (term.hour ?? 0) % 12 * 60 + term.minute }
        if !first.isExact, last.isExact, from <= 12, to >= 0 {
            let isLater = minutes(first) < minutes(last)
            first.hour = to >= 12 && to < 24 && isLater ? from % 12 + 12 : from % 12
            if to >= 12, to < 24, !isLater, from == 12 { first.hour = 12 }
            first.isExact = true
        } else if first.isExact, !last.isExact {
            let wanted = from * 60 + first.minute
            last.hour = [to % 12, to % 12 + 12].first { $0 * 60 + last.minute > wanted } ?? to % 12
            last.isExact = true
        }
        (start, end) = (first, last)
    }

    private mutating func single(_ point: PointTerm, ignoringLength: Bool = false) -> DateResolution.Value? {
        let length = ignoringLength ? nil : findings.length
        if let shift = point.shift { return shifted(shift, point.time, length) }
        if let offset = point.offset, let time = point.time, case .date(let year?, let month?, let day, _)? = point.day,
            let day = CivilDate(year: year, month: month, day: day), let hour = time.hour
        {
            let seconds = day.dayNumber * 86_400 + hour * 3600 + time.minute * 60 + time.second - offset
            return lasting(.instant(Date(timeIntervalSince1970: Double(seconds))), length)
        }
        if point.day == nil, point.time == nil { return withoutPoint(length) }
        let hasPassed = point.time.map { instant($0, on: context.today, near: nil, isProbe: true) <= context.now }
        var day = context.today
        if let term = point.day {
            guard var reading = days(term, hasPassed: hasPassed) else { return nil }
            reading.days = recurring(in: reading.days, hasPassed: hasPassed)
            if findings.isAllDay || point.time == nil { return lasting(.days(reading.days), length) }
            day = reading.days.lowerBound
            // The small hours of tonight are those after midnight.
            if term == .offset(0), point.time?.part == .night, point.time?.hour ?? 24 < 6, hasPassed == true {
                day = day + 1
            }
        } else if findings.isAllDay {
            return .days(day...day)
        } else {
            day = dayWithoutWords(point.time)
        }
        guard let time = point.time else { return nil }
        if time.hour == nil, let part = time.part {
            assumptions.append(.partOfDay)
            let hours = context.parts.hours(of: part)
            let interval = DateInterval(
                start: clock.instant(day, hours.lowerBound), end: clock.instant(day, hours.upperBound))
            return length == nil ? .interval(interval) : lasting(.instant(interval.start), length)
        }
        return lasting(.instant(instant(time, on: day, near: nil)), length)
    }

    /// The next day on which a time comes, among the weekdays of a recurrence where there are any.
    private mutating func dayWithoutWords(_ time: TimeTerm?) -> CivilDate {
        if findings.recurrence == nil { assumptions.append(.day) }
        let base = after ?? context.now
        let first = clock.day(of: base)
        let weekdays = findings.recurrence?.weekdays ?? []
        let days = (0...7).map { first + $0 }.filter { weekdays.isEmpty || weekdays.contains($0.weekday) }
        guard let time else { return days.first ?? first }
        if time.hour == nil, let part = time.part {
            return days.first { clock.instant($0, context.parts.hours(of: part).upperBound) > base } ?? first
        }
        // A stretch that begins now has not passed.
        return days.first { day in
            let start = instant(time, on: day, near: nil, isProbe: true)
            return start > base || (start == base && findings.end != nil)
        } ?? first
    }

    private mutating func withoutPoint(_ length: CalendarDuration?) -> DateResolution.Value? {
        if findings.recurrence != nil {
            let day = dayWithoutWords(nil)
            return lasting(.days(day...day), length)
        }
        if findings.isAllDay { return .days(context.today...context.today) }
        return length.map { .duration($0) }
    }

    private mutating func shifted(
        _ shift: CalendarDuration, _ time: TimeTerm?, _ length: CalendarDuration?
    ) -> DateResolution.Value? {
        if shift.seconds == 0, shift != CalendarDuration() {
            let later = context.today.adding(months: shift.months) + shift.days
            let day = recurring(in: later...later, hasPassed: nil).lowerBound
            guard let time else { return lasting(.days(day...day), length) }
            if time.hour == nil, let part = time.part {
                let hours = context.parts.hours(of: part)
                return .interval(
                    DateInterval(start: clock.instant(day, hours.lowerBound), end: clock.instant(day, hours.upperBound))
                )
            }
            return lasting(.instant(instant(time, on: day, near: nil)), length)
        }
        return lasting(.instant(shift.added(to: context.now, clock: clock)), length)
    }

    private func lasting(_ value: DateResolution.Value, _ length: CalendarDuration?) -> DateResolution.Value {
        guard let length else { return value }
        switch value {
        case .instant(let start):
            return .interval(DateInterval(start: start, end: max(start, length.added(to: start, clock: clock))))
        case .days(let days) where length.seconds == 0:
            let end = days.lowerBound.adding(months: length.months) + length.days - 1
            return .days(days.lowerBound...max(days.lowerBound, end))
        default: return value
        }
    }

    // MARK: Readings

    private mutating func days(_ term: DayTerm, hasPassed: Bool?) -> DateCalendar.Reading? {
        guard var reading = calendar.reading(of: term, hasPassed: hasPassed) else { return nil }
        assumptions += reading.assumptions
        if findings.recurrence == nil { choices += reading.others.indices.map { Choice(day: $0 + 1) } }
        if choice.day > 0, reading.others.indices.contains(choice.day - 1) {
            reading.days = reading.others[choice.day - 1]
        }
        return reading
    }

    /// The instant of an hour on a day. An hour without a.m. or p.m. is taken as one from 7 in the morning to 6 in the
    /// evening; today it is the next such hour.
    private mutating func instant(_ time: TimeTerm, on day: CivilDate, near: TimeTerm?) -> Date {
        let (isAfternoon, isOpen) = half(of: time, on: day, near: near)
        if isOpen {
            assumptions.append(.halfOfDay)
            choices.append(Choice(isAfternoon: !isAfternoon))
        }
        var hour = time.hour ?? 0
        if isOpen || !time.isExact { hour = hour % 12 + (isAfternoon ? 12 : 0) }
        switch clock.reading(of: Self.time(hour, time), on: day) {
        case .once(let instant): return instant
        case .skipped(let instant):
            assumptions.append(.skippedTime)
            return instant
        case .twice(let first, let second):
            assumptions.append(.repeatedTime)
            choices.append(Choice(isSecondTime: true))
            return choice.isSecondTime ? second : first
        }
    }

    /// The same without notes of what was decided.
    private func instant(_ time: TimeTerm, on day: CivilDate, near: TimeTerm?, isProbe: Bool) -> Date {
        if time.hour == nil, let part = time.part {
            return clock.instant(day, context.parts.hours(of: part).lowerBound)
        }
        var copy = self
        return copy.instant(time, on: day, near: near)
    }

    private func half(of time: TimeTerm, on day: CivilDate, near: TimeTerm?) -> (isAfternoon: Bool, isOpen: Bool) {
        guard !time.isExact, let hour = time.hour, hour >= 1, hour <= 12 else { return (time.hour ?? 0 >= 12, false) }
        let usual = choice.isAfternoon ?? (hour < 7 || hour == 12)
        if let near, let from = near.hour {
            // The end of a stretch: the first such hour after its beginning.
            let start = near.isExact ? from : from % 12 + (choice.isAfternoon ?? (from < 7 || from == 12) ? 12 : 0)
            return (
                [hour % 12, hour % 12 + 12].first { $0 * 60 + time.minute > start * 60 + near.minute } ?? 0 >= 12, false
            )
        }
        let base = after ?? context.now
        if choice.isAfternoon == nil, !usual, findings.recurrence == nil, day == clock.day(of: base),
            clock.instant(day, Self.time(hour % 12, time)) <= base,
            clock.instant(day, Self.time(hour % 12 + 12, time)) > base
        {
            return (true, true)
        }
        // Twelve o'clock of another day is noon; nobody says it of midnight.
        return (usual, hour != 12 || time.minute != 0 || day == clock.day(of: base))
    }

    private static func time(_ hour: Int, _ time: TimeTerm) -> LocalTime {
        LocalTime(seconds: hour * 3600 + time.minute * 60 + time.second)
    }
}
