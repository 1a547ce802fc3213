// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One item of a store with its complete content, in the form in which the store keeps it: an iCalendar object, a
/// Markdown file, the lines of a habit.
///
/// Everything the assistant writes is a `Change<StoreItem>`: it is logged with the content before and after, shown
/// before it is made, and undone by its inverse, which restores every byte.
public struct StoreItem: Hashable, Sendable, Codable {
    /// Where an item is.
    public struct ID: Hashable, Sendable, Codable, CustomStringConvertible {
        /// The name of the store, as in ``ItemStore/name``: `calendar`.
        public var store: String
        /// The path within the store, of one or several names joined by `/`: `personal/6f1c.ics`.
        public var path: String

        /// Creates the identifier of an item.
        public init(store: String, path: String) { (self.store, self.path) = (store, path) }

        /// The store and the path, such as `calendar:personal/6f1c.ics`.
        public var description: String { "\(store):\(path)" }
    }

    /// Where the item is.
    public var id: ID
    /// The content, with every byte.
    public var content: Data

    /// Creates an item.
    public init(id: ID, content: Data) { (self.id, self.content) = (id, content) }
}

extension Change where Record == StoreItem {
    /// The identifier of the item that the change creates, changes or deletes; nil if the change is empty.
    public var itemID: StoreItem.ID? { after?.id ?? before?.id }
}
