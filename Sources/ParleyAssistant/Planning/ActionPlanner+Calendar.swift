// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import ParleyCalendar

extension ActionPlanner {
    /// The plan of an action on the calendar.
    func plan(_ action: CalendarAction, _ choices: ActionChoices) async throws -> ActionPlan {
        guard let store = stores.calendar else { throw missing("calendar") }
        switch action {
        case .create(var fields):
            if let slot = choices.slot { fields.move(to: slot) }
            return try await creation(fields, in: store)
        case .update(let search, let fields):
            let fits = try await self.search(search, in: store)
            return try await update(fits, fields, in: store, choices)
        case .reschedule(let identifier, let fields):
            let fits: ItemSearch.Found<StoredEvent>
            if let id = StoredEvent.ID(identifier), id.item.store == store.name {
                // The parts of an identifier are no words of a title, in which another event may have them.
                guard let event = try await store.event(id) else {
                    throw AssistantError(.itemNotFound, "This event is no longer there; look for it again.")
                }
                fits = .init(items: [event])
            } else {
                // Small models write a title where an identifier is expected.
                fits = try await search(identifier, in: store)
            }
            return try await update(fits, fields, in: store, choices)
        case .delete(let search):
            let fits = try await self.search(search, in: store)
            var plan = ActionPlan()
            let event = try target(of: fits, choices, &plan)
            plan.changes = [try await store.deletion(of: event.id, scope: plan.scope ?? .occurrence)]
            return plan
        case .deleteAll(let range):
            let events = try await store.events(in: range)
            guard !events.isEmpty else { throw AssistantError(.itemNotFound, "There are no events at that time.") }
            guard events.count <= Self.maxDeletions else {
                throw AssistantError(
                    .tooLarge,
                    "There are \(events.count) events at that time; at most \(Self.maxDeletions) are deleted.")
            }
            var plan = ActionPlan()
            plan.items = events.map { PlannedItem($0) }
            plan.changes = try await store.deletions(of: events.map(\.id))
            return plan
        case .list(let range): return ActionPlan(.events(try await store.events(in: range)))
        case .query(let range, let minutes):
            // Free times that are over are of no use.
            guard range.end > context.now else { return ActionPlan(.freeTimes([])) }
            let rest = DateInterval(start: max(range.start, context.now), end: range.end)
            return freeTimes(of: minutes, in: rest, try await busy(in: rest, store))
        }
    }

    /// The change that moves an event to a free time, after it was written.
    ///
    /// - Parameters:
    ///   - shown: which event it was when it was shown; nil for a new one.
    ///   - item: the item that was written.
    ///   - scope: which dates of it were written.
    ///   - time: the time that was written.
    ///   - slot: the free time.
    /// - Returns: the change.
    /// - Throws: ``AssistantError``.
    func move(
        _ shown: StoredEvent.ID?, in item: StoreItem.ID, scope: EventScope, from time: EventTime?,
        to slot: DateInterval
    ) async throws -> Change<StoreItem> {
        guard let store = stores.calendar else { throw missing("calendar") }
        var event = StoredEvent.ID(item: item, recurrence: shown?.recurrence)
        if scope == .series, let time {
            // The dates of a series that was moved have other names now.
            let dates = try await store.events(in: time.interval(context.clock))
            guard let date = dates.first(where: { $0.id.series == event.series && $0.time == time }) else {
                throw AssistantError(.itemNotFound, "The series has changed meanwhile, so it is not moved.")
            }
            event = date.id
        }
        var fields = EventFields()
        fields.move(to: slot)
        return try await store.update(of: event, scope: scope, with: fields)
    }

    private func search(
        _ words: String, in store: any CalendarStore
    ) async throws -> ItemSearch.Found<StoredEvent> {
        let range = DateInterval(start: context.now - ItemSearch.reach, end: context.now + ItemSearch.reach)
        return ItemSearch(words: words).events(
            in: try await store.events(in: range), now: context.now, clock: context.clock)
    }

    /// Chooses the event that is meant, and adds it, the others that fit and its scope to the plan.
    private func target(
        of fits: ItemSearch.Found<StoredEvent>, _ choices: ActionChoices, _ plan: inout ActionPlan
    ) throws -> StoredEvent {
        guard let event = plan.choose(among: fits, choices, shown: { PlannedItem($0) }) else {
            throw AssistantError(.itemNotFound, "No event of the sixty days before or after today fits these words.")
        }
        if event.isRecurring { plan.scope = choices.scope ?? .occurrence }
        return event
    }

    private func creation(_ fields: EventFields, in store: any CalendarStore) async throws -> ActionPlan {
        var plan = ActionPlan()
        plan.changes = [try await store.creation(of: fields)]
        plan.tellReminder(of: fields)
        plan.outcome = PlannedItem(
            title: fields.title ?? "", time: fields.time, location: fields.location, text: fields.notes,
            recurrence: fields.recurrence.map { Self.text($0) })
        if let time = fields.time {
            try await findConflicts(with: time, in: store, &plan) { _ in false }
            if let recurrence = fields.recurrence {
                try await findConflicts(with: recurrence.times(from: time, clock: context.clock), in: store, &plan)
            }
        }
        return plan
    }

    private func update(
        _ fits: ItemSearch.Found<StoredEvent>, _ given: EventFields, in store: any CalendarStore,
        _ choices: ActionChoices
    ) async throws -> ActionPlan {
        var plan = ActionPlan()
        let event = try target(of: fits, choices, &plan)
        plan.tellReminder(of: given)
        var fields = given
        if fields.time == nil || fields.start?.hasDay == false { fields.time = try time(given, of: event) }
        if let slot = choices.slot { fields.move(to: slot) }
        // Only a whole series has a rule by which it recurs.
        if fields.recurrence != nil, event.isRecurring { plan.scope = .series }
        let scope = plan.scope ?? .occurrence
        plan.changes = [try await store.update(of: event.id, scope: scope, with: fields)]
        plan.movesTime = fields.time.map { $0 != event.time } ?? false
        var outcome = PlannedItem(event)
        outcome.title = fields.title ?? outcome.title
        outcome.time = fields.time ?? outcome.time
        outcome.location = fields.location ?? outcome.location
        outcome.text = fields.notes ?? outcome.text
        outcome.recurrence = fields.recurrence.map { Self.text($0) } ?? outcome.recurrence
        plan.outcome = outcome
        if event.isRecurring, scope == .series {
            let looked = plan.movesTime ? " Conflicts were looked for on this date only." : ""
            plan.notices.append("All dates of the series change." + looked)
        }
        if plan.movesTime, let time = fields.time {
            try await findConflicts(with: time, in: store, &plan) {
                // An item may hold other events too.
                scope == .series && $0.isRecurring ? $0.id.series == event.id.series : $0.id == event.id
            }
        }
        return plan
    }

    /// Adds the events at the same time to the plan and, if there are any, free times instead.
    private func findConflicts(
        with time: EventTime, in store: any CalendarStore, _ plan: inout ActionPlan,
        except isItself: (StoredEvent) -> Bool
    ) async throws {
        let clock = context.clock
        let wanted = time.busyTime(clock)
        // An event without length is looked for in the minute after it.
        let range = DateInterval(start: wanted.start, end: max(wanted.end, wanted.start + 60))
        plan.conflicts = try await store.events(in: range).filter {
            $0.isBusy && !isItself($0) && wanted.conflicts(with: $0.time.busyTime(clock))
        }
        guard !plan.conflicts.isEmpty else { return }
        let start = max(wanted.start, context.now)
        let week = DateInterval(start: start, duration: 8 * 86_400)
        let busy = try await store.events(in: week).filter { $0.isBusy && !isItself($0) }
        plan.freeSlots = slots.slots(for: wanted, busy: busy.map { $0.time.busyTime(clock) }, now: context.now)
    }

    /// Adds the events at the times of a new series to the plan, and says which times were looked at.
    private func findConflicts(
        with times: [EventTime], in store: any CalendarStore, _ plan: inout ActionPlan
    ) async throws {
        let clock = context.clock
        guard let first = times.first, let last = times.last, times.count > 1 else { return }
        let range = DateInterval(
            start: first.interval(clock).start, end: max(last.interval(clock).end, last.interval(clock).start + 60))
        let busy = try await store.events(in: range).filter(\.isBusy)
        var days: [CivilDate] = []
        for time in times {
            let wanted = time.busyTime(clock)
            let found = busy.filter { wanted.conflicts(with: $0.time.busyTime(clock)) }
            if !found.isEmpty { days.append(clock.day(of: wanted.start)) }
            for event in found where !plan.conflicts.contains(where: { $0.id == event.id }) {
                plan.conflicts.append(event)
            }
        }
        let end = clock.day(of: last.interval(clock).start)
        plan.notices.append("Conflicts were looked for on the first \(times.count) dates, until \(end).")
        guard !days.isEmpty else { return }
        let shown = days.prefix(10).map { "\($0)" }.joined(separator: ", ")
        let more = days.count > 10 ? " and \(days.count - 10) more" : ""
        plan.notices.append("Other events are at the same time on \(shown)\(more).")
    }

    /// The free times of a range: in the working hours or, where it has none of the length, as a weekend or an evening
    /// has none, in the same hours of every day, or else at any time.
    private func freeTimes(of minutes: Int, in range: DateInterval, _ busy: [BusyTime]) -> ActionPlan {
        let length = Double(minutes) * 60
        var daily = slots
        daily.weekdays = Set(Weekday.allCases)
        var always = daily
        always.hours = LocalTime(seconds: 0)..<LocalTime(seconds: 86_400)
        let fitting = [slots, daily].first { !$0.slots(of: length, within: range, busy: []).isEmpty } ?? always
        let free = fitting.slots(of: length, within: range, busy: busy)
        var plan = ActionPlan(.freeTimes(free))
        if free.isEmpty, fitting.hours != always.hours {
            let days = fitting.weekdays == daily.weekdays ? "every day" : "on working days"
            let (first, last) = (fitting.hours.lowerBound, fitting.hours.upperBound)
            plan.notices.append("Free times were looked for \(days) from \(first) to \(last).")
        }
        return plan
    }

    private func busy(in range: DateInterval, _ store: any CalendarStore) async throws -> [BusyTime] {
        guard range.duration > 0 else { return [] }
        return try await store.events(in: range).filter(\.isBusy).map { $0.time.busyTime(context.clock) }
    }

    /// How an event recurs, such as `every 2 weeks on Tue and Thu until 2026-12-25`.
    private static func text(_ recurrence: Recurrence) -> String {
        let unit =
            switch recurrence.frequency {
            case .daily: "day"
            case .weekly: "week"
            case .monthly: "month"
            case .yearly: "year"
            }
        var text = recurrence.interval == 1 ? "every \(unit)" : "every \(recurrence.interval) \(unit)s"
        var days = recurrence.weekdays.map(\.shortName)
        if recurrence.ordinal != nil, recurrence.weekdays == Weekday.allCases { days = ["day"] }
        if recurrence.ordinal != nil, recurrence.weekdays == Weekday.workdays { days = ["working day"] }
        if let last = days.last {
            let places = [-1: "the last ", 1: "the first ", 2: "the second ", 3: "the third ", 4: "the fourth "]
            let place = recurrence.ordinal.map { places[$0] ?? "the \($0)th " } ?? ""
            let others = days.dropLast().joined(separator: ", ")
            text += " on \(place)\(others.isEmpty ? last : "\(others) and \(last)")"
        }
        if let until = recurrence.until { return "\(text) until \(until)" }
        return recurrence.count.map { "\(text), \($0) times" } ?? text
    }
}

extension ActionPlan {
    /// Says when an event will remind of itself, where that is new.
    fileprivate mutating func tellReminder(of fields: EventFields) {
        guard let minutes = fields.reminderMinutes else { return }
        let units = [(1_440, "day"), (60, "hour"), (1, "minute")]
        let (size, unit) = units.first { minutes % $0.0 == 0 } ?? (1, "minute")
        let count = minutes / size
        notices.append(
            minutes == 0
                ? "It reminds of itself when it begins."
                : "It reminds of itself \(count) \(unit)\(count == 1 ? "" : "s") before.")
    }
}

extension PlannedItem {
    init(_ event: StoredEvent) {
        self.init(
            id: event.id.description, title: event.title, time: event.time, location: event.location,
            text: event.notes, recurrence: event.isRecurring ? "one of a series" : nil)
    }
}

extension EventFields {
    /// Gives the event another time.
    mutating func move(to slot: DateInterval) { (time, isAllDay, start, end) = (.timed(slot), false, nil, nil) }
}
