// SPDX-License-Identifier: Apache-2.0

/// A place where the user's items are kept: a folder, a server, a database of the system.
///
/// A store reads items and makes changes to single items, each of them whole or not at all. It makes a change only if
/// the item is still what the change expects, so that nothing written meanwhile by another program is lost. What the
/// items mean is the business of the protocols that refine this one: ``CalendarStore``, ``ReminderStore``,
/// ``NoteStore``, ``HabitStore``. Those plan changes; only ``apply(_:)`` makes them.
public protocol ItemStore: Sendable {
    /// The name of the store in the identifiers of its items: `calendar`, `reminders`, `notes`, `habits`.
    var name: String { get }

    /// The item with an identifier; nil if there is none.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable` or `invalidItem`.
    func item(_ id: StoreItem.ID) async throws -> StoreItem?

    /// Makes a change, if the item still has the content that the change expects.
    ///
    /// When this returns, the change survives the end of the process; when it throws, nothing has changed.
    ///
    /// - Throws: ``AssistantError`` with code `itemChanged` if the item has another content than `before` or already
    ///   exists although `before` is nil, `itemNotFound` if it no longer exists, or `storeUnavailable`.
    func apply(_ change: Change<StoreItem>) async throws
}
