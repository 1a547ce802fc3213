// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyCalendar

/// A to-do of an item with the date that is to be done next.
struct OpenToDo {
    let reminder: StoredReminder
    /// The calendar that has the to-do.
    let item: ReadCalendar
    /// The to-do with its overrides.
    let series: CalendarSeries<CalendarToDo>
    /// The to-do, or the override of that date.
    let toDo: CalendarToDo
    /// The date; nil for a to-do without a time.
    let occurrence: Occurrence<CalendarToDo>?
    private let zones: ZoneTable

    /// The to-dos of a calendar that are not done; there are several in a file that another program has exported.
    static func all(in item: ReadCalendar, local: TimeZone) -> [OpenToDo] {
        let all = item.calendar.series(of: CalendarToDo.self)
        let zones = item.calendar.zones(local: local)
        let isOnly = all.count == 1 && item.count == 1
        var left = item.limits.allTimes
        return all.compactMap { series in
            let id = StoredReminder.ID(item: item.item.id, key: isOnly ? nil : item.key(of: series.key))
            return OpenToDo(series, id, of: item, zones: zones, left: &left)
        }
    }

    /// Finds the date; nil if the to-do is done with all of its dates.
    private init?(
        _ series: CalendarSeries<CalendarToDo>, _ id: StoredReminder.ID, of item: ReadCalendar, zones: ZoneTable,
        left: inout Int
    ) {
        guard let first = series.master ?? series.items.first, !first.isDone else { return nil }
        (self.item, self.series, self.zones) = (item, series, zones)
        var toDo = first
        var occurrence: Occurrence<CalendarToDo>?
        if let span = first.span {
            if first.recurs || series.items.count > 1 {
                let begin = Date(timeIntervalSince1970: Double(zones.instant(of: span.start)))
                occurrence = Self.first(of: series, from: begin, zones: zones, left: &left) { !$0.item.isDone }
                guard let occurrence else { return nil }
                toDo = occurrence.item
            } else {
                occurrence = series.occurrence(at: nil, zones: zones, most: CalendarContext.limits.times)
            }
        }
        self.toDo = toDo
        self.occurrence = occurrence
        reminder = StoredReminder(
            id: id, title: toDo.summary ?? "", body: toDo.details,
            due: toDo.due == nil && toDo.start == nil ? nil : occurrence?.interval.end,
            isAllDay: occurrence?.isAllDay ?? false)
    }

    /// The date after another one; nil if that was the last.
    func next(after date: Occurrence<CalendarToDo>) -> Occurrence<CalendarToDo>? {
        var left = CalendarContext.limits.allTimes
        return Self.first(of: series, from: date.interval.start, zones: zones, left: &left) {
            $0.interval.start > date.interval.start && !$0.item.isDone
        }
    }

    /// The first date from an instant on that fits. What is examined for it is subtracted from what is left.
    private static func first(
        of series: CalendarSeries<CalendarToDo>, from start: Date, zones: ZoneTable, left: inout Int,
        where fits: (Occurrence<CalendarToDo>) -> Bool
    ) -> Occurrence<CalendarToDo>? {
        // Most series have their next date within weeks; few are looked at for longer, each stretch with no more dates
        // than may be found at once, and none for much more than a century.
        var (begin, days) = (start, 40.0)
        while begin < start + 40_000 * 86_400 {
            let range = DateInterval(start: begin, duration: days * 86_400)
            let found = series.occurrences(
                in: range, zones: zones, most: CalendarContext.limits.times, left: &left)
            if let date = found.occurrences.first(where: fits) { return date }
            (begin, days) = (range.end, min(2 * days, 10_000))
        }
        return nil
    }

    /// When the alarms of the date go off.
    var alarmTimes: [Date] {
        guard let occurrence else { return [] }
        let clock = zones.clock(of: occurrence.start)
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
        guard times.isEmpty else { return times.sorted() }
        guard occurrence.isAllDay else { return [occurrence.interval.end] }
        // Nobody wants to be told at midnight what is to be done on a day.
        let day = clock.time(at: Int(occurrence.interval.end.timeIntervalSince1970)).date
        let morning = CivilTime(midnightOf: day).seconds + DateContext.Parts().morning.lowerBound.seconds
        return [Date(timeIntervalSince1970: Double(clock.instant(of: CivilTime(seconds: morning))))]
    }
}

extension CalendarToDo {
    /// Whether nothing remains to be done.
    fileprivate var isDone: Bool {
        ["COMPLETED", "CANCELLED"].contains(status) || component["COMPLETED"] != nil
    }
}
