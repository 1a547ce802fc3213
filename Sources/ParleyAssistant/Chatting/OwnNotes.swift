// SPDX-License-Identifier: Apache-2.0

/// The notes that hold nothing but the user's own words.
///
/// Such is a note that the assistant wrote in a turn without text of others, if its file still has every byte of it. A
/// note of another program, one that was changed since, and one that came of a page, a document or another note is not.
/// The log knows which ones they are; notes older than it count as those of others.
public struct OwnNotes: Sendable {
    /// The largest number of notes that are looked at.
    private static let most = 100

    private let store: any NoteStore
    private let log: ActionLog

    /// Creates a view of a store.
    ///
    /// - Parameters:
    ///   - store: the notes.
    ///   - log: the log of what was written to them.
    public init(_ store: any NoteStore, log: ActionLog) { (self.store, self.log) = (store, log) }

    /// The newest of them by the time at which they were written, newest first.
    public func newest(_ limit: Int) async -> [StoredNote] {
        var notes: [StoredNote] = []
        for written in await log.ownItems(in: store.name).prefix(Self.most) where notes.count < limit {
            guard let note = try? await store.note(written.id) else { continue }
            // Compared after it was read, so that a change in between is noticed.
            if (try? await store.item(written.id)) == written { notes.append(note) }
        }
        return notes
    }
}
