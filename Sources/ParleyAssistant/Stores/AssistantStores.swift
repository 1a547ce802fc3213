// SPDX-License-Identifier: Apache-2.0

/// The stores and services on which the assistant acts, each of which may be missing.
///
/// A missing store is no fault: actions on it are answered with a word about it, and ``tags`` leaves them out of what
/// the model is offered.
public struct AssistantStores: Sendable {
    /// The user's events.
    public var calendar: (any CalendarStore)?
    /// The user's reminders.
    public var reminders: (any ReminderStore)?
    /// The user's notes.
    public var notes: (any NoteStore)?
    /// The user's habits.
    public var habits: (any HabitStore)?
    /// The user's contacts.
    public var contacts: (any ContactStore)?
    /// The search engine.
    public var web: (any WebSearcher)?
    /// Reads pages of the web as text.
    public var pages: (any DocumentReader)?
    /// The tools of other programs.
    public var tools: [AssistantTool]

    /// Creates a value with the stores that there are.
    public init(
        calendar: (any CalendarStore)? = nil, reminders: (any ReminderStore)? = nil, notes: (any NoteStore)? = nil,
        habits: (any HabitStore)? = nil, contacts: (any ContactStore)? = nil, web: (any WebSearcher)? = nil,
        pages: (any DocumentReader)? = nil, tools: [AssistantTool] = []
    ) {
        (self.calendar, self.reminders, self.notes, self.habits) = (calendar, reminders, notes, habits)
        (self.contacts, self.web, self.pages) = (contacts, web, pages)
        self.tools = tools
    }

    /// The store that keeps an item; nil if it is missing.
    public func store(of id: StoreItem.ID) -> (any ItemStore)? {
        let stores: [(any ItemStore)?] = [calendar, reminders, notes, habits]
        return stores.compactMap { $0 }.first { $0.name == id.store }
    }

    /// Whether all items are as changes expect them; not if that cannot be found out.
    func areReady(for changes: [Change<StoreItem>]) async -> Bool {
        for change in changes {
            guard let id = change.itemID, let store = store(of: id) else { return false }
            do {
                guard try await store.item(id) == change.before else { return false }
            } catch {
                return false
            }
        }
        return true
    }
}
