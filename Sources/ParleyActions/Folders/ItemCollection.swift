// SPDX-License-Identifier: Apache-2.0

public import ParleyAssistant
import ParleyCalendar

/// Items under paths, wherever they are kept: in a folder (``FolderStore``) or on a server.
///
/// The stores of calendars, reminders and contacts are written once over any such collection.
public protocol ItemCollection: ItemStore {
    /// How the names of items end, without the dot: `ics`, `vcf`, `md`.
    var suffix: String { get }

    /// The paths of all items, sorted.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable` or `tooLarge`.
    func paths() async throws -> [String]
}

extension ItemCollection {
    /// An item of ``paths()``; nil if it has gone meanwhile, or can be no item, such as a file that is too large: one
    /// such item does not hide the others.
    ///
    /// - Throws: ``AssistantError`` if the store cannot be read. What is left out then would seem not to be there, and
    ///   its time or its name to be free.
    func listed(_ id: StoreItem.ID) async throws -> StoreItem? {
        do {
            return try await item(id)
        } catch let error as AssistantError {
            guard error.concernsOneItem else { throw error }
            return nil
        }
    }
}

extension ContentLimits {
    /// The limits of an item of calendars or contacts, wherever it is read; one file may have a whole address book.
    static let ofItems = {
        var limits = ContentLimits()
        (limits.bytes, limits.lines, limits.properties) = (FolderStore.usualLimit, 250_000, 20_000)
        return limits
    }()
}

extension AssistantError {
    /// Whether the error is that of an item, and not of the store that keeps it.
    var concernsOneItem: Bool { [.invalidItem, .itemNotFound, .refused, .invalidInput].contains(code) }
}
