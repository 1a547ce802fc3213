// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleyModelFile

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
    /// - Returns: what was removed.
    /// - Throws: ``ModelStoreError`` with code `unknownModel` or `storageFailed`.
    @discardableResult
    public func remove(_ name: String) async throws -> Clearance {
        adoptEarlierFiles()
        let places = [layout.entry(name), layout.replaced(StoreLayout.entryName(of: name))]
        guard places.contains(where: { FileManager.default.fileExists(atPath: $0.path) }) else {
            throw ModelStoreError(
                code: .unknownModel, message: "\(name) is not in the store. 'parley models list' shows what is.")
        }
        let lock = try await StoreLock.wait(.exclusive, at: layout.lock)
        defer { withExtendedLifetime(lock) {} }
        let digests = Set(model(named: name)?.manifest.files.compactMap(\.sha256) ?? [])
        // A model that was being replaced is removed first, because it would be found again otherwise. Each directory
        // is renamed before its contents are removed, so that no half-removed model is ever found.
        for directory in places.reversed() where FileManager.default.fileExists(atPath: directory.path) {
            let scratch = layout.scratch()
            try ModelStoreError.storing("remove", directory) {
                try FileManager.default.moveItem(at: directory, to: scratch)
                try FileManager.default.removeItem(at: scratch)
            }
        }
        return try clear(layout.blobs, isDryRun: false) { name in digests.contains { StoreLayout.blobName($0) == name }
        }
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
        adoptEarlierFiles()
        guard FileManager.default.fileExists(atPath: layout.root.path) else { return Clearance() }
        guard let lock = try StoreLock.take(.exclusive, at: layout.lock) else {
            throw ModelStoreError(
                code: .busy, message: "Another parley is fetching or importing a model. Try again when it is done.")
        }
        defer { withExtendedLifetime(lock) {} }
        var result = try clear(layout.blobs, isDryRun: isDryRun)
        result += try clear(layout.partials, isDryRun: isDryRun) { name in
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

    /// Removes those contents of a directory that no model needs.
    private func clear(
        _ directory: URL, isDryRun: Bool, where isWanted: (String) -> Bool = { _ in true }
    ) throws -> Clearance {
        let needed = directory == layout.blobs ? neededBlobs : []
        var result = Clearance()
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory.path))?.sorted() ?? []
        where isWanted(name) && !needed.contains(name) {
            let url = directory.appending(path: name)
            result.names.append("\(directory.lastPathComponent)/\(name)")
            result.byteCount += RegularFile.allocatedSize(of: url)
            if isDryRun { continue }
            try ModelStoreError.storing("remove", url) { try FileManager.default.removeItem(at: url) }
        }
        return result
    }

    /// The names of the blobs that the links of all models point to. Includes models whose manifest is damaged and
    /// models that are being replaced.
    private var neededBlobs: Set<String> {
        let files = FileManager.default
        var needed: Set<String> = []
        let entries = (try? files.contentsOfDirectory(atPath: layout.entries.path)) ?? []
        for entry in entries where !entry.hasPrefix(".scratch-") {
            let directory = layout.entries.appending(path: entry)
            for name in (try? files.contentsOfDirectory(atPath: directory.path)) ?? [] {
                let path = directory.appending(path: name).path
                if let target = try? files.destinationOfSymbolicLink(atPath: path), target.hasPrefix("../../blobs/") {
                    needed.insert(String(target.dropFirst(12)))
                }
            }
        }
        return needed
    }
}

extension Clearance {
    static func += (left: inout Clearance, right: Clearance) {
        left.names += right.names
        left.byteCount += right.byteCount
    }
}
