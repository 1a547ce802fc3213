// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import ParleyCalendar

extension ActionPlanner {
    /// The new time of an event of which not all is given: the length, or the start, stays.
    ///
    /// Words without a day mean the day of the event.
    func time(_ fields: EventFields, of event: StoredEvent) throws -> EventTime? {
        let clock = context.clock
        let interval = event.time.interval(clock)
        let days = event.time.days(clock)
        let dayBefore = clock.start(of: days.lowerBound) - 1
        func instant(_ date: SpokenDate, after start: Date) -> Date {
            guard !date.hasDay, let again = resolver.resolve(date.words, in: context, after: start) else {
                return date.instant
            }
            if case .duration = again.value { return date.instant }
            return again.value.first(clock)
        }
        if fields.isAllDay == true || event.time.isAllDay && fields.start == nil && fields.end?.isWholeDays == true {
            let first = fields.start.map { clock.day(of: instant($0, after: dayBefore)) } ?? days.lowerBound
            // What ends at midnight does not take the next day; a time without a day says nothing of the days.
            let end = fields.end.flatMap {
                $0.hasDay ? clock.day(of: max($0.instant, $0.resolution.value.last(clock) - 1)) : nil
            }
            let last = end ?? first + (days.count - 1)
            guard last >= first else { throw AssistantError(.invalidInput, "The end is before the start.") }
            return .allDay(first...last)
        }
        if let start = fields.start {
            if fields.time == nil, case .days(let given) = start.resolution.value {
                // A new day alone: the event keeps its time of the day.
                if event.time.isAllDay { return .allDay(given.lowerBound...given.lowerBound + (days.count - 1)) }
                let moved = clock.instant(given.lowerBound, clock.time(of: interval.start))
                return .timed(DateInterval(start: moved, duration: interval.duration))
            }
            let moved = instant(start, after: dayBefore)
            guard case .timed(let given)? = fields.time else {
                return .timed(DateInterval(start: moved, duration: event.time.isAllDay ? 3600 : interval.duration))
            }
            var end = moved + given.duration
            if let said = fields.end {
                if case .duration(let length) = said.resolution.value {
                    end = length.added(to: moved, clock: clock)
                } else if said.hasDay {
                    end = given.end
                } else if let again = resolver.resolve(said.words, in: context, after: moved) {
                    end = again.value.last(clock)
                }
            } else if !start.hasDay,
                case .interval(let whole)? = resolver.resolve(start.words, in: context, after: dayBefore)?.value
            {
                end = whole.end
            }
            guard end > moved else { throw AssistantError(.invalidInput, "The end is not after the start.") }
            return .timed(DateInterval(start: moved, end: end))
        }
        guard let end = fields.end, !event.time.isAllDay else { return nil }
        guard !end.isWholeDays else { throw AssistantError(.invalidInput, "The end has no time of the day.") }
        let moved = instant(end, after: interval.start)
        guard moved > interval.start else { throw AssistantError(.invalidInput, "The end is not after the start.") }
        return .timed(DateInterval(start: interval.start, end: moved))
    }
}

extension SpokenDate {
    /// Whether the words name a day, and not only a time of it.
    var hasDay: Bool { !resolution.assumptions.contains(.day) }

    /// Whether the words mean whole days.
    fileprivate var isWholeDays: Bool { if case .days = resolution.value { true } else { false } }
}

extension EventTime {
    /// The days on which it lies; what ends at midnight does not take the next one.
    fileprivate func days(_ clock: LocalClock) -> ClosedRange<CivilDate> {
        switch self {
        case .allDay(let days): return days
        case .timed(let interval):
            let first = clock.day(of: interval.start)
            return first...max(first, clock.day(of: interval.end - 1))
        }
    }
}
