// SPDX-License-Identifier: Apache-2.0

#if canImport(EventKit)
    import EventKit
    import Foundation
    import ParleyAssistant
    import ParleyCalendar

    /// The events of the system's calendar as items: each event or series, and each date of a series, is one.
    ///
    /// The actor owns the database; its objects never leave it.
    actor SystemEventItems: ItemCollection {
        nonisolated let name = "calendar"
        nonisolated let suffix = "ics"
        private let store = EKEventStore()
        private var names: SystemItemNames
        private let clock: SystemClock
        /// The identifier of the calendar for new events; nil for the user's default.
        private let target: String?

        init(names: SystemItemNames, clock: SystemClock, target: String?) {
            (self.names, self.clock, self.target) = (names, clock, target)
        }

        func requestAccess() async throws { try await requireAccess(to: store, .event) }

        /// No paths: events are found by the system itself, which knows their dates.
        func paths() -> [String] { [] }

        /// The identifier of the calendar for new events.
        func calendarForNewEvents() async throws -> String? {
            try await requestAccess()
            return target ?? store.defaultCalendarForNewEvents?.calendarIdentifier
        }

        // MARK: Finding

        /// The dates of events that overlap a range, in order.
        func events(in range: DateInterval) async throws -> [StoredEvent] {
            try await requestAccess()
            guard range.duration < 100 * 366 * 86_400 else {
                throw AssistantError(.tooLarge, "The range is longer than a hundred years; ask for fewer days.")
            }
            var found: [StoredEvent] = []
            var seen: Set<StoredEvent> = []
            var start = range.start
            repeat {
                try Task.checkCancellation()
                // The system looks at four years at most.
                let end = min(range.end, start.addingTimeInterval(1_000 * 86_400))
                let predicate = store.predicateForEvents(withStart: start, end: end, calendars: nil)
                for event in store.events(matching: predicate) {
                    let event = StoredEvent(event, id: try id(of: event), clock)
                    if seen.insert(event).inserted { found.append(event) }
                }
                guard found.count <= 100_000 else {
                    throw AssistantError(.tooLarge, "There are more than 100,000 events; ask for fewer days.")
                }
                start = end
            } while start < range.end
            let local = LocalClock(clock.local)
            return found.sorted {
                let (one, two) = ($0.time.interval(local), $1.time.interval(local))
                return (one.start, one.end) < (two.start, two.end)
            }
        }

        func event(_ id: StoredEvent.ID) async throws -> StoredEvent? {
            guard let path = path(of: id) else { return nil }
            try await requestAccess()
            guard let event = try find(path) else { return nil }
            return StoredEvent(event, id: id, clock)
        }

        func item(_ id: StoreItem.ID) async throws -> StoreItem? {
            guard id.store == name, let path = SystemItemPath(id.path) else { return nil }
            try await requestAccess()
            guard let event = try find(path) else { return nil }
            let value = SystemEvent(event, original: path.date.flatMap { original($0, of: event) }, clock)
            return StoreItem(id: id, content: value.content(uid: path.stem))
        }

        /// Whether all of an item would come back if it was deleted and that was undone.
        func canBeRestored(_ id: StoreItem.ID) async throws -> Bool {
            guard let path = SystemItemPath(id.path) else { return false }
            try await requestAccess()
            return try find(path)?.hasMoreThanText == false
        }

        /// The path of the item with which a change is concerned: of the series, or of one date of it.
        nonisolated func path(of id: StoredEvent.ID) -> SystemItemPath? {
            guard id.item.store == name, var path = SystemItemPath(id.item.path) else { return nil }
            guard let original = EventPlace(id.recurrence).time else { return path }
            path.date = original.isDate ? original.text : CalendarTime.utc(CivilTime(clock.instant(original))).text
            return path
        }

        /// The event of a path; of a series its first date.
        private func find(_ path: SystemItemPath) throws -> EKEvent? {
            let identifier = try names.identifier(of: path.name)
            guard let date = path.date else { return store.event(withIdentifier: identifier) }
            // A date that was deleted and brought back is an event of its own.
            let own = try names.identifier(of: path.stem)
            if let event = store.event(withIdentifier: own) { return event }
            guard let time = CalendarTime(date) else { return nil }
            let instant = clock.instant(time)
            // A date may have been moved away from its original start.
            for days in [2.0, 400.0] {
                let reach = days * 86_400
                let predicate = store.predicateForEvents(
                    withStart: instant.addingTimeInterval(-reach), end: instant.addingTimeInterval(reach),
                    calendars: nil)
                let found = store.events(matching: predicate).first {
                    Self.identifier(of: $0) == identifier
                        && abs(($0.occurrenceDate ?? $0.startDate).timeIntervalSince(instant)) < 1
                }
                if let found { return found }
            }
            return nil
        }

        private func id(of event: EKEvent) throws -> StoredEvent.ID {
            let path = SystemItemPath(name: try names.path(of: Self.identifier(of: event)))
            var place = EventPlace(time: nil, uid: nil)
            if event.hasRecurrenceRules || event.isDetached, let date = event.occurrenceDate {
                place.time = event.isAllDay ? .date(clock.day(date)) : clock.time(date, in: event.timeZone)
            }
            return StoredEvent.ID(item: StoreItem.ID(store: name, path: path.text), recurrence: place.text)
        }

        /// The original start of a date in the zone of its event.
        private func original(_ date: String, of event: EKEvent) -> CalendarTime? {
            guard let time = CalendarTime(date), !time.isDate else { return CalendarTime(date) }
            return clock.time(clock.instant(time), in: event.timeZone)
        }

        /// The identifier of an event or its series: dates that were changed alone have one with an ending.
        private static func identifier(of event: EKEvent) -> String {
            let identifier: String = event.eventIdentifier ?? ""
            guard let end = identifier.range(of: "/RID=") else { return identifier }
            return String(identifier[..<end.lowerBound])
        }

        // MARK: Writing

        /// Makes a change, as ``ItemStore/apply(_:)`` says.
        ///
        /// If the process is killed after the system has saved a new event and before its name is kept, the log does
        /// not find the event again.
        func apply(_ change: Change<StoreItem>) async throws {
            let path = try SystemItemPath(of: change, in: name)
            let before = try change.before.map { try SystemEvent(reading: $0.content, local: clock.local) }
            let after = try change.after.map { try SystemEvent(reading: $0.content, local: clock.local) }
            try await requestAccess()
            let event = try find(path)
            if let before {
                guard let event else { throw AssistantError(.itemNotFound, "\(path.text) is no longer there.") }
                let original = path.date.flatMap { self.original($0, of: event) }
                guard SystemEvent(event, original: original, clock).isSame(as: before) else { throw path.changed }
                // Only what is deleted as one date of a series is; a single event is no series.
                let span: EKSpan = path.date == nil && event.hasRecurrenceRules ? .futureEvents : .thisEvent
                try store.attempt { store in
                    if let after {
                        try after.write(to: event, insteadOf: before, clock, in: store)
                        try store.save(event, span: span, commit: true)
                    } else {
                        try store.remove(event, span: span, commit: true)
                    }
                }
            } else if let after {
                guard event == nil else { throw path.changed }
                let event = EKEvent(eventStore: store)
                try store.attempt { store in
                    try after.write(to: event, insteadOf: nil, clock, in: store)
                    try store.save(event, span: .thisEvent, commit: true)
                }
                do {
                    try names.keep(Self.identifier(of: event), at: path.stem)
                } catch {
                    try store.attempt { store in try store.remove(event, span: .futureEvents, commit: true) }
                    throw error
                }
            }
        }
    }
#endif
