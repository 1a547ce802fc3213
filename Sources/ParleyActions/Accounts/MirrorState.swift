// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyFiles

/// What is known of the items of a collection that are both in its folder and on its server.
///
/// A file that differs from its record was changed here, an entity tag that differs was changed there. So no list of
/// changes to send has to be kept: the folder itself is it, and other programs may write there too. A record is written
/// after both sides have the content. What may have happened without a record, if the program ended in between or a
/// server still deals with a request of it, is told from changes of others by the notes that were made before.
package struct MirrorState: Hashable, Sendable, Codable {
    /// An item as both sides had it last.
    package struct Record: Hashable, Sendable, Codable {
        /// The path on the server, as it is sent.
        package var href: String
        /// The entity tag; nil if the server gave none.
        package var etag: String?
        /// The digest of the file's content; nil for an item that is not in the folder, as it cannot be kept there.
        package var hash: String?

        /// Creates a record.
        package init(href: String, etag: String?, hash: String?) {
            (self.href, self.etag, self.hash) = (href, etag, hash)
        }

        /// The path on the server; nil for a record that is damaged.
        package var path: DAVPath? { DAVPath(kept: href) }
    }

    /// What either side may have of an item by our own doing, as long as that is not known.
    package struct Notes: Hashable, Sendable, Codable {
        /// The digests of the server's contents that were about to be put into the folder.
        package private(set) var here: [String] = []
        /// The digests of what the contents say that were about to be sent: servers write anew what they are sent.
        package private(set) var there: [String] = []
        /// The number of whole synchronisations since something was about to be sent.
        private var age = 0
        private static let (most, oldest) = (8, 3)

        /// Creates notes of nothing.
        package init() {}

        /// Notes what is about to be put into the folder; nil for a deletion.
        package mutating func expectHere(_ digest: String?) {
            // The server has had something else since what was sent was made from what it had, so it takes that no longer.
            there = []
            Self.add(digest ?? nothing, to: &here)
        }

        /// Notes what is about to be sent; nil for a deletion.
        package mutating func expectThere(_ digest: String?) {
            Self.add(digest ?? nothing, to: &there)
            age = 0
        }

        /// Whether the file may have a content, or be missing, without a change by anybody else.
        package func mayBeHere(_ digest: String?) -> Bool { here.contains(digest ?? nothing) }

        /// Whether the server may have a content, or nothing, without a change by anybody else.
        package func mayBeThere(_ digest: String?) -> Bool { there.contains(digest ?? nothing) }

        /// What is left after a whole synchronisation; nil for nothing.
        ///
        /// What was put into the folder is recorded then. A request that had no effect yet may have one a little later, but
        /// not for ever: what others delete or write some time would be taken for ours.
        package func afterSynchronisation() -> Notes? {
            var rest = self
            (rest.here, rest.age) = ([], age + 1)
            return rest.there.isEmpty || rest.age >= Self.oldest ? nil : rest
        }

        private static func add(_ digest: String, to digests: inout [String]) {
            if digests.last == digest { return }
            digests.removeAll { $0 == digest }
            digests = digests.suffix(most - 1) + [digest]
        }
    }

    /// What stands for no content among the digests of the notes.
    private static let nothing = ""

    /// The mark of the folder to which the records belong.
    package var mark = ""
    /// The token with which to ask the server for what changed.
    package var token: String?
    /// The records, by the names of the files.
    package var records: [String: Record] = [:]
    /// The notes, by the names of the files.
    package var notes: [String: Notes] = [:]

    /// Creates a state without records.
    package init() {}

    /// Reads a state.
    ///
    /// - Throws: `DecodingError`.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        mark = try fields.decode(String.self, forKey: .mark)
        token = try fields.decodeIfPresent(String.self, forKey: .token)
        records = try fields.decode([String: Record].self, forKey: .records)
        // Earlier versions had none.
        notes = try fields.decodeIfPresent([String: Notes].self, forKey: .notes) ?? [:]
    }

    /// Whether a file with a digest, or a missing one, is what it last was on both sides, or was put there since by us.
    package func isOurs(_ digest: String?, in name: String) -> Bool {
        records[name]?.hash == digest || notes[name]?.mayBeHere(digest) == true
    }

    /// Records what both sides have of an item; nil if it is gone.
    package mutating func settle(_ name: String, _ record: Record?) {
        records[name] = record
        notes[name] = nil
    }

    /// The largest file that is read.
    private static let limit = 128 << 20

    /// Reads a state; a missing or damaged one is empty, after which everything is compared anew.
    ///
    /// - Throws: ``FileError`` if it cannot be read now: taken for empty, it would bring back what was deleted.
    package init(at file: URL) throws(FileError) {
        self.init()
        do {
            let data = try WholeFile.contents(of: file, limit: Self.limit)
            if let state = try? JSONDecoder().decode(Self.self, from: data) { self = state }
        } catch {
            guard error.code == .notFound || error.code == .tooLarge else { throw error }
        }
    }

    /// Writes the state.
    ///
    /// - Throws: ``FileError``.
    func write(to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try WholeFile.write(try encoder.encode(self), to: file)
    }
}
