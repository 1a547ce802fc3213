// SPDX-License-Identifier: Apache-2.0

import Foundation
public import ParleyAssistant
import ParleyCalendar

extension CalendarItems {
    /// The change that creates an event with a title and a time.
    ///
    /// - Throws: ``AssistantError`` with code `invalidInput` if the title or the time is missing.
    public func creation(of fields: EventFields) async throws -> Change<StoreItem> {
        guard let title = fields.title, !title.allSatisfy(\.isWhitespace), let time = fields.time else {
            throw AssistantError(.invalidInput, "A new event needs a title and a time.")
        }
        let (uid, stamp) = (context.newUID(), context.stamp)
        let (start, end) = context.span(of: time)
        var event = CalendarEvent(uid: uid, start: start, end: end, summary: title, stamp: stamp)
        event.component.set("CREATED", CalendarTime.utc(stamp).text)
        if let recurrence = fields.recurrence {
            event.setRule(recurrence.rule(from: start, clock: context.clock(of: start)))
        }
        var rest = fields
        (rest.title, rest.recurrence) = (nil, nil)
        event.set(rest)
        var calendar = CalendarObject(product: CalendarContext.product)
        calendar.add(event)
        return Change(before: nil, after: context.item(calendar, uid: uid, store: name))
    }

    /// The change that gives an event new values in the fields that are set; all else keeps its bytes.
    ///
    /// An empty location or empty notes are removed. If only the start is new, the event keeps its length. A new time of
    /// a series is that of the shown date; its other dates move with it, but those that were moved to a time of their own
    /// before. A new title, place or notes of a series are also those of the dates that were moved or changed, where they
    /// had what the series had.
    ///
    /// - Throws: ``AssistantError`` with code `itemNotFound`, `invalidItem`, or `invalidInput` for a time that the event
    ///   cannot have.
    public func update(
        of id: StoredEvent.ID, scope: EventScope, with fields: EventFields
    ) async throws -> Change<StoreItem> {
        let (item, occurrence) = try await existing(id)
        var calendar = item.calendar
        let zones = calendar.zones(local: context.timeZone)
        let span = try context.span(of: fields, changing: occurrence, zones: zones)
        let series = calendar.series(of: CalendarEvent.self, key: occurrence.key)
        let master = series?.master
        do throws(CalendarError) {
            guard let master, master.recurs else {
                // A single event, or a date of a series of which the item has no more than this date.
                try calendar.update(occurrence.item, now: context.stamp) { event in
                    if let span { event.setSpan(span) }
                    event.set(fields)
                    if master != nil, let recurrence = fields.recurrence, let start = event.start {
                        event.setRule(recurrence.rule(from: start, clock: zones.clock(of: start)))
                    }
                }
                return item.change(to: calendar)
            }
            if scope == .occurrence {
                guard fields.recurrence == nil else {
                    throw CalendarError(
                        .invalidRule, "One date of a series cannot recur differently; change the series.")
                }
                try calendar.override(occurrence, now: context.stamp) { event in
                    if let span { event.setSpan(span) }
                    event.set(fields)
                }
                return item.change(to: calendar)
            }
            let moved = span.flatMap { context.series(master, following: $0, of: occurrence, zones: zones) }
            if let span, let moved {
                let id = occurrence.recurrenceID
                for date in series?.items ?? [] where date.recurrenceID != nil {
                    let isShown = date.component == occurrence.item.component && date.recurrenceID == id
                    let own = isShown ? span : moved.following(date, of: master, zones: zones)
                    if let own { try calendar.update(date, now: context.stamp) { $0.setSpan(own) } }
                }
            }
            let change = { (event: inout CalendarEvent) in
                event.set(fields)
                if let recurrence = fields.recurrence, let start = event.start {
                    event.setRule(recurrence.rule(from: start, clock: zones.clock(of: start)))
                }
            }
            if let moved, moved.start != master.start {
                // A duration in days or hours stays one unless the length changed.
                try calendar.move(master, to: moved.start, end: moved.end, now: context.stamp) { event in
                    event.setSpan(moved)
                    change(&event)
                }
            } else {
                try calendar.update(master, now: context.stamp) { event in
                    if let moved { event.setSpan(moved) }
                    change(&event)
                }
            }
            let dates = calendar.series(of: CalendarEvent.self, key: occurrence.key)?.items ?? []
            for date in dates where date.recurrenceID != nil {
                let same = fields.concerning(date, of: master)
                try calendar.update(date, now: context.stamp) { $0.set(same) }
            }
        } catch {
            throw error.code == .invalidRule ? AssistantError(.invalidInput, error.message, cause: error) : .init(error)
        }
        return item.change(to: calendar)
    }

    /// The change that deletes an event, or one date of it.
    ///
    /// - Throws: ``AssistantError`` with code `itemNotFound` or `invalidItem`.
    public func deletion(of id: StoredEvent.ID, scope: EventScope) async throws -> Change<StoreItem> {
        let (item, occurrence) = try await existing(id)
        var calendar = item.calendar
        do {
            switch scope {
            case .series: calendar.remove(occurrence.item)
            case .occurrence: try calendar.remove(occurrence, now: context.stamp)
            }
        } catch {
            throw AssistantError(error)
        }
        return item.change(to: calendar)
    }

    /// The changes that delete several events, one change for each item, whole or with those of its dates.
    ///
    /// - Throws: ``AssistantError`` with code `itemNotFound` or `invalidItem`.
    public func deletions(of ids: [StoredEvent.ID]) async throws -> [Change<StoreItem>] {
        var changes: [Change<StoreItem>] = []
        var done: Set<StoreItem.ID> = []
        for item in ids.map(\.item) where done.insert(item).inserted {
            var rest = try await reader.existing(item)
            var dates: Set<StoredEvent.ID> = []
            var places: [(id: StoredEvent.ID, place: Int)] = []
            for id in ids where id.item == item && dates.insert(id).inserted {
                guard let (number, occurrence) = self.occurrence(id, in: rest) else { throw gone(id) }
                let all = rest[number].calendar.series(of: CalendarEvent.self)
                places.append((id, all.firstIndex { $0.key == occurrence.key } ?? 0))
            }
            // Each date is looked for in what the deletions before it have left. The last event goes first, so that those
            // without a UID keep their numbers.
            for (id, _) in places.sorted(by: { $0.place > $1.place }) {
                guard let (number, occurrence) = self.occurrence(id, in: rest) else { throw gone(id) }
                do {
                    try rest[number].calendar.remove(occurrence, now: context.stamp)
                } catch {
                    throw AssistantError(error)
                }
            }
            changes.append(rest[0].change(with: rest))
        }
        return changes
    }

    /// The occurrence that an identifier means, and its calendar.
    private func existing(
        _ id: StoredEvent.ID
    ) async throws -> (item: ReadCalendar, occurrence: Occurrence<CalendarEvent>) {
        let calendars = try await reader.existing(id.item)
        guard let (number, occurrence) = self.occurrence(id, in: calendars) else { throw gone(id) }
        return (calendars[number], occurrence)
    }

    private func gone(_ id: StoredEvent.ID) -> AssistantError {
        AssistantError(.itemNotFound, "The event of \(id.item) is no longer there.")
    }
}
