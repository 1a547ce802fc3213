// SPDX-License-Identifier: Apache-2.0

import Foundation

extension CalendarObject {
    /// Splits a series in two, so that all occurrences from a given one on can be changed separately.
    ///
    /// The first series ends before the occurrence. The second one follows it in the calendar; it has the same rule,
    /// the remainder of COUNT, and the later exceptions, additional dates and overrides.
    ///
    /// - Parameters:
    ///   - occurrence: The first occurrence of the second series, which must not be the first of the original one.
    ///   - uid: The UID of the second series, which must be unique.
    ///   - now: The present time in UTC.
    /// - Returns: The second series, as added to the calendar.
    /// - Throws: ``CalendarError`` with code `notFound` if the series is not in the calendar, does not have exactly one
    ///   rule, has an override that changes all later occurrences, or if its rule has no occurrence in one of the two
    ///   parts; `invalidRule`.
    @discardableResult
    public mutating func split<Item: CalendarItem>(
        at occurrence: Occurrence<Item>, uid: String, now: CivilTime
    ) throws(CalendarError) -> Item {
        let group = self.series(of: occurrence)
        guard let master = group.master, let start = master.start,
            let rule = try master.rules().first, master.component.all("RRULE").count == 1,
            !group.items.contains(where: \.changesLaterOnes)
        else {
            throw CalendarError(.notFound, "Only a series with one rule, and without overrides from one on, is split.")
        }
        let zones = zones(local: .gmt)
        let series = RecurrenceSeries(group, zones: zones)
        let key = series.key(of: occurrence.recurrenceID)
        let (before, first) = try Self.divide(rule, start, series, key)

        var (head, tail) = (master, master)
        var (headRule, tailRule) = (rule, rule)
        switch start {
        case .date: headRule.end = .until(.date(CivilDate(dayNumber: key / 86_400 - 1)))
        case .floating: headRule.end = .until(.floating(CivilTime(seconds: key - 1)))
        case .utc, .zoned: headRule.end = .until(.utc(CivilTime(seconds: key - 1)))
        }
        if case .count(let count) = rule.end { tailRule.end = .count(count - before) }
        head.setRule(headRule)
        tail.setRule(tailRule)
        head.keepDates { series.key(of: $0) < key }
        tail.keepDates { series.key(of: $0) >= key }
        tail.component.set("UID", TextValue.write(uid))
        tail.component.remove("SEQUENCE")
        tail.component.remove("CREATED")
        tail.move(to: first, end: series.end(from: first))
        tail.noteChange(from: master.component, now: now)
        tail.component.remove("SEQUENCE")

        var moved: [Item] = []
        for item in group.items {
            guard let id = item.recurrenceID, series.key(of: id) >= key else { continue }
            component.items.remove(at: try place(of: item))
            var item = item
            item.component.set("UID", TextValue.write(uid))
            moved.append(item)
        }
        head.noteChange(from: master.component, now: now)
        component.items[try place(of: master)] = .component(head.component)
        for item in [tail] + moved { add(item) }
        return tail
    }

    /// Moves the beginning of a series to one of its occurrences; those before it are no longer part of the series.
    ///
    /// - Parameters:
    ///   - occurrence: The new first occurrence, which must not be the first one already.
    ///   - now: The present time in UTC.
    /// - Throws: ``CalendarError`` with code `notFound` if the series is not in the calendar, has overrides, or does not
    ///   have exactly one rule; `invalidRule`.
    public mutating func advance<Item: CalendarItem>(
        to occurrence: Occurrence<Item>, now: CivilTime
    ) throws(CalendarError) {
        let group = self.series(of: occurrence)
        guard let master = group.items.first, group.items.count == 1, let start = master.span?.start,
            let rule = try master.rules().first, master.component.all("RRULE").count == 1
        else { throw CalendarError(.notFound, "Only a series with one rule, and without overrides, is advanced.") }
        let series = RecurrenceSeries(group, zones: zones(local: .gmt))
        let key = series.key(of: occurrence.recurrenceID)
        let (before, first) = try Self.divide(rule, start, series, key)
        let end = series.end(from: first)
        try update(master, now: now) { item in
            if case .count(let count) = rule.end {
                var rest = rule
                rest.end = .count(count - before)
                item.setRule(rest)
            }
            item.keepDates { series.key(of: $0) >= key }
            item.move(to: first, end: end)
        }
    }

    /// The number of times of a rule before a key, and the first time that is not before it.
    private static func divide<Item: CalendarItem>(
        _ rule: RecurrenceRule, _ start: CalendarTime, _ series: RecurrenceSeries<Item>, _ key: Int
    ) throws(CalendarError) -> (before: Int, first: CalendarTime) {
        var before = 0
        for civil in RuleTimes(rule, start: start.civil, isDate: start.isDate) {
            let time = start.with(civil)
            if case .until(let until) = rule.end, series.key(of: time) > series.key(of: until) { break }
            if series.key(of: time) >= key, before > 0 { return (before, time) }
            guard series.key(of: time) < key else { break }
            before += 1
        }
        throw CalendarError(.notFound, "The rule has no occurrence before the one to split at, or none from there.")
    }
}

extension CalendarItem {
    /// Keeps only those additional dates and exceptions that satisfy a condition; unaffected lines keep their bytes.
    fileprivate mutating func keepDates(where isKept: (CalendarTime) -> Bool) {
        component.items = component.items.compactMap { item in
            guard case .line(let line) = item, line.key == "RDATE" || line.key == "EXDATE" else { return item }
            let values = line.value.split(separator: ",")
            let kept = values.filter { value in
                let time = CalendarPeriod(value, zone: line.zone)?.start ?? CalendarTime(value, zone: line.zone)
                return time.map(isKept) ?? true
            }
            if kept.count == values.count { return item }
            if kept.isEmpty { return nil }
            return .line(line.replacing(value: kept.joined(separator: ","), parameters: line.parameters))
        }
    }
}
