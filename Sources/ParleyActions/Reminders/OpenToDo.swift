// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyCalendar

/// The to-do of an item with the date that is to be done next.
struct OpenToDo {
    let reminder: StoredReminder
    /// The to-do, or the override of that date.
    let toDo: CalendarToDo
    /// The date; nil for a to-do without a time.
    let occurrence: Occurrence<CalendarToDo>?
    private let calendar: CalendarObject

    /// Finds the date; nil if the item has no to-do, or if it is done with all of its dates.
    init?(_ item: ReadCalendar, local: TimeZone) {
        let all = item.calendar.toDos
        guard let first = all.first(where: { $0.recurrenceID == nil }) ?? all.first, !first.isDone else { return nil }
        calendar = item.calendar
        var toDo = first
        var occurrence: Occurrence<CalendarToDo>?
        if let span = first.span {
            let begin = Date(timeIntervalSince1970: Double(calendar.zones(local: local).instant(of: span.start)))
            if first.recurs || all.count > 1 {
                occurrence = Self.first(in: calendar, from: begin, local: local) {
                    $0.item.uid == first.uid && !$0.item.isDone
                }
                guard let occurrence else { return nil }
                toDo = occurrence.item
            } else {
                occurrence = calendar.occurrence(
                    of: CalendarToDo.self, uid: first.uid, at: nil, local: local, limits: CalendarContext.limits)
            }
        }
        self.toDo = toDo
        self.occurrence = occurrence
        reminder = StoredReminder(
            id: item.item.id, title: toDo.summary ?? "", body: toDo.details,
            due: toDo.due == nil && toDo.start == nil ? nil : occurrence?.interval.end)
    }

    /// The date after another one; nil if that was the last.
    func next(after date: Occurrence<CalendarToDo>, local: TimeZone) -> Occurrence<CalendarToDo>? {
        Self.first(in: calendar, from: date.interval.start, local: local) {
            $0.item.uid == date.item.uid && $0.interval.start > date.interval.start && !$0.item.isDone
        }
    }

    /// The first date from an instant on that fits.
    private static func first(
        in calendar: CalendarObject, from start: Date, local: TimeZone,
        where fits: (Occurrence<CalendarToDo>) -> Bool
    ) -> Occurrence<CalendarToDo>? {
        // Most series have their next date within weeks; few are looked at for longer, each stretch with no more dates
        // than may be found at once, and none for much more than a century.
        var (begin, days) = (start, 40.0)
        while begin < start + 40_000 * 86_400 {
            let range = DateInterval(start: begin, duration: days * 86_400)
            let list = try? calendar.occurrences(
                of: CalendarToDo.self, in: range, local: local, limits: CalendarContext.limits)
            if let found = list?.occurrences.first(where: fits) { return found }
            (begin, days) = (range.end, min(2 * days, 10_000))
        }
        return nil
    }

    /// When the alarms of the date go off.
    func alarmTimes(_ local: TimeZone) -> [Date] {
        guard let occurrence else { return [] }
        let clock = calendar.zones(local: local).clock(of: occurrence.start)
        func time(_ base: Date, _ offset: CalendarDuration) -> Date {
            // Days are those of the calendar, which may have 23 or 25 hours.
            let civil = clock.time(at: Int(base.timeIntervalSince1970)).seconds + offset.days * 86_400
            return Date(timeIntervalSince1970: Double(clock.instant(of: CivilTime(seconds: civil)) + offset.seconds))
        }
        var times: Set<Date> = []
        for alarm in toDo.alarms.prefix(20) {
            guard let trigger = alarm.trigger else { continue }
            let first =
                switch trigger {
                case .start(let offset): time(occurrence.interval.start, offset)
                case .end(let offset): time(occurrence.interval.end, offset)
                case .at(let time): Date(timeIntervalSince1970: Double(time.seconds))
                }
            times.insert(first)
            guard let (count, interval) = alarm.repetition else { continue }
            var last = first
            for _ in 0..<min(count, 100) {
                last = time(last, interval)
                times.insert(last)
            }
        }
        return times.isEmpty ? [occurrence.interval.end] : times.sorted()
    }
}

extension CalendarToDo {
    /// Whether nothing remains to be done.
    fileprivate var isDone: Bool {
        ["COMPLETED", "CANCELLED"].contains(status) || component["COMPLETED"] != nil
    }
}
