// SPDX-License-Identifier: Apache-2.0

#if canImport(EventKit)
    public import Foundation
    public import ParleyAssistant
    import ParleyCalendar

    /// The events of the user's own calendars, through EventKit.
    ///
    /// The app's `Info.plist` needs `NSCalendarsFullAccessUsageDescription`. Whether access was given is found out with
    /// the first request; ``requestAccess()`` asks earlier.
    ///
    /// An item is iCalendar text made of what Parley reads of an event: title, time, place, notes, address,
    /// availability, alarms and rule. A change is made only if the event still means what its text says. Undoing brings
    /// all of that back: a deleted date of a series as an event of its own, a deleted series with all dates of its rule.
    /// What could not be brought back, such as guests, keeps an event from being deleted.
    ///
    /// Not compiled or run by this project's tests, which run on Linux; how changes are planned is tested there.
    public struct SystemCalendar: CalendarStore {
        private let items: SystemEventItems
        private let plans: CalendarItems
        private let local: TimeZone

        /// Creates a store over the user's calendars.
        ///
        /// - Parameters:
        ///   - names: A file of Parley's own in which it keeps which events it has created; made when it is needed.
        ///   - timeZone: The user's zone.
        ///   - calendar: The identifier of the calendar for new events; nil for the user's default.
        public init(names: URL, timeZone: TimeZone = .current, calendar: String? = nil) {
            items = SystemEventItems(
                names: SystemItemNames(file: names), clock: SystemClock(local: timeZone), target: calendar)
            plans = CalendarItems(items, timeZone: timeZone, folder: "")
            local = timeZone
        }

        /// `calendar`.
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

        /// The events that overlap a range, in the order of their starts.
        ///
        /// - Throws: ``AssistantError`` with code `storeUnavailable` or `tooLarge`.
        public func events(in range: DateInterval) async throws -> [StoredEvent] { try await items.events(in: range) }

        /// The event with an identifier as it is now; nil if it no longer exists.
        ///
        /// - Throws: ``AssistantError`` with code `storeUnavailable`.
        public func event(_ id: StoredEvent.ID) async throws -> StoredEvent? { try await items.event(id) }

        /// The change that creates an event with a title and a time.
        ///
        /// - Throws: ``AssistantError`` with code `invalidInput` if the title or the time is missing.
        public func creation(of fields: EventFields) async throws -> Change<StoreItem> {
            let change = try await plans.creation(of: fields)
            return try SystemEvent.canonical(
                change, calendar: try await items.calendarForNewEvents(), local: local)
        }

        /// The change that gives an event new values in the fields that are set.
        ///
        /// - Throws: ``AssistantError`` with code `itemNotFound`, `invalidItem` or `invalidInput`.
        public func update(
            of id: StoredEvent.ID, scope: EventScope, with fields: EventFields
        ) async throws -> Change<StoreItem> {
            var target = id
            if scope == .occurrence, id.recurrence != nil { target = StoredEvent.ID(item: try itemID(of: id)) }
            let change = try await plans.update(of: target, scope: scope, with: fields)
            return try SystemEvent.canonical(change, calendar: nil, local: local)
        }

        /// The change that deletes an event, or one date of it.
        ///
        /// - Throws: ``AssistantError`` with code `itemNotFound`, or `refused` for an event of which a part could not be
        ///   brought back.
        public func deletion(of id: StoredEvent.ID, scope: EventScope) async throws -> Change<StoreItem> {
            let item = scope == .series ? id.item : try itemID(of: id)
            guard let before = try await items.item(item) else {
                throw AssistantError(.itemNotFound, "The event of \(id.item) is no longer there.")
            }
            guard try await items.canBeRestored(item) else {
                throw AssistantError(
                    .refused,
                    "The event has guests or alarms at places, which Parley could not bring back; delete it in Calendar."
                )
            }
            return Change(before: before, after: nil)
        }

        /// The changes that delete several events, each date of a series by itself.
        ///
        /// - Throws: ``AssistantError`` as ``deletion(of:scope:)``.
        public func deletions(of ids: [StoredEvent.ID]) async throws -> [Change<StoreItem>] {
            var changes: [Change<StoreItem>] = []
            for id in ids { changes.append(try await deletion(of: id, scope: .occurrence)) }
            return changes
        }

        private func itemID(of id: StoredEvent.ID) throws(AssistantError) -> StoreItem.ID {
            guard let path = items.path(of: id) else {
                throw AssistantError(.itemNotFound, "\(id.item) is no event of the calendar.")
            }
            return StoreItem.ID(store: name, path: path.text)
        }
    }
#endif
