// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyCalendar

/// The start and the exclusive end of an event, in the form that a calendar states.
struct EventSpan: Hashable {
    var start: CalendarTime
    var end: CalendarTime

    /// The span of the same length that begins at another local time.
    ///
    /// - Parameters:
    ///   - begin: The local time; for whole days, only its day is used.
    ///   - form: A time with the form and the zone that it gets; nil for its own.
    ///   - zones: The clocks of the calendar.
    /// - Returns: The span.
    func beginning(at begin: CivilTime, like form: CalendarTime? = nil, zones: ZoneTable) -> EventSpan {
        let begin = start.isDate ? CivilTime(midnightOf: begin.date) : begin
        let newStart = (form ?? start).with(begin)
        if start.isDate || start.isFloating {
            let length = end.civil.seconds - start.civil.seconds
            return EventSpan(start: newStart, end: newStart.with(CivilTime(seconds: begin.seconds + length)))
        }
        let length = zones.instant(of: end) - zones.instant(of: start)
        let finish = zones.clock(of: newStart).time(at: zones.instant(of: newStart) + length)
        return EventSpan(start: newStart, end: newStart.with(finish))
    }

    /// The span of one date, where this is the new one of its series; nil for a date that has a time of its own, another
    /// than the series gave it.
    func following(_ date: CalendarEvent, of series: CalendarEvent, zones: ZoneTable) -> EventSpan? {
        guard let old = series.start, let id = date.recurrenceID, let start = date.start, start.isDate == old.isDate,
            zones.instant(of: start) == zones.instant(of: id), date.length(zones) == series.length(zones)
        else { return nil }
        let shift = self.start.civil.seconds - old.civil.seconds
        let original = zones.civil(id, onClockOf: old)
        return beginning(at: CivilTime(seconds: original.seconds + shift), zones: zones)
    }
}

extension CalendarContext {
    /// The clock of a time that this context made.
    func clock(of time: CalendarTime) -> ZoneClock {
        if case .utc = time { .utc } else { ZoneClock(timeZone) }
    }

    /// The span of a new event.
    func span(of time: EventTime) -> (start: CalendarTime, end: CalendarTime) {
        switch time {
        case .timed(let interval): (self.time(interval.start), self.time(interval.end))
        case .allDay(let days): (.date(days.lowerBound), .date(days.upperBound + 1))
        }
    }

    /// The new span of an occurrence, in its own form and zone where it has one; nil if no field changes it.
    ///
    /// - Throws: ``AssistantError`` with code `invalidInput`.
    func span(
        of fields: EventFields, changing occurrence: Occurrence<CalendarEvent>, zones: ZoneTable
    ) throws(AssistantError) -> EventSpan? {
        let old = EventSpan(start: occurrence.start, end: occurrence.end)
        let new: EventSpan
        switch (fields.time, fields.start, fields.end) {
        case (.allDay(let days)?, _, _):
            new = EventSpan(start: .date(days.lowerBound), end: .date(days.upperBound + 1))
        case (.timed(let interval)?, _, _):
            new = span(interval, like: old.start, zones)
        case (nil, let start?, nil):
            let length = old.start.isDate ? 3600 : occurrence.interval.duration
            new = span(DateInterval(start: start.instant, duration: length), like: old.start, zones)
        case (nil, let start, let end?):
            let begin = start?.instant ?? occurrence.interval.start
            var finish = end.instant
            if case .duration(let length) = end.resolution.value {
                finish = length.added(to: begin, clock: LocalClock(timeZone))
            }
            guard finish > begin else {
                throw AssistantError(.invalidInput, "The event would end before it begins; give a later end.")
            }
            if old.start.isDate, start == nil {
                throw AssistantError(.invalidInput, "The event lasts whole days; give both a start and an end.")
            }
            new = span(DateInterval(start: begin, end: finish), like: old.start, zones)
        case (nil, nil, nil):
            switch fields.isAllDay {
            case true? where !old.start.isDate:
                let first = old.start.civil.date
                // An event until midnight does not take the next day.
                let last = max(first, CivilTime(seconds: old.end.civil.seconds - 1).date)
                new = EventSpan(start: .date(first), end: .date(last + 1))
            case false? where old.start.isDate:
                throw AssistantError(
                    .invalidInput, "An event of whole days needs a start and an end to become shorter.")
            default: return nil
            }
        }
        return new == old ? nil : new
    }

    /// An interval in the form of an existing time.
    private func span(_ interval: DateInterval, like old: CalendarTime, _ zones: ZoneTable) -> EventSpan {
        func time(_ instant: Date) -> CalendarTime {
            if old.isDate { return self.time(instant) }
            let clock = zones.clock(of: old)
            let seconds = CivilTime(instant).seconds
            let civil = clock.time(at: seconds)
            // Where clocks show the time twice, only UTC can name the second one.
            return clock.instant(of: civil) == seconds ? old.with(civil) : .utc(CivilTime(seconds: seconds))
        }
        return EventSpan(start: time(interval.start), end: time(interval.end))
    }

    /// The span of a whole series, of which one date gets a new span. The series keeps its zone, whatever zone the date
    /// has.
    func series(
        _ master: CalendarEvent, following span: EventSpan, of occurrence: Occurrence<CalendarEvent>, zones: ZoneTable
    ) -> EventSpan? {
        guard let start = master.start else { return nil }
        let new = span.start
        // A time without a zone is one of the user's clock here, and in the name of a date one of the series'.
        let civil =
            new.isDate || start.isDate ? new.civil : zones.clock(of: start).time(at: zones.instant(of: new))
        let shift = civil.seconds - zones.civil(occurrence.recurrenceID, onClockOf: start).seconds
        return span.beginning(
            at: CivilTime(seconds: start.civil.seconds + shift), like: new.isDate == start.isDate ? start : nil,
            zones: zones)
    }
}

extension EventFields {
    /// What of new values of a series concerns a date of its own: texts that the date has in common with the series.
    func concerning(_ date: CalendarEvent, of series: CalendarEvent) -> EventFields {
        var same = EventFields()
        if date.summary == series.summary { same.title = title }
        if date.location == series.location { same.location = location }
        if date.details == series.details { same.notes = notes }
        return same
    }
}

extension CalendarEvent {
    /// From start to end in seconds, of which a day that is stated as one has 86,400; nil without a start.
    fileprivate func length(_ zones: ZoneTable) -> Int? {
        guard let span else { return nil }
        switch span.length {
        case .duration(let length): return length.days * 86_400 + length.seconds
        case .end(let end) where span.start.isDate || span.start.isFloating:
            return end.civil.seconds - span.start.civil.seconds
        case .end(let end): return zones.instant(of: end) - zones.instant(of: span.start)
        }
    }

    /// Sets start and end; an unchanged length that is stated as a duration stays one.
    mutating func setSpan(_ span: EventSpan) {
        var isKept = false
        if case .duration(let length)? = self.span?.length, span.start.isDate == (start?.isDate ?? false) {
            isKept = span.end.civil.seconds - span.start.civil.seconds == length.days * 86_400 + length.seconds
        }
        start = span.start
        if !isKept { end = span.end }
    }

    /// Sets the fields that are neither times nor rules.
    mutating func set(_ fields: EventFields) {
        if let title = fields.title, !title.isEmpty { summary = title }
        if let location = fields.location { self.location = location.isEmpty ? nil : location }
        if let notes = fields.notes { details = notes.isEmpty ? nil : notes }
        if let minutes = fields.reminderMinutes { setReminder(minutes: minutes) }
    }

    /// Moves the first alarm that is shown or heard before the start; adds one if there is none.
    private mutating func setReminder(minutes: Int) {
        let trigger = CalendarDuration(seconds: -60 * min(minutes, 10_000_000))
        for (index, part) in component.items.enumerated() {
            guard case .component(var alarm) = part, alarm.name == "VALARM" else { continue }
            let view = CalendarAlarm(component: alarm)
            guard ["DISPLAY", "AUDIO"].contains(view.action), case .start(let old)? = view.trigger else { continue }
            if old == trigger { return }
            alarm.set("TRIGGER", trigger.text)
            component.items[index] = .component(alarm)
            return
        }
        add(CalendarAlarm(.start(trigger), text: summary ?? ""))
    }
}
