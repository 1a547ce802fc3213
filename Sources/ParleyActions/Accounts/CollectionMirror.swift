// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import ParleyAssistant
import ParleyFiles

/// The folder of a collection: a vdir, with a file for each item, which other programs read and write too.
package struct CollectionMirror: Sendable {
    /// The folder with the folders of all collections of a kind.
    package let root: URL
    /// The name of the folder of this collection.
    package let folder: String
    /// Where files go that were changed here and on the server.
    package let conflicts: URL
    /// The address of the collection.
    private let address: String
    private let suffix: String
    private let items: FolderStore
    private static let markName = ".parley-account"

    /// Creates a value for a folder, which need not exist.
    ///
    /// - Parameters:
    ///   - root: the folder with the folders of all collections of a kind.
    ///   - folder: the name of the folder.
    ///   - suffix: how the names of items end, without the dot.
    ///   - conflicts: where files go that were changed here and on the server.
    ///   - address: the address of the collection, by which the folder is known again.
    package init(root: URL, folder: String, suffix: String, conflicts: URL, address: String) {
        (self.root, self.folder, self.suffix) = (root, folder, suffix)
        (self.conflicts, self.address) = (conflicts, address)
        // Like the assistant's own store over these folders, whose lock it shares.
        items = FolderStore(name: "account", folder: root, suffix: suffix, depth: 2)
    }

    private var directory: URL { root.appending(path: folder, directoryHint: .isDirectory) }

    /// Creates the folder and its mark where they are missing.
    ///
    /// - Returns: the mark; another one than before if the folder is not the one that it was.
    /// - Throws: ``AssistantError`` with code `storeUnavailable`.
    package func prepare() throws(AssistantError) -> String {
        let file = directory.appending(path: Self.markName)
        do {
            try FilePlace.create(directory)
            if let mark = try Self.mark(of: directory) { return mark }
            let mark = "\(UUID().uuidString) \(address)"
            try WholeFile.write(Data(mark.utf8), to: file)
            return mark
        } catch {
            throw AssistantError(.storeUnavailable, error.message, cause: error)
        }
    }

    /// The mark of a folder; nil if it has none.
    private static func mark(of directory: URL) throws(FileError) -> String? {
        do {
            let data = try WholeFile.contents(of: directory.appending(path: markName), limit: 10_000)
            return data.isEmpty ? nil : String(decoding: data, as: UTF8.self)
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    /// Whether a folder was one of a collection with an address, as after its account was removed.
    static func isOf(_ address: String, _ directory: URL) -> Bool {
        (try? mark(of: directory))?.split(separator: " ").last.map(String.init) == address
    }

    /// Writes the name and the colour as vdir has them, where they changed.
    package func describe(title: String?, colour: String?) {
        for (name, value) in [("displayname", title), ("color", colour)] {
            let file = directory.appending(path: name)
            guard let value, (try? WholeFile.contents(of: file, limit: 1_000)) != Data(value.utf8) else { continue }
            // Only programs that show them need them.
            try? WholeFile.write(Data(value.utf8), to: file, mode: 0o644)
        }
    }

    /// The digests of all files, by name; that of one that cannot be read is ``SyncPlan/unreadable``.
    ///
    /// - Throws: ``AssistantError``, or `CancellationError`.
    package func digests() throws -> [String: String] {
        let store = FolderStore(name: "account", folder: directory, suffix: suffix, depth: 1)
        var digests: [String: String] = [:]
        for name in try store.paths() {
            try Task.checkCancellation()
            do {
                guard let item = try store.item(store.id(name)) else { continue }
                digests[name] = SHA256Hash.hexadecimal(of: item.content)
            } catch {
                digests[name] = SyncPlan.unreadable
            }
        }
        return digests
    }

    /// The content of a file; nil if there is none.
    ///
    /// - Throws: ``AssistantError``.
    package func content(_ name: String) throws(AssistantError) -> Data? { try items.item(id(name))?.content }

    /// Replaces a file, if it still has a content.
    ///
    /// - Returns: whether it did; false if the file was changed meanwhile.
    /// - Throws: ``AssistantError``, or `CancellationError`.
    package func replace(_ name: String, _ before: Data?, by after: Data?) async throws -> Bool {
        if before == after { return true }
        let id = id(name)
        if before == nil, let after { return try create(id, after) }
        do {
            try await items.apply(
                Change(
                    before: before.map { StoreItem(id: id, content: $0) },
                    after: after.map { StoreItem(id: id, content: $0) }))
            return true
        } catch let error as AssistantError {
            guard error.code == .itemChanged || error.code == .itemNotFound else { throw error }
            return false
        }
    }

    /// Creates a file, unless there is one. The plan has seen to it that no other has nearly the same name, for which the
    /// store would list the folder each time.
    private func create(_ id: StoreItem.ID, _ content: Data) throws(AssistantError) -> Bool {
        let file = try items.file(id)
        do {
            try WholeFile.write(content, to: file, replacing: .forbidden)
            return true
        } catch {
            if error.code == .exists { return false }
            throw AssistantError(.storeUnavailable, error.message, cause: error)
        }
    }

    /// Keeps a content that is to be replaced. Doing it twice keeps it once.
    ///
    /// - Returns: the file in which it is kept.
    /// - Throws: ``AssistantError`` with code `storeUnavailable`.
    package func setAside(_ name: String, _ content: Data) throws(AssistantError) -> URL {
        let place = conflicts.appending(path: folder, directoryHint: .isDirectory)
        let stem = name.dropLast(suffix.count + 1)
        let digest = SHA256Hash.hexadecimal(of: content).prefix(8)
        let file = place.appending(path: "\(stem).\(digest).\(suffix)", directoryHint: .notDirectory)
        do {
            try FilePlace.create(place)
            try WholeFile.write(content, to: file)
        } catch {
            throw AssistantError(.storeUnavailable, error.message, cause: error)
        }
        return file
    }

    private func id(_ name: String) -> StoreItem.ID { items.id("\(folder)/\(name)") }
}
