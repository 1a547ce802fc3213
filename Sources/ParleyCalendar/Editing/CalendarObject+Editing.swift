// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The properties whose changes matter to other participants and increment SEQUENCE (RFC 5546, section 2.1.4).
private let significant = ["DTSTART", "DTEND", "DURATION", "DUE", "RRULE", "RDATE", "EXDATE", "STATUS", "LOCATION"]

extension CalendarItem {
    /// Records that the item was changed: updates its time stamps, and SEQUENCE if other participants must know of it.
    ///
    /// - Parameters:
    ///   - old: The component before the change.
    ///   - now: The present time in UTC.
    mutating func noteChange(from old: ContentComponent, now: CivilTime) {
        guard component != old else { return }
        let isSignificant = significant.contains { component.all($0).map(\.meaning) != old.all($0).map(\.meaning) }
        if isSignificant { component.set("SEQUENCE", String(min(sequence, Int(Int32.max) - 1) + 1)) }
        component.set("DTSTAMP", CalendarTime.utc(now).text)
        component.set("LAST-MODIFIED", CalendarTime.utc(now).text)
    }
}

extension ContentLine {
    fileprivate var meaning: [String] { parameters.map(\.text) + [value] }
}

extension CalendarObject {
    /// Adds an item after the others, and a VTIMEZONE for each zone that it uses and the calendar does not define.
    ///
    /// - Parameter item: An event or a to-do.
    public mutating func add(_ item: some CalendarItem) {
        describeZones(of: item.component)
        component.add(item.component)
    }

    /// Adds a VTIMEZONE for each zone that is not defined, except for zones that the item used before.
    private mutating func describeZones(of item: ContentComponent, besides old: ContentComponent? = nil) {
        let known = Set(old?.properties.compactMap(\.zone) ?? [])
        for line in item.properties {
            guard let name = line.zone, !known.contains(name), let zone = ZoneTable.zone(named: name),
                !component.components("VTIMEZONE").contains(where: { ZoneTable.names(of: $0).contains(name) })
            else { continue }
            let time = line.time?.civil.seconds ?? 0
            var description = ContentComponent.timeZone(zone, around: time, lineEnd: component.lineEnd)
            description.set("TZID", TextValue.write(name))
            let first = component.items.firstIndex { if case .component = $0 { true } else { false } }
            component.items.insert(.component(description), at: first ?? component.items.endIndex)
        }
    }

    /// Changes an item in place: a series, a single item, or an override.
    ///
    /// SEQUENCE, LAST-MODIFIED and DTSTAMP are updated. All other lines that the change does not affect keep their
    /// bytes.
    ///
    /// - Parameters:
    ///   - item: An item as it is in the calendar.
    ///   - now: The present time in UTC.
    ///   - change: What to change.
    /// - Throws: ``CalendarError`` with code `notFound` if the item is not in the calendar.
    public mutating func update<Item: CalendarItem>(
        _ item: Item, now: CivilTime, _ change: (inout Item) -> Void
    ) throws(CalendarError) {
        let place = try place(of: item)
        var changed = item
        change(&changed)
        changed.noteChange(from: item.component, now: now)
        component.items[place] = .component(changed.component)
        describeZones(of: changed.component, besides: item.component)
    }

    /// Removes an item and all its overrides.
    ///
    /// - Parameter item: An item as it is in the calendar.
    public mutating func remove<Item: CalendarItem>(_ item: Item) {
        let all = Set(self.series(with: item).map(\.component))
        component.items.removeAll { if case .component(let other) = $0 { all.contains(other) } else { false } }
    }

    /// Changes one occurrence of a series with an override; the series itself does not change.
    ///
    /// - Parameters:
    ///   - occurrence: An occurrence that was found in this calendar.
    ///   - now: The present time in UTC.
    ///   - change: What to change. The override begins as a copy of the series, at the occurrence's times.
    /// - Throws: ``CalendarError`` with code `notFound` if its item is not in the calendar.
    public mutating func override<Item: CalendarItem>(
        _ occurrence: Occurrence<Item>, now: CivilTime, _ change: (inout Item) -> Void
    ) throws(CalendarError) {
        let item = occurrence.item
        let isOfSeries = item.recurrenceID == nil ? item.recurs : item.changesLaterOnes
        guard isOfSeries, item.recurrenceID != occurrence.recurrenceID else {
            return try update(item, now: now, change)
        }
        var copy = item
        for key in ["RRULE", "RDATE", "EXDATE"] { copy.component.remove(key) }
        copy.component.remove("RECURRENCE-ID")
        copy.component.setTime("RECURRENCE-ID", occurrence.recurrenceID)
        copy.move(to: occurrence.start, end: occurrence.end)
        change(&copy)
        copy.noteChange(from: item.component, now: now)
        component.items.insert(
            .component(copy.component), at: try place(of: series(of: occurrence).items.last ?? item) + 1)
        describeZones(of: copy.component, besides: item.component)
    }

    /// Removes one occurrence: from a series, by adding an exception and removing its override; otherwise the item
    /// itself, with its copies and older versions, which would be there in its place.
    ///
    /// - Parameters:
    ///   - occurrence: An occurrence that was found in this calendar.
    ///   - now: The present time in UTC.
    /// - Throws: ``CalendarError`` with code `notFound` if its item is not in the calendar.
    public mutating func remove<Item: CalendarItem>(
        _ occurrence: Occurrence<Item>, now: CivilTime
    ) throws(CalendarError) {
        let group = self.series(of: occurrence)
        guard let master = group.master, master.recurs, let start = master.start else {
            let all = group.items.filter { $0 == occurrence.item || $0.isOlder(than: occurrence.item) }
            for item in all.isEmpty ? [occurrence.item] : all { component.items.remove(at: try place(of: item)) }
            return
        }
        let series = RecurrenceSeries(group, zones: zones(local: .gmt))
        let key = series.key(of: occurrence.recurrenceID)
        for item in group.items {
            guard let id = item.recurrenceID, series.key(of: id) == key, !item.changesLaterOnes else { continue }
            component.items.remove(at: try place(of: item))
        }
        let exception = series.time(of: key, like: start)
        try update(master, now: now) { master in
            let parameters = exception.parameters
            master.component.add(
                ContentLine("EXDATE", exception.text, parameters: parameters, lineEnd: master.component.lineEnd))
        }
    }

    func place<Item: CalendarItem>(of item: Item) throws(CalendarError) -> Int {
        // Of items that are the same in every byte the last is meant, so that those before it keep their numbers.
        guard let place = component.items.lastIndex(of: .component(item.component)) else {
            throw CalendarError(.notFound, "The item is not in the calendar, or was changed since; look for it again.")
        }
        return place
    }
}

extension CalendarItem {
    /// Sets start and end; if the calendar states the length as a duration, the duration is changed instead of the end.
    mutating func move(to start: CalendarTime, end: CalendarTime) {
        let isDue = Self.componentName == CalendarToDo.componentName
        if component["DTSTART"] != nil || !isDue { component.setTime("DTSTART", start) }
        let key = isDue ? "DUE" : "DTEND"
        if component[key] != nil { component.setTime(key, end) }
    }
}
