// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyAssistant
import ParleyFiles
import ParleySystem

/// Notes as Markdown files in a folder and its folders; an Obsidian vault works as it is.
///
/// The title of a note is the `title` of its front matter, else the heading with which it begins, else the name of its
/// file. The tags are those of its front matter; `#tags` in the text are part of the text. Hidden folders such as
/// `.obsidian` are ignored. A note that is given another title keeps the name of its file, because other notes link to
/// it by that name.
public struct NoteFolder: NoteStore {
    /// The largest number of notes that ``notes(limit:)`` returns.
    public static let most = 500

    private let store: FolderStore

    /// The name of the store: `notes`.
    public var name: String { store.name }
    /// The folder.
    public var folder: URL { store.folder }

    /// Creates a store over a folder, which is created with the first note.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - limit: The largest file that is read or written, in bytes.
    public init(_ folder: URL, limit: Int = 1 << 20) {
        store = FolderStore(name: "notes", folder: folder, suffix: "md", depth: 12, limit: limit)
    }

    /// The item with an identifier; nil if there is none.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`, `invalidItem` or `invalidInput`.
    public func item(_ id: StoreItem.ID) async throws -> StoreItem? { try store.item(id) }

    /// Makes a change, as ``ItemStore/apply(_:)`` says.
    ///
    /// - Throws: ``AssistantError``, or `CancellationError` while it waits for another process.
    public func apply(_ change: Change<StoreItem>) async throws { try await store.apply(change) }

    /// The newest notes by the time at which their files were changed, newest first.
    ///
    /// - Parameter limit: The largest number of notes to return, at most ``most``; notes that cannot be read are left out.
    /// - Returns: The notes.
    /// - Throws: ``AssistantError`` with code `storeUnavailable` or `tooLarge`.
    public func notes(limit: Int) async throws -> [StoredNote] {
        var files: [(path: String, changed: Date)] = []
        for path in try store.paths() {
            do {
                files.append((path, Self.changed(try store.file(store.id(path)))))
            } catch {
                // What leads out of the folder is no note.
                guard error.concernsOneItem else { throw error }
            }
        }
        files.sort { ($1.changed, $0.path) < ($0.changed, $1.path) }
        var notes: [StoredNote] = []
        for file in files where notes.count < min(limit, Self.most) {
            let id = store.id(file.path)
            guard let item = try await store.listed(id), let document = try? document(item) else { continue }
            notes.append(note(id, document, file.changed))
        }
        return notes
    }

    /// The note with an identifier as it is now; nil if it no longer exists.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`, `invalidItem` or `invalidInput`.
    public func note(_ id: StoreItem.ID) async throws -> StoredNote? {
        guard let item = try store.item(id) else { return nil }
        return note(id, try document(item), Self.changed(try store.file(id)))
    }

    /// The change that creates a note in the folder itself, in a file that is named after its title.
    ///
    /// The name is safe on every system and not taken. The title is repeated in the front matter where the name could
    /// not be the same.
    ///
    /// - Throws: ``AssistantError`` with code `invalidInput`.
    public func creation(title: String, body: String, tags: [String]) async throws -> Change<StoreItem> {
        let title = PlainText.line(title)
        guard !title.isEmpty else { throw AssistantError(.invalidInput, "A note needs a title.") }
        let path = try fileName(for: title)
        guard var document = NoteDocument([], name: Self.name(of: path)) else {
            throw AssistantError(.invalidInput, "The note cannot be written.")
        }
        try document.edit(title: title, text: body, tags: Self.cleaned(tags))
        return Change(before: nil, after: StoreItem(id: store.id(path), content: Data(document.bytes)))
    }

    /// The change that gives a note new values; what is nil stays, and so does every byte of the rest of the file.
    ///
    /// The title is changed where it is: in the front matter or in the heading; if the file had none but its name, the
    /// front matter gets one. The file is never renamed. Tags are changed in the front matter, line by line where it
    /// has them so; `#tags` in the text stay.
    ///
    /// - Throws: ``AssistantError`` with code `itemNotFound`, `invalidInput`, or `invalidItem` if the front matter has a
    ///   value in the way that cannot be read.
    public func update(
        of id: StoreItem.ID, title: String?, body: String?, tags: [String]?
    ) async throws -> Change<StoreItem> {
        let title = title.map { PlainText.line($0) }
        guard title != "" else { throw AssistantError(.invalidInput, "A note needs a title.") }
        let before = try existing(id)
        var document = try document(before)
        try document.edit(title: title, text: body, tags: tags.map(Self.cleaned))
        return Change(before: before, after: StoreItem(id: id, content: Data(document.bytes)))
    }

    /// The change that puts an enrichment into the front matter of a note, as `summary`, `category` and `action_items`.
    ///
    /// Every other byte of the file stays.
    ///
    /// - Throws: ``AssistantError`` with code `itemNotFound`, `invalidItem`, or `invalidInput` if the front matter has
    ///   one of these entries.
    public func enrichment(
        of id: StoreItem.ID, with enrichment: NoteEnrichment
    ) async throws -> Change<StoreItem> {
        let before = try existing(id)
        var document = try document(before)
        try document.enrich(enrichment)
        return Change(before: before, after: StoreItem(id: id, content: Data(document.bytes)))
    }

    /// The change that deletes a note.
    ///
    /// - Throws: ``AssistantError`` with code `itemNotFound`.
    public func deletion(of id: StoreItem.ID) async throws -> Change<StoreItem> {
        Change(before: try existing(id), after: nil)
    }

    // MARK: Files

    private func existing(_ id: StoreItem.ID) throws(AssistantError) -> StoreItem {
        guard let item = try store.item(id) else {
            throw AssistantError(.itemNotFound, "\(id) is no longer there.")
        }
        return item
    }

    private func document(_ item: StoreItem) throws(AssistantError) -> NoteDocument {
        guard let document = NoteDocument(Array(item.content), name: Self.name(of: item.id.path)) else {
            throw AssistantError(.invalidItem, "\(item.id) is not a text file.")
        }
        return document
    }

    private func note(_ id: StoreItem.ID, _ document: NoteDocument, _ changed: Date) -> StoredNote {
        var note = StoredNote(
            id: id, title: document.title, body: document.text, tags: document.tags, aliases: document.aliases,
            changed: changed)
        note.isEnriched = document.isEnriched
        return note
    }

    private static func name(of path: String) -> String {
        let file = path.split(separator: "/").last ?? ""
        return String(file.dropLast(".md".count))
    }

    private static func changed(_ file: URL) -> Date {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.resolvingSymlinksInPath().path)
        return attributes?[.modificationDate] as? Date ?? .distantPast
    }

    private static func cleaned(_ tags: [String]) -> [String] {
        var seen: Set<String> = []
        return tags.compactMap(FrontMatterValue.tag).filter { seen.insert($0).inserted }
    }

    /// A name for the file of a new note, which is safe on every system and not taken.
    private func fileName(for title: String) throws(AssistantError) -> String {
        let taken = Set(try store.paths().map(FileName.key))
        let base = SafeFileName.name(for: title, otherwise: "Note")
        for number in 1...taken.count + 1 {
            let name = (number == 1 ? base : "\(base) \(number)") + ".md"
            if !taken.contains(FileName.key(name)) { return name }
        }
        throw AssistantError(.invalidInput, "No name is left for the file of the note.")
    }
}
