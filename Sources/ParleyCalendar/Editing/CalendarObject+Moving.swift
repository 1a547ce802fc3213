// SPDX-License-Identifier: Apache-2.0

import Foundation

extension CalendarObject {
    /// Changes a series or a single item, and moves it to another time.
    ///
    /// The exceptions, the additional dates, the end of the rule and the identities of the overrides move along, so
    /// that the series keeps its dates. A rule that names days is changed with them, if it is as simple as most are.
    ///
    /// - Parameters:
    ///   - item: A series or a single item as it is in the calendar, not an override.
    ///   - start: The new start; it may have another form or zone than the old one.
    ///   - end: The new end; where the item states a duration, that stays instead.
    ///   - now: The present time in UTC.
    ///   - change: What else to change; it sees the moved item.
    /// - Throws: ``CalendarError`` with code `notFound` if the item is not in the calendar or has no start, or
    ///   `invalidRule` if its rule names days in a way that cannot be moved to another day.
    public mutating func move<Item: CalendarItem>(
        _ item: Item, to start: CalendarTime, end: CalendarTime, now: CivilTime,
        _ change: (inout Item) -> Void = { _ in }
    ) throws(CalendarError) {
        guard let old = item.span?.start else {
            throw CalendarError(.notFound, "The item has no start to move.")
        }
        let shift = TimeShift(from: old, to: start, zones: zones(local: .gmt))
        var moved = item
        moved.move(to: start, end: end)
        if start != old {
            var rules: [RecurrenceRule] = []
            for rule in try item.rules() { rules.append(try shift.rule(rule)) }
            if rules.count == 1 {
                moved.setRule(rules[0])
            } else if !rules.isEmpty, shift.days != 0 {
                throw CalendarError(.invalidRule, "A series with several rules cannot be moved to another day.")
            }
            for key in ["EXDATE", "RDATE"] { moved.component.mapTimes(key, shift) }
        }
        let group = series(with: item).filter { $0.recurrenceID != nil }
        try update(item, now: now) {
            $0 = moved
            change(&$0)
        }
        guard start != old else { return }
        for override in group {
            try update(override, now: now) { $0.component.mapTimes("RECURRENCE-ID", shift) }
        }
    }
}

/// How the times of a series change when its start does.
private struct TimeShift {
    let old: CalendarTime
    let new: CalendarTime
    let zones: ZoneTable

    init(from old: CalendarTime, to new: CalendarTime, zones: ZoneTable) {
        (self.old, self.new, self.zones) = (old, new, zones)
    }

    /// The number of days between the old and the new start.
    var days: Int { new.civil.date.dayNumber - old.civil.date.dayNumber }

    /// The new form of a time: as much later on the clock as the start.
    func time(_ time: CalendarTime) -> CalendarTime {
        // A day as an exception of a series with times stands for all times of that day.
        if case .date(let date) = time, !old.isDate, !new.isDate {
            return .date(CivilDate(dayNumber: date.dayNumber + days))
        }
        let civil = zones.civil(time, onClockOf: old)
        return new.with(CivilTime(seconds: civil.seconds + new.civil.seconds - old.civil.seconds))
    }

    func rule(_ rule: RecurrenceRule) throws(CalendarError) -> RecurrenceRule {
        var rule = rule
        if case .until(let until) = rule.end {
            let moved = time(until)
            switch (moved, new) {
            case (.zoned(let civil, _), _):
                rule.end = .until(.utc(CivilTime(seconds: zones.clock(of: moved).instant(of: civil))))
            default: rule.end = .until(moved)
            }
        }
        if days != 0 { try moveDays(of: &rule) }
        return rule
    }

    private func moveDays(of rule: inout RecurrenceRule) throws(CalendarError) {
        let complicated = CalendarError(
            .invalidRule, "A series with such a rule cannot be moved to another day; give it a new rule.")
        guard rule.yearDays.isEmpty, rule.weekNumbers.isEmpty, rule.setPositions.isEmpty else { throw complicated }
        let (was, date) = (old.civil.date, new.civil.date)
        if !rule.months.isEmpty, date.parts.month != was.parts.month {
            guard rule.months == [was.parts.month] else { throw complicated }
            rule.months = [date.parts.month]
        }
        if !rule.monthDays.isEmpty {
            guard rule.monthDays == [was.parts.day], rule.days.isEmpty else { throw complicated }
            rule.monthDays = [date.parts.day]
        }
        if rule.days.allSatisfy({ $0.ordinal == nil }) {
            let week = Weekday.allCases
            rule.days = rule.days.map { .init(week[($0.weekday.rawValue + days).modulo(7)]) }
        } else {
            guard rule.days.count == 1, let ordinal = rule.days[0].ordinal, rule.frequency == .monthly else {
                throw complicated
            }
            let (year, month, day) = date.parts
            let isLast = ordinal < 0 && day + 7 > CivilDate.days(inMonth: month, of: year)
            rule.days = [.init(date.weekday, ordinal: isLast ? -1 : (day - 1) / 7 + 1)]
        }
    }
}

extension ContentComponent {
    /// Moves all times of the properties with a name.
    fileprivate mutating func mapTimes(_ key: String, _ shift: TimeShift) {
        items = items.map { item in
            guard case .line(let line) = item, line.key == key else { return item }
            var parameters: [ContentParameter] = []
            let values = line.value.split(separator: ",").map { value -> String in
                if let period = CalendarPeriod(value, zone: line.zone), let moved = period.moved(shift) {
                    parameters = moved.start.parameters + [ContentParameter("VALUE", "PERIOD")]
                    return moved.text
                }
                guard let time = CalendarTime(value, zone: line.zone) else { return String(value) }
                let moved = shift.time(time)
                parameters = moved.parameters
                return moved.text
            }
            parameters += line.parameters.filter { !["VALUE", "TZID"].contains($0.name.uppercased()) }
            return .line(line.replacing(value: values.joined(separator: ","), parameters: parameters))
        }
    }
}

extension CalendarPeriod {
    /// The period at the moved time; nil if it would begin on a day without a time.
    fileprivate func moved(_ shift: TimeShift) -> CalendarPeriod? {
        var result = self
        result.start = shift.time(start)
        if case .end(let end) = length { result.length = .end(shift.time(end)) }
        return result.start.isDate ? nil : result
    }

    fileprivate var text: String {
        switch length {
        case .end(let end): "\(start.text)/\(end.text)"
        case .duration(let duration): "\(start.text)/\(duration.text)"
        }
    }
}
