// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A reminder: something to do at a time.
public struct StoredReminder: Hashable, Sendable, Identifiable {
    /// The item that contains the reminder.
    public var id: StoreItem.ID
    /// What to do.
    public var title: String
    /// More about it.
    public var body: String?
    /// When it is due; nil if it has no time.
    public var due: Date?
    /// When it was done; nil if it was not.
    public var completed: Date?

    /// Creates a reminder.
    public init(id: StoreItem.ID, title: String, body: String? = nil, due: Date? = nil, completed: Date? = nil) {
        (self.id, self.title, self.body, self.due, self.completed) = (id, title, body, due, completed)
    }
}

/// A store of reminders. It plans changes; ``ItemStore/apply(_:)`` makes them.
public protocol ReminderStore: ItemStore {
    /// The reminders that are not done, in the order in which they are due, those without a time last.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`.
    func openReminders() async throws -> [StoredReminder]

    /// The change that creates a reminder with an alarm at its time.
    ///
    /// - Throws: ``AssistantError`` with code `invalidInput`.
    func creation(title: String, body: String?, at time: Date) async throws -> Change<StoreItem>

    /// The change that marks a reminder as done; for one that recurs, the date that is due next.
    ///
    /// - Throws: ``AssistantError`` with code `itemNotFound` or `invalidItem`.
    func completion(of id: StoreItem.ID, at time: Date) async throws -> Change<StoreItem>
}
