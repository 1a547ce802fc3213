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
    /// How the names of items end, without the dot.
    public let suffix: String
    /// How many names a path has at most: 1 for files in the folder itself, 2 for files in its folders.
    public let depth: Int
    /// The largest number of files that are looked at.
    public let most: Int
    /// The largest file that is read or written, in bytes.
    public let limit: Int

    /// Creates a store over a folder, which is created with the first item.
    public init(name: String, folder: URL, suffix: String, depth: Int, most: Int = 100_000, limit: Int = 4 << 20) {
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
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        } catch {
            throw AssistantError(
                .storeUnavailable, "Cannot create the folder \(file.deletingLastPathComponent().path).", cause: error)
        }
        let lock: FileLock
        do {
            lock = try await FileLock.wait(.exclusive, at: folder.appending(path: ".parley.lock"))
        } catch let error as FileError {
            throw AssistantError(.storeUnavailable, error.message, cause: error)
        }
        defer { withExtendedLifetime(lock) {} }
        let current = try content(at: file)
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
    /// - Throws: ``AssistantError`` with code `invalidInput` for an identifier of another store or a path that leads out
    ///   of the folder.
    public func file(_ id: StoreItem.ID) throws(AssistantError) -> URL {
        let names = id.path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard id.store == name, (1...depth).contains(names.count), id.path.hasSuffix("." + suffix),
            names.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") && !$0.utf8.contains(0) })
        else { throw AssistantError(.invalidInput, "\(id) is not an item of the folder \(folder.path).") }
        let file = folder.appending(path: id.path, directoryHint: .notDirectory)
        // A link may stay within the folder; one that leads out of it is not followed.
        let root = folder.resolvingSymlinksInPath().path
        guard file.resolvingSymlinksInPath().path.hasPrefix(root.hasSuffix("/") ? root : root + "/") else {
            throw AssistantError(.refused, "\(id) leads out of the folder \(folder.path).")
        }
        return file
    }

    private func changed(_ id: StoreItem.ID) -> AssistantError {
        AssistantError(.itemChanged, "\(id) was changed by another program meanwhile; look at it and try again.")
    }

    private func content(at file: URL) throws(AssistantError) -> Data? {
        do {
            return try WholeFile.contents(of: file, limit: limit)
        } catch {
            switch error.code {
            case .notFound: return nil
            case .tooLarge, .notRegular: throw AssistantError(.invalidItem, error.message, cause: error)
            default: throw AssistantError(.storeUnavailable, error.message, cause: error)
            }
        }
    }

    private func list(
        _ prefix: String, depth: Int, into found: inout [String], seen: inout Int
    ) throws(AssistantError) {
        let directory = prefix.isEmpty ? folder : folder.appending(path: prefix, directoryHint: .isDirectory)
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        } catch {
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: directory.path, isDirectory: &isDirectory) else { return }
            throw AssistantError(.storeUnavailable, "Cannot list the folder \(directory.path).", cause: error)
        }
        for name in names where !name.hasPrefix(".") {
            seen += 1
            guard seen <= most else {
                throw AssistantError(.tooLarge, "The folder \(folder.path) has more than \(most) files.")
            }
            let path = prefix.isEmpty ? name : prefix + "/" + name
            if name.hasSuffix("." + suffix) {
                found.append(path)
            } else if depth > 1 {
                // The attributes are those of a link itself, so that a link to a folder, which may lead in a circle or to
                // all files there are, is not followed.
                let attributes = try? FileManager.default.attributesOfItem(atPath: folder.appending(path: path).path)
                if attributes?[.type] as? FileAttributeType == .typeDirectory {
                    try list(path, depth: depth - 1, into: &found, seen: &seen)
                }
            }
        }
    }
}
