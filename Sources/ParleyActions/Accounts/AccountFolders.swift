// SPDX-License-Identifier: Apache-2.0

package import Foundation
import ParleyAssistant
import ParleyFiles

/// Where accounts keep their things in Parley's data directory.
package struct AccountFolders: Hashable, Sendable {
    /// Parley's data directory.
    package let directory: URL
    private let calendars: URL
    private let contacts: URL

    /// Creates a value for a data directory.
    ///
    /// - Parameters:
    ///   - directory: the data directory.
    ///   - calendars: the folder with the folders of calendars; nil for the one in the data directory.
    ///   - contacts: the folder with the folders of address books; nil for the one in the data directory.
    package init(_ directory: URL, calendars: URL? = nil, contacts: URL? = nil) {
        self.directory = directory
        self.calendars = calendars ?? directory.appending(path: "calendars", directoryHint: .isDirectory)
        self.contacts = contacts ?? directory.appending(path: "contacts", directoryHint: .isDirectory)
    }

    /// The settings.
    package var settings: URL { directory.appending(path: "accounts.json", directoryHint: .notDirectory) }
    /// What was changed here and on a server at once.
    package var conflicts: URL { directory.appending(path: "conflicts", directoryHint: .isDirectory) }

    /// The folder with the folders of all collections of a kind.
    package func collections(_ kind: DAVCollection.Kind) -> URL {
        kind == .calendar ? calendars : contacts
    }

    /// What is known of an account: its collections and their states.
    package func state(of account: String) -> URL {
        directory.appending(path: "accounts", directoryHint: .isDirectory)
            .appending(path: account, directoryHint: .isDirectory)
    }

    /// The files that were put aside because of conflicts, in the order of their paths.
    package func keptFiles() -> [URL] {
        let folders = (try? FilePlace.names(in: conflicts, limit: 10_000)) ?? []
        return folders.sorted().flatMap { folder -> [URL] in
            let place = conflicts.appending(path: folder, directoryHint: .isDirectory)
            let names = (try? FilePlace.names(in: place, limit: 100_000)) ?? []
            return names.filter { !$0.hasPrefix(".") }.sorted().map { place.appending(path: $0) }
        }
    }

    /// The collections of an account as they were found last; none before the first time.
    package func mirrored(_ account: String) -> [MirroredCollection] {
        guard
            let data = try? WholeFile.contents(
                of: state(of: account).appending(path: "collections.json"), limit: 16 << 20)
        else { return [] }
        return (try? JSONDecoder().decode([MirroredCollection].self, from: data)) ?? []
    }

    /// Writes the collections of an account.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`.
    func write(_ collections: [MirroredCollection], of account: String) throws(AssistantError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            try WholeFile.write(
                try encoder.encode(collections), to: state(of: account).appending(path: "collections.json"))
        } catch {
            throw AssistantError(
                .storeUnavailable, "The collections of \(account) are not kept: \(error)", cause: error)
        }
    }

    /// The collections with the folders in which they are kept: the known ones in theirs, new ones in new ones.
    ///
    /// Collections that are no longer on the server stay known, and their folders stay as they are.
    func placed(
        _ found: [DAVCollection], of account: Account, known: [MirroredCollection]
    ) -> [MirroredCollection] {
        var result = known
        for index in result.indices { result[index].isGone = !found.contains { $0.path == result[index].path } }
        for collection in found {
            if let index = result.firstIndex(where: { $0.path == collection.path && $0.kind == collection.kind }) {
                let folder = result[index].folder
                result[index] = MirroredCollection(collection, folder: folder)
                continue
            }
            let stem = SafeFileName.name(for: collection.path.names.last ?? "", otherwise: "collection")
            let base = "\(account.name)-\(stem)"
            let root = collections(collection.kind)
            // A folder that is there already belongs to somebody else, unless it was this collection's.
            func isFree(_ name: String) -> Bool {
                let key = FileName.key(name)
                return !result.contains { $0.kind == collection.kind && FileName.key($0.folder) == key }
                    && (FilePlace.isMissing(root.appending(path: name))
                        || CollectionMirror.isOf(account.address(of: collection.path), root.appending(path: name)))
            }
            var (folder, number) = (base, 2)
            while !isFree(folder), number < 10_000 { (folder, number) = ("\(base)-\(number)", number + 1) }
            result.append(MirroredCollection(collection, folder: folder))
        }
        return result
    }
}

/// A collection of an account with its folder, as it is remembered.
package struct MirroredCollection: Hashable, Sendable, Codable {
    /// What it contains.
    package var kind: DAVCollection.Kind
    /// The path on the server, as it is sent.
    package var href: String
    /// The name of the folder.
    package var folder: String
    /// The name for people.
    package var title: String?
    /// The colour.
    package var colour: String?
    /// The components that it takes.
    package var components: [String]
    /// Whether the user may only read it.
    package var isReadOnly: Bool
    /// Whether the server tells what changed.
    package var tellsChanges: Bool
    /// Whether it is no longer on the server.
    package var isGone = false

    private enum CodingKeys: String, CodingKey {
        case kind, href, folder, title, colour, components
        case isReadOnly = "read_only"
        case tellsChanges = "tells_changes"
        case isGone = "gone"
    }

    /// Creates a value for a collection in a folder.
    package init(_ collection: DAVCollection, folder: String) {
        (kind, href, self.folder) = (collection.kind, collection.path.encodedFolder, folder)
        (title, colour, components) = (collection.title, collection.colour, collection.components)
        (isReadOnly, tellsChanges) = (collection.isReadOnly, collection.tellsChanges)
    }

    /// The path on the server; nil for a value that is damaged.
    package var path: DAVPath? { DAVPath(kept: href) }

    /// The collection; nil for a value that is damaged.
    var collection: DAVCollection? {
        guard let path, FileName.fault(in: folder) == nil else { return nil }
        var collection = DAVCollection(kind: kind, path: path)
        (collection.title, collection.colour, collection.components) = (title, colour, components)
        (collection.isReadOnly, collection.tellsChanges) = (isReadOnly, tellsChanges)
        return collection
    }
}
