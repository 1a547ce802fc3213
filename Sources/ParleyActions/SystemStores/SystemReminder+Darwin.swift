// SPDX-License-Identifier: Apache-2.0

#if canImport(EventKit)
    import EventKit
    import Foundation
    import ParleyAssistant
    import ParleyCalendar

    extension SystemReminder {
        /// Reads a reminder of the system.
        init(_ reminder: EKReminder, _ clock: SystemClock) {
            self.init()
            title = SystemItemText.plain(reminder.title) ?? ""
            notes = SystemItemText.plain(reminder.notes)
            location = SystemItemText.plain(reminder.location)
            url = SystemItemText.filled(reminder.url?.absoluteString)
            priority = reminder.priority
            start = reminder.startDateComponents.flatMap { clock.time($0) }
            due = reminder.dueDateComponents.flatMap { clock.time($0) }
            if reminder.isCompleted { completed = CivilTime(reminder.completionDate ?? Date(timeIntervalSince1970: 0)) }
            alarms = reminder.triggers
            let first = due ?? start
            if let rule = reminder.recurrenceRules?.first {
                self.rule = RecurrenceRule(rule, from: first, first.map { clock.clock(of: $0) } ?? clock.localClock)
            }
            list = reminder.calendar?.calendarIdentifier
        }

        /// Writes what differs from an earlier state into a reminder of the system, which is not saved yet.
        ///
        /// - Parameters:
        ///   - reminder: The reminder.
        ///   - old: The state of the reminder; nil for a new one.
        ///   - clock: Converts its times.
        ///   - store: The database.
        /// - Throws: ``AssistantError`` with code `invalidItem`, or `storeUnavailable` if the list is gone.
        func write(
            to reminder: EKReminder, insteadOf old: SystemReminder?, _ clock: SystemClock, in store: EKEventStore
        ) throws(AssistantError) {
            if old?.list != list || old == nil {
                let target = list.map { store.calendar(withIdentifier: $0) } ?? store.defaultCalendarForNewReminders()
                guard let target, target.allowsContentModifications else {
                    throw AssistantError(
                        .storeUnavailable, "The list of the reminder is gone or cannot be changed; choose another.")
                }
                reminder.calendar = target
            }
            if old?.title != title { reminder.title = title }
            if old?.notes != notes { reminder.notes = notes }
            if old?.location != location { reminder.location = location }
            if old?.url != url { reminder.url = url.flatMap { URL(string: $0) } }
            if (old?.priority ?? 0) != priority { reminder.priority = priority }
            if old?.start != start { reminder.startDateComponents = start.map { clock.components($0) } }
            if old?.due != due { reminder.dueDateComponents = due.map { clock.components($0) } }
            if (old?.alarms ?? []) != alarms { reminder.setTriggers(alarms) }
            if old?.rule != rule {
                let first = due ?? start
                let ruleClock = first.map { clock.clock(of: $0) } ?? clock.localClock
                var rules: [EKRecurrenceRule]?
                if let rule { rules = [try rule.eventKit(ruleClock)] }
                reminder.recurrenceRules = rules
            }
            if old?.completed != completed {
                // Setting the date marks it as done, and removing the date as not done.
                reminder.completionDate = completed.map { Date(timeIntervalSince1970: Double($0.seconds)) }
            }
        }

        /// The reminder as cards show it.
        func stored(_ id: StoreItem.ID, _ clock: SystemClock) -> StoredReminder {
            StoredReminder(
                id: StoredReminder.ID(item: id), title: title, body: notes, due: due.map { clock.instant($0) },
                isAllDay: due?.isDate ?? false,
                completed: completed.map { Date(timeIntervalSince1970: Double($0.seconds)) })
        }
    }

    extension SystemClock {
        /// The clock of the user's zone.
        var localClock: ZoneClock { ZoneClock(local) }

        /// Reads the date of a reminder; nil for one that is not complete. Without an hour it is a day, without a zone a
        /// time that is the same everywhere.
        func time(_ components: DateComponents) -> CalendarTime? {
            guard let year = components.year, let month = components.month, let day = components.day,
                let date = CivilDate(year: year, month: month, day: day)
            else { return nil }
            guard let hour = components.hour else { return .date(date) }
            let time = CivilTime(date, hour: hour, minute: components.minute ?? 0, second: components.second ?? 0)
            guard let time else { return nil }
            guard let zone = components.timeZone else { return .floating(time) }
            if ["GMT", "UTC", "Etc/UTC", "Etc/GMT"].contains(zone.identifier) { return .utc(time) }
            return .zoned(time, zone: zone.identifier)
        }

        /// A date as reminders have it.
        func components(_ time: CalendarTime) -> DateComponents {
            let (year, month, day) = time.civil.date.parts
            var components = DateComponents()
            // The system takes dates of this calendar alone.
            components.calendar = Calendar(identifier: .gregorian)
            (components.year, components.month, components.day) = (year, month, day)
            if time.isDate { return components }
            let (hour, minute, second) = time.civil.clock
            (components.hour, components.minute, components.second) = (hour, minute, second)
            components.timeZone = zone(of: time)
            return components
        }
    }
#endif
