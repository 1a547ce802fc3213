// SPDX-License-Identifier: Apache-2.0

package import ParleyAssistant

/// The items of a folder of folders, of which some belong to accounts: what may only be read there is not written, and
/// after a write somebody is told, who may synchronise.
package struct MirroredItems: ItemCollection {
    private let folder: FolderStore
    private let readOnly: @Sendable () -> Set<String>
    private let changed: @Sendable () -> Void

    /// Creates a store over the items of a folder.
    ///
    /// - Parameters:
    ///   - folder: the items.
    ///   - readOnly: returns the names of the folders that may only be read.
    ///   - changed: called after each change.
    package init(
        _ folder: FolderStore, readOnly: @escaping @Sendable () -> Set<String>,
        changed: @escaping @Sendable () -> Void = {}
    ) {
        (self.folder, self.readOnly, self.changed) = (folder, readOnly, changed)
    }

    /// The name of the store.
    package var name: String { folder.name }
    /// How the names of items end.
    package var suffix: String { folder.suffix }

    /// The paths of all items, sorted.
    ///
    /// - Throws: ``AssistantError``.
    package func paths() throws -> [String] { try folder.paths() }

    /// The item with an identifier; nil if there is none.
    ///
    /// - Throws: ``AssistantError``.
    package func item(_ id: StoreItem.ID) throws -> StoreItem? { try folder.item(id) }

    /// Makes a change.
    ///
    /// - Throws: ``AssistantError``, with code `refused` for a collection that may only be read; `CancellationError`.
    package func apply(_ change: Change<StoreItem>) async throws {
        if let path = change.itemID?.path, let name = path.split(separator: "/").first,
            readOnly().contains(String(name))
        {
            throw AssistantError(.refused, "The collection \(name) may only be read on its server.")
        }
        try await folder.apply(change)
        changed()
    }
}
