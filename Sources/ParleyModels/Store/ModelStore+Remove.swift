// SPDX-License-Identifier: Apache-2.0

public import Foundation
import ParleyFiles
public import ParleySystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The result of removing files from a store.
public struct Clearance: Sendable, Hashable {
    /// The names of the removed files and directories, relative to the store's directory.
    public var names: [String] = []
    /// The space freed, in bytes.
    public var byteCount = ByteSize.zero
}

extension ModelStore {
    /// How long a partial file is kept for a later attempt, in seconds.
    public static let partialLifetime: TimeInterval = 7 * 24 * 3_600

    /// Removes a model, and those of its files that no other model shares. Files that it only refers to are kept.
    ///
    /// A process that has the model open can use it until it closes it.
    ///
    /// - Parameters:
    ///   - name: the model's name; case does not matter.
    ///   - willWait: called where models are being installed, whose end is waited for.
    /// - Returns: what was removed.
    /// - Throws: ``ModelStoreError`` with code `unknownModel` or `storageFailed`; `CancellationError`.
    @discardableResult
    public func remove(_ name: String, willWait: () -> Void = {}) async throws -> Clearance {
        try requireEntry(name)
        let places = self.places(of: name)
        let lock = try await self.lock(.exclusive, at: layout.lock, onWait: willWait)
        defer { withExtendedLifetime(lock) {} }
        let digests = Set(model(named: name)?.manifest.files.compactMap(\.sha256) ?? [])
        let needed = try neededBlobs(besides: places)
        // A model that was being replaced is removed first, because it would be found again otherwise. Each directory
        // is renamed before its contents are removed, so that no half-removed model is ever found.
        for directory in places.reversed() where FileManager.default.fileExists(atPath: directory.path) {
            let scratch = layout.scratch()
            try ModelStoreError.storing("remove", directory) {
                try FileManager.default.moveItem(at: directory, to: scratch)
                try FileManager.default.removeItem(at: scratch)
            }
        }
        return try clear(layout.blobs, isDryRun: false) { name in
            !needed.contains(name) && digests.contains { StoreLayout.blobName($0) == name }
        }
    }

    /// Throws where the store has no model of a name, sound or not.
    package func requireEntry(_ name: String) throws {
        if places(of: name).contains(where: { FileManager.default.fileExists(atPath: $0.path) }) { return }
        try checkReadable()
        throw ModelStoreError(.unknownModel, "\(name) is not in the store. 'parley models list' shows what is.")
    }

    /// The directories that a model may have.
    private func places(of name: String) -> [URL] {
        [layout.entry(name), layout.replaced(StoreLayout.entryName(of: name))]
    }

    /// Throws where the store is there but cannot be read, or where its place is not in a directory: then an empty list
    /// does not mean that there are no models.
    package func checkReadable() throws {
        _ = try contents(of: layout.entries)
    }

    /// Removes what no model needs: files that no model refers to, partial files that nobody is downloading and that
    /// are older than a week, and the remains of interrupted operations.
    ///
    /// - Parameters:
    ///   - isDryRun: whether to remove nothing and only return what would be removed.
    ///   - partialLifetime: how long partial files are kept, in seconds.
    /// - Returns: what was removed, or would be.
    /// - Throws: ``ModelStoreError`` with code `busy` while a model is being downloaded or imported, or
    ///   `storageFailed`.
    public func collectGarbage(
        isDryRun: Bool = false, partialLifetime: TimeInterval = ModelStore.partialLifetime
    ) throws -> Clearance {
        try checkReadable()
        guard FileManager.default.fileExists(atPath: layout.root.path) else { return Clearance() }
        guard let lock = try lockIfFree(.exclusive, at: layout.lock) else {
            throw ModelStoreError(
                .busy, "Another parley is fetching or importing a model. Try again when it is done.")
        }
        defer { withExtendedLifetime(lock) {} }
        let needed = try neededBlobs()
        var result = try clear(layout.blobs, isDryRun: isDryRun) { !needed.contains($0) }
        result += try clear(layout.partials, isDryRun: isDryRun) { name in
            // An import that was interrupted begins anew.
            if name.hasPrefix(StoreLayout.importPrefix) { return true }
            let url = layout.partials.appending(path: name)
            let date = (try? FileManager.default.attributesOfItem(atPath: url.path))?[.modificationDate] as? Date
            return date.map { -$0.timeIntervalSinceNow >= partialLifetime } ?? false
        }
        result += try clear(layout.entries, isDryRun: isDryRun) { name in
            let replacing = layout.entries.appending(path: StoreLayout.entryName(ofDirectory: name))
            return name.hasPrefix(".scratch-")
                || name.hasPrefix(".") && FileManager.default.fileExists(atPath: replacing.path)
                    && name != StoreLayout.entryName(ofDirectory: name)
        }
        return result
    }

    /// Removes those contents of a directory that are not needed.
    private func clear(
        _ directory: URL, isDryRun: Bool, where isUnneeded: (String) -> Bool
    ) throws -> Clearance {
        var result = Clearance()
        for name in try contents(of: directory).sorted() where isUnneeded(name) {
            let url = directory.appending(path: name)
            result.names.append("\(directory.lastPathComponent)/\(name)")
            result.byteCount += RegularFile.allocatedSize(ofTree: url)
            if isDryRun { continue }
            try ModelStoreError.storing("remove", url) { try FileManager.default.removeItem(at: url) }
        }
        return result
    }

    /// The names of the blobs that the links of all models point to. Includes models whose manifest is damaged and
    /// models that are being replaced.
    ///
    /// - Parameter excluded: directories of models that do not count.
    /// - Returns: the names, such as `sha256-0f…`.
    /// - Throws: ``ModelStoreError`` with code `storageFailed` where a directory cannot be read: what its model needs is
    ///   unknown then, so nothing may be removed.
    private func neededBlobs(besides excluded: [URL] = []) throws -> Set<String> {
        var needed: Set<String> = []
        for entry in try contents(of: layout.entries) where !entry.hasPrefix(".scratch-") {
            let directory = layout.entries.appending(path: entry, directoryHint: .isDirectory)
            if excluded.contains(where: { $0.path == directory.path }) { continue }
            needed.formUnion(try blobs(of: directory))
        }
        return needed
    }

    /// The names of the blobs that the links of a model point to.
    func blobs(of directory: URL) throws -> [String] {
        try contents(of: directory).compactMap { name in
            let path = directory.appending(path: name).path
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
            return target.flatMap { $0.hasPrefix("../../blobs/") ? String($0.dropFirst(12)) : nil }
        }
    }

    /// The names in a directory; none where nothing is there, or only a file.
    func contents(of directory: URL) throws -> [String] {
        try ModelStoreError.storing("read", directory) {
            do {
                return try FileManager.default.contentsOfDirectory(atPath: directory.path)
            } catch {
                var status = stat()
                let isKnown = lstat(directory.path, &status) == 0
                if !isKnown && errno == ENOENT || isKnown && status.st_mode & S_IFMT == S_IFREG { return [] }
                throw error
            }
        }
    }
}

extension Clearance {
    static func += (left: inout Clearance, right: Clearance) {
        left.names += right.names
        left.byteCount += right.byteCount
    }
}
