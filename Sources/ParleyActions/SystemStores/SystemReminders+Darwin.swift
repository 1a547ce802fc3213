// SPDX-License-Identifier: Apache-2.0

#if canImport(EventKit)
    import EventKit
    public import Foundation
    public import ParleyAssistant
    import ParleyCalendar

    /// The reminders of the user's own lists, through EventKit.
    ///
    /// The app's `Info.plist` needs `NSRemindersFullAccessUsageDescription`. Items are texts of iCalendar as those of
    /// ``SystemCalendar``, and changes are made and undone like theirs. A reminder that recurs and is done gets its next
    /// date; the system keeps no record of the one that was done then.
    ///
    /// Not compiled or run by this project's tests, which run on Linux; how changes are planned is tested there.
    public struct SystemReminders: ReminderStore {
        private let items: SystemReminderItems
        private let plans: ReminderItems
        private let local: TimeZone

        /// Creates a store over the user's lists.
        ///
        /// - Parameters:
        ///   - names: A file of Parley's own in which it keeps which reminders it has created, another one than that of
        ///     the calendar; made when it is needed.
        ///   - timeZone: The user's zone.
        ///   - list: The identifier of the list for new reminders; nil for the user's default.
        public init(names: URL, timeZone: TimeZone = .current, list: String? = nil) {
            items = SystemReminderItems(
                names: SystemItemNames(file: names), clock: SystemClock(local: timeZone), target: list)
            plans = ReminderItems(items, timeZone: timeZone, folder: "")
            local = timeZone
        }

        /// `reminders`.
        public var name: String { items.name }

        /// Asks the user for access, if that was not done before.
        ///
        /// - Throws: ``AssistantError`` with code `storeUnavailable` if it is not given.
        public func requestAccess() async throws { try await items.requestAccess() }

        /// The item with an identifier; nil if there is none.
        ///
        /// - Throws: ``AssistantError`` with code `storeUnavailable`.
        public func item(_ id: StoreItem.ID) async throws -> StoreItem? { try await items.item(id) }

        /// Makes a change; see ``ItemStore``.
        ///
        /// - Throws: ``AssistantError``.
        public func apply(_ change: Change<StoreItem>) async throws { try await items.apply(change) }

        /// The reminders that are not done, in the order in which they are due, those without a time last.
        ///
        /// - Throws: ``AssistantError`` with code `storeUnavailable`.
        public func openReminders() async throws -> [StoredReminder] {
            try await items.openReminders().sorted { ($0.due ?? .distantFuture) < ($1.due ?? .distantFuture) }
        }

        /// The change that creates a reminder with an alarm at its time.
        ///
        /// - Throws: ``AssistantError`` with code `invalidInput` if the title is empty.
        public func creation(title: String, body: String?, at time: Date) async throws -> Change<StoreItem> {
            let change = try await plans.creation(title: title, body: body, at: time)
            return try SystemReminder.canonical(change, list: try await items.listForNewReminders(), local: local)
        }

        /// The change that marks a reminder as done; one that recurs gets the date that is due next.
        ///
        /// - Throws: ``AssistantError`` with code `itemNotFound`, also if it is done already, or `invalidItem`.
        public func completion(of id: StoredReminder.ID, at time: Date) async throws -> Change<StoreItem> {
            try SystemReminder.canonical(try await plans.completion(of: id, at: time), list: nil, local: local)
        }
    }

    /// The reminders of the system as items. The actor owns the database; its objects never leave it.
    actor SystemReminderItems: ItemCollection {
        nonisolated let name = "reminders"
        nonisolated let suffix = "ics"
        private let store = EKEventStore()
        private var names: SystemItemNames
        private let clock: SystemClock
        /// The identifier of the list for new reminders; nil for the user's default.
        private let target: String?

        init(names: SystemItemNames, clock: SystemClock, target: String?) {
            (self.names, self.clock, self.target) = (names, clock, target)
        }

        func requestAccess() async throws { try await requireAccess(to: store, .reminder) }

        /// No paths: what is open is found by the system itself.
        func paths() -> [String] { [] }

        func listForNewReminders() async throws -> String? {
            try await requestAccess()
            return target ?? store.defaultCalendarForNewReminders()?.calendarIdentifier
        }

        func openReminders() async throws -> [StoredReminder] {
            try await requestAccess()
            let predicate = store.predicateForIncompleteReminders(
                withDueDateStarting: nil, ending: nil, calendars: nil)
            let found = await withCheckedContinuation { (continuation: CheckedContinuation<[Found], Never>) in
                let clock = clock
                // The objects belong to the queue on which they come; only values go on.
                store.fetchReminders(matching: predicate) { @Sendable reminders in
                    continuation.resume(
                        returning: (reminders ?? []).map {
                            Found(identifier: $0.calendarItemIdentifier, reminder: SystemReminder($0, clock))
                        })
                }
            }
            return try found.map { found in
                let path = SystemItemPath(name: try names.path(of: found.identifier))
                return found.reminder.stored(StoreItem.ID(store: name, path: path.text), clock)
            }
        }

        /// A reminder that was found.
        private struct Found: Sendable {
            var identifier: String
            var reminder: SystemReminder
        }

        func item(_ id: StoreItem.ID) async throws -> StoreItem? {
            guard id.store == name, let path = SystemItemPath(id.path) else { return nil }
            try await requestAccess()
            guard let reminder = try find(path) else { return nil }
            return StoreItem(id: id, content: SystemReminder(reminder, clock).content(uid: path.stem))
        }

        private func find(_ path: SystemItemPath) throws -> EKReminder? {
            store.calendarItem(withIdentifier: try names.identifier(of: path.stem)) as? EKReminder
        }

        /// Makes a change, as ``ItemStore/apply(_:)`` says.
        ///
        /// If the process is killed after the system has saved a new reminder and before its name is kept, the log does
        /// not find the reminder again.
        func apply(_ change: Change<StoreItem>) async throws {
            let path = try SystemItemPath(of: change, in: name)
            let before = try change.before.map { try SystemReminder(reading: $0.content, local: clock.local) }
            let after = try change.after.map { try SystemReminder(reading: $0.content, local: clock.local) }
            try await requestAccess()
            let reminder = try find(path)
            if let before {
                guard let reminder else { throw AssistantError(.itemNotFound, "\(path.text) is no longer there.") }
                guard SystemReminder(reminder, clock).isSame(as: before) else { throw path.changed }
                try store.attempt { store in
                    if let after {
                        try after.write(to: reminder, insteadOf: before, clock, in: store)
                        try store.save(reminder, commit: true)
                    } else {
                        try store.remove(reminder, commit: true)
                    }
                }
            } else if let after {
                guard reminder == nil else { throw path.changed }
                let reminder = EKReminder(eventStore: store)
                try store.attempt { store in
                    try after.write(to: reminder, insteadOf: nil, clock, in: store)
                    try store.save(reminder, commit: true)
                }
                do {
                    try names.keep(reminder.calendarItemIdentifier, at: path.stem)
                } catch {
                    try store.attempt { store in try store.remove(reminder, commit: true) }
                    throw error
                }
            }
        }
    }
#endif
