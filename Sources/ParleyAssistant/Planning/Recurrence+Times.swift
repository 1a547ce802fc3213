// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import ParleyCalendar

extension Recurrence {
    /// The first times of an event that recurs, as many as can be looked at: those within a year, at most 60.
    ///
    /// - Parameters:
    ///   - first: The first time, which belongs to the series in any case.
    ///   - clock: The clock on which the event keeps its time of the day.
    /// - Returns: The times, the first one first.
    func times(from first: EventTime, clock: LocalClock) -> [EventTime] {
        let (day, time, isDate): (CivilDate, LocalTime, Bool) =
            switch first {
            case .timed(let interval): (clock.day(of: interval.start), clock.time(of: interval.start), false)
            case .allDay(let days): (days.lowerBound, LocalTime(seconds: 0), true)
            }
        let start = CivilTime(seconds: day.dayNumber * 86_400 + time.seconds)
        let rule = rule(from: isDate ? .date(day) : .floating(start), clock: .utc)
        var times = [first]
        for next in RuleTimes(rule, start: start, isDate: isDate) {
            guard times.count < 60, next.date.dayNumber - day.dayNumber <= 366 else { break }
            guard next > start else { continue }
            switch first {
            case .timed(let interval):
                let begin = clock.instant(next.date, time)
                times.append(.timed(DateInterval(start: begin, duration: interval.duration)))
            case .allDay(let days): times.append(.allDay(next.date...(next.date + (days.count - 1))))
            }
        }
        return times
    }
}
