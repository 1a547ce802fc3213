// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An event on one of its dates, as the assistant and its cards show it.
public struct StoredEvent: Hashable, Sendable, Codable, Identifiable {
    /// Which event it is: an item, and which date of it.
    public struct ID: Hashable, Sendable, Codable {
        /// The item that contains the event.
        public var item: StoreItem.ID
        /// The original start of this date of a recurring event, in the form of the store; nil for a single event. In an
        /// item with several events, what follows the first space says which of them it is.
        public var recurrence: String?

        /// Creates the identifier of an event.
        public init(item: StoreItem.ID, recurrence: String? = nil) { (self.item, self.recurrence) = (item, recurrence) }

        /// The same for all dates of an event, and another one for each event of an item.
        public var series: ID {
            let event = recurrence.flatMap { text in text.firstIndex(of: " ").map { String(text[$0...]) } }
            return ID(item: item, recurrence: event)
        }
    }

    /// Which event it is.
    public var id: ID
    /// The title.
    public var title: String
    /// When it takes place.
    public var time: EventTime
    /// Where it takes place.
    public var location: String?
    /// Notes about the event.
    public var notes: String?
    /// Whether it is one date of an event that recurs.
    public var isRecurring: Bool
    /// Whether the time counts as taken; false for events marked as free and for cancelled ones.
    public var isBusy: Bool

    /// Creates an event.
    public init(
        id: ID, title: String, time: EventTime, location: String? = nil, notes: String? = nil,
        isRecurring: Bool = false, isBusy: Bool = true
    ) {
        (self.id, self.title, self.time, self.location) = (id, title, time, location)
        (self.notes, self.isRecurring, self.isBusy) = (notes, isRecurring, isBusy)
    }
}

/// Which dates of a recurring event a change concerns; for a single event both mean the event.
public enum EventScope: String, Hashable, Sendable, Codable, CaseIterable {
    /// Only the date that is shown.
    case occurrence
    /// The whole series.
    case series
}

/// A store of events. It plans changes; ``ItemStore/apply(_:)`` makes them.
public protocol CalendarStore: ItemStore {
    /// The events that overlap a range, each date of a recurring event by itself, in the order of their starts.
    ///
    /// Items that cannot be read are left out; they never make the others unreadable.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`.
    func events(in range: DateInterval) async throws -> [StoredEvent]

    /// The event with an identifier as it is now; nil if it no longer exists.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable` or `invalidItem`.
    func event(_ id: StoredEvent.ID) async throws -> StoredEvent?

    /// The change that creates an event with a title and a time.
    ///
    /// - Throws: ``AssistantError`` with code `invalidInput` if the title or the time is missing.
    func creation(of fields: EventFields) async throws -> Change<StoreItem>

    /// The change that gives an event new values in the fields that are set; all else keeps its bytes.
    ///
    /// - Throws: ``AssistantError`` with code `itemNotFound` or `invalidItem`.
    func update(
        of id: StoredEvent.ID, scope: EventScope, with fields: EventFields
    ) async throws -> Change<StoreItem>

    /// The change that deletes an event, or one date of it.
    ///
    /// - Throws: ``AssistantError`` with code `itemNotFound` or `invalidItem`.
    func deletion(of id: StoredEvent.ID, scope: EventScope) async throws -> Change<StoreItem>

    /// The changes that delete several events, one change for each item, whole or with those of its dates.
    ///
    /// The default implementation deletes events of different items; a store overrides it to delete several dates of
    /// one series, which is one change.
    ///
    /// - Throws: ``AssistantError`` with code `itemNotFound` or `invalidItem`; by default also `invalidInput` for
    ///   several dates of one series.
    func deletions(of ids: [StoredEvent.ID]) async throws -> [Change<StoreItem>]
}

extension CalendarStore {
    /// The changes that delete events of different items.
    ///
    /// - Throws: ``AssistantError`` with code `itemNotFound` or `invalidItem`, or `invalidInput` for several dates of one
    ///   series.
    public func deletions(of ids: [StoredEvent.ID]) async throws -> [Change<StoreItem>] {
        guard Set(ids.map(\.item)).count == ids.count else {
            throw AssistantError(
                .invalidInput, "This calendar cannot delete several dates of one series at once; delete the series.")
        }
        var changes: [Change<StoreItem>] = []
        for id in ids { changes.append(try await deletion(of: id, scope: .occurrence)) }
        return changes
    }
}
