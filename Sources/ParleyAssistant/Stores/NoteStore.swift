// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A note.
public struct StoredNote: Hashable, Sendable, Codable, Identifiable {
    /// The item that contains the note.
    public var id: StoreItem.ID
    /// The title.
    public var title: String
    /// The text, in Markdown, without title and front matter.
    public var body: String
    /// The tags, without `#`.
    public var tags: [String]
    /// Other names of the note, by which notes may link to it.
    public var aliases: [String]
    /// When it was last changed.
    public var changed: Date
    /// Whether it has a summary, action items or a category beside its text, whoever wrote them.
    public var isEnriched = false

    /// Creates a note.
    public init(
        id: StoreItem.ID, title: String, body: String, tags: [String] = [], aliases: [String] = [], changed: Date
    ) {
        (self.id, self.title, self.body, self.tags) = (id, title, body, tags)
        (self.aliases, self.changed) = (aliases, changed)
    }
}

/// A store of notes. It plans changes; ``ItemStore/apply(_:)`` makes them.
public protocol NoteStore: ItemStore {
    /// The newest notes, newest first.
    ///
    /// - Parameter limit: the largest number of notes to return; notes that cannot be read are left out.
    /// - Returns: the notes.
    /// - Throws: ``AssistantError`` with code `storeUnavailable`.
    func notes(limit: Int) async throws -> [StoredNote]

    /// The note with an identifier as it is now; nil if it no longer exists.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable` or `invalidItem`.
    func note(_ id: StoreItem.ID) async throws -> StoredNote?

    /// The change that creates a note.
    ///
    /// - Throws: ``AssistantError`` with code `invalidInput`.
    func creation(title: String, body: String, tags: [String]) async throws -> Change<StoreItem>

    /// The change that gives a note new values; what is nil stays, and so does every byte of the rest of the file.
    ///
    /// - Throws: ``AssistantError`` with code `itemNotFound` or `invalidItem`.
    func update(
        of id: StoreItem.ID, title: String?, body: String?, tags: [String]?
    ) async throws -> Change<StoreItem>

    /// The change that puts an enrichment beside the text of a note, of which every byte stays.
    ///
    /// - Throws: ``AssistantError`` with code `itemNotFound`, `invalidItem`, or `invalidInput` if the note has one.
    func enrichment(of id: StoreItem.ID, with enrichment: NoteEnrichment) async throws -> Change<StoreItem>

    /// The change that deletes a note.
    ///
    /// - Throws: ``AssistantError`` with code `itemNotFound`.
    func deletion(of id: StoreItem.ID) async throws -> Change<StoreItem>
}
