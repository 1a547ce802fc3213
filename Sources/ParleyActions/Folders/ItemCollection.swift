// SPDX-License-Identifier: Apache-2.0

public import ParleyAssistant

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
