// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A reminder: something to do at a time.
public struct StoredReminder: Hashable, Sendable, Identifiable {
    /// Which reminder it is: an item, and which to-do of it.
    public struct ID: Hashable, Sendable, Codable, CustomStringConvertible {
        /// The item that contains the reminder.
        public var item: StoreItem.ID
        /// What tells the reminder from others of its item, in the form of the store; nil where it is the only one.
        public var key: String?

        /// Creates the identifier of a reminder.
        public init(item: StoreItem.ID, key: String? = nil) { (self.item, self.key) = (item, key) }

        /// The identifier in one word: `reminders:personal/6f1c.ics`, and in an item with several the key after a `#`.
        public var description: String { key.map { "\(item.name)#\($0)" } ?? item.name }
    }

    /// Which reminder it is.
    public var id: ID
    /// What to do.
    public var title: String
    /// More about it.
    public var body: String?
    /// When it is due; nil if it has no time. What is due on a day is due when that begins.
    public var due: Date?
    /// Whether it is due on a day, at no time of it, so that it is overdue only when the day is over.
    public var isAllDay: Bool
    /// When it was done; nil if it was not.
    public var completed: Date?

    /// Creates a reminder.
    public init(
        id: ID, title: String, body: String? = nil, due: Date? = nil, isAllDay: Bool = false, completed: Date? = nil
    ) {
        (self.id, self.title, self.body) = (id, title, body)
        (self.due, self.isAllDay, self.completed) = (due, isAllDay, completed)
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
    func completion(of id: StoredReminder.ID, at time: Date) async throws -> Change<StoreItem>
}
