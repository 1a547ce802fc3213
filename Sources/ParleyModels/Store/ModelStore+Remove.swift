// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ParleySystem

/// What was cleared away.
public struct Clearance: Sendable, Hashable {
    /// The names of what went, in the store's directory.
    public var names: [String] = []
    /// The room that it took.
    public var byteCount = ByteSize.zero
}

extension ModelStore {
    /// How long a partial file is kept for a later attempt, in seconds.
    public static let partialLifetime: TimeInterval = 7 * 24 * 3_600

    /// Removes a model, and those of its files that no other model shares. Files that it only refers to stay.
    ///
    /// A process that has the model open keeps it until it ends.
    ///
    /// - Returns: what went.
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
        // What was being replaced first, or it would come to light again; each gone at once under its name, whatever
        // happens while its contents go.
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

    /// Removes what no model needs: files that none refers to, partial files that nobody is fetching and nobody has for
    /// a week, and what broken-off work has left.
    ///
    /// - Parameters:
    ///   - isDryRun: whether everything stays and the result only tells what would go.
    ///   - partialLifetime: how long partial files are kept, in seconds.
    /// - Returns: what went, or would go.
    /// - Throws: ``ModelStoreError`` with code `busy` while a model is being fetched or imported, or `storageFailed`.
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

    /// Removes what a directory holds and no model needs.
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

    /// The names of the blobs that links of any model lead to, also of one whose manifest is damaged or that is being
    /// replaced.
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
