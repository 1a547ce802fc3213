// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyAssistant
import ParleyFiles

/// Items that are files in a folder, which other programs may read and write at the same time.
///
/// The path of an item is the path of its file in the folder, at most `depth` names long. Files are written whole, under
/// a temporary name that such programs ignore, and only if they still are what a change expects; a lock keeps several
/// processes of Parley apart. Hidden files, links to folders, links that lead out of the folder and files larger than
/// `limit` are no items.
public struct FolderStore: ItemCollection {
    /// The name of the store in the identifiers of its items.
    public let name: String
    /// The folder.
    public let folder: URL
    /// How the names of items end, without the dot; in capitals too, as old programs and phones write it.
    public let suffix: String
    /// How many names a path has at most: 1 for files in the folder itself, 2 for files in its folders.
    public let depth: Int
    /// The largest number of files that are looked at.
    public let most: Int
    /// The largest file that is read or written, in bytes.
    public let limit: Int

    /// The usual largest size of an item in bytes, in folders and on servers.
    public static let usualLimit = 4 << 20

    /// Creates a store over a folder, which is created with the first item.
    public init(
        name: String, folder: URL, suffix: String, depth: Int, most: Int = 100_000, limit: Int = FolderStore.usualLimit
    ) {
        self.name = name
        self.folder = URL(filePath: folder.path, directoryHint: .isDirectory)
        (self.suffix, self.depth, self.most, self.limit) = (suffix, depth, most, limit)
    }

    /// The identifier of the item at a path.
    public func id(_ path: String) -> StoreItem.ID { StoreItem.ID(store: name, path: path) }

    /// The paths of all items, sorted; none if the folder does not exist.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable` or `tooLarge`.
    public func paths() throws(AssistantError) -> [String] {
        var found: [String] = []
        var seen = 0
        try list("", depth: depth, into: &found, seen: &seen)
        return found.sorted()
    }

    /// The item with an identifier; nil if there is none.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable`, or `invalidItem` for one that is too large.
    public func item(_ id: StoreItem.ID) throws(AssistantError) -> StoreItem? {
        guard let content = try content(at: file(id)) else { return nil }
        return StoreItem(id: id, content: content)
    }

    /// Makes a change, as ``ItemStore/apply(_:)`` says.
    ///
    /// - Throws: ``AssistantError``, or `CancellationError` while it waits for another process.
    public func apply(_ change: Change<StoreItem>) async throws {
        guard let id = change.itemID, (change.before?.id ?? id) == id else {
            throw AssistantError(.invalidInput, "A change concerns one item.")
        }
        let file = try file(id)
        if let after = change.after, after.content.count > limit {
            throw AssistantError(.tooLarge, "\(id) would have more than \(limit) bytes.")
        }
        let lock: FileLock
        do {
            try FilePlace.create(file.deletingLastPathComponent())
            lock = try await FileLock.wait(.exclusive, at: folder.appending(path: ".parley.lock"))
        } catch let error as FileError {
            throw AssistantError(.storeUnavailable, error.message, cause: error)
        }
        defer { withExtendedLifetime(lock) {} }
        // While this waited, another program may have put a link into the path.
        guard try self.file(id) == file else { throw changed(id) }
        let current = try content(at: file)
        if current == nil, change.before == nil { try requireOwnName(file, id) }
        if let before = change.before {
            guard let current else { throw AssistantError(.itemNotFound, "\(id) is no longer there.") }
            guard current == before.content else { throw changed(id) }
        } else if current != nil {
            throw changed(id)
        }
        do {
            if let after = change.after {
                try WholeFile.write(
                    after.content, to: file, replacing: current == nil ? .forbidden : .allowed)
            } else if current != nil {
                try WholeFile.remove(file)
            }
        } catch {
            throw error.code == .exists
                ? changed(id) : AssistantError(.storeUnavailable, error.message, cause: error)
        }
    }

    /// The file of an item.
    ///
    /// - Throws: ``AssistantError`` with code `invalidInput` for an identifier of another store, `refused` for a path that
    ///   leads out of the folder, or `storeUnavailable`.
    public func file(_ id: StoreItem.ID) throws(AssistantError) -> URL {
        let names = id.path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard id.store == name, (1...depth).contains(names.count), hasSuffix(id.path),
            names.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") && !$0.utf8.contains(0) })
        else { throw AssistantError(.invalidInput, "\(id) is not an item of the folder \(folder.path).") }
        let file = folder.appending(path: id.path, directoryHint: .notDirectory)
        do {
            let root = try FilePlace.real(folder)
            // The path returned has no links but perhaps the last one, which is checked apart: a link in it that is
            // pointed elsewhere after the check changes nothing.
            let place = try FilePlace.real(file.deletingLastPathComponent())
                .appending(path: names[names.count - 1], directoryHint: .notDirectory)
            let target = try FilePlace.isLink(place) ? try FilePlace.real(place) : place
            // A link may stay within the folder; one that leads out of it is not followed.
            guard FilePlace.contains(root, place), FilePlace.contains(root, target) else {
                throw AssistantError(.refused, "\(id) leads out of the folder \(folder.path).")
            }
            return place
        } catch let error as AssistantError {
            throw error
        } catch let error as FileError where error.code == .notFound {
            throw AssistantError(.refused, "\(id) is behind a link that leads nowhere, or behind a file.", cause: error)
        } catch {
            throw AssistantError(.storeUnavailable, "\(error)", cause: error)
        }
    }

    private func changed(_ id: StoreItem.ID) -> AssistantError {
        AssistantError(.itemChanged, "\(id) was changed by another program meanwhile; look at it and try again.")
    }

    /// Refuses to create a file whose name differs from that of another only in case or composition: where the folder is
    /// copied to a system that takes both for one, one of the two would be lost.
    private func requireOwnName(_ file: URL, _ id: StoreItem.ID) throws(AssistantError) {
        do {
            let key = FileName.key(file.lastPathComponent)
            let names = try FilePlace.names(in: file.deletingLastPathComponent(), limit: most)
            guard let other = names.first(where: { FileName.key($0) == key }) else { return }
            throw AssistantError(.invalidInput, "\(id) differs from \(other), which is there already, only in case.")
        } catch let error as AssistantError {
            throw error
        } catch {
            throw AssistantError(.storeUnavailable, "\(error)", cause: error)
        }
    }

    private func hasSuffix(_ name: String) -> Bool { name.lowercased().hasSuffix("." + suffix) }

    private func content(at file: URL) throws(AssistantError) -> Data? {
        try WholeFile.stored(at: file, limit: limit)
    }

    private func list(
        _ prefix: String, depth: Int, into found: inout [String], seen: inout Int
    ) throws(AssistantError) {
        let directory = prefix.isEmpty ? folder : folder.appending(path: prefix, directoryHint: .isDirectory)
        do {
            let root = try FilePlace.real(folder)
            for name in try FilePlace.names(in: directory, limit: most - seen) {
                seen += 1
                if name.hasPrefix(".") { continue }
                let path = prefix.isEmpty ? name : prefix + "/" + name
                let url = folder.appending(path: path, directoryHint: .notDirectory)
                // What cannot be looked at is an error: taken for nothing, it would seem to be free to write.
                guard let kind = try FilePlace.kind(of: url) else { continue }
                let isLink = try FilePlace.isLink(url)
                if isLink, !FilePlace.contains(root, try FilePlace.real(url)) { continue }
                if kind == .file, hasSuffix(name) { found.append(path) }
                // A link to a folder may lead in a circle.
                if kind == .folder, depth > 1, !isLink {
                    try list(path, depth: depth - 1, into: &found, seen: &seen)
                }
            }
        } catch let error as AssistantError {
            throw error
        } catch let error as FileError where error.code == .notFound {
            // There is no such folder, or no longer; a file in its place is another matter.
            guard FilePlace.isMissing(directory) else {
                throw AssistantError(.storeUnavailable, error.message, cause: error)
            }
        } catch let error as FileError where error.code == .tooLarge {
            throw AssistantError(
                .tooLarge, "The folder \(folder.path) has more than \(most) files.", cause: error)
        } catch {
            throw AssistantError(.storeUnavailable, "\(error)", cause: error)
        }
    }
}
