// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ModelStore {
    /// Takes models over that earlier versions kept as `NAME.gguf` in the store's directory.
    ///
    /// The catalog tells their digests, and their sizes show that they are whole: earlier versions published checked files
    /// only. Where the directory cannot be written they stay as they are.
    func adoptEarlierFiles() {
        for entry in catalog.entries { adoptEarlierFile(of: entry) }
    }

    /// Takes over one model; returns whether it is in the store now.
    @discardableResult
    func adoptEarlierFile(of entry: CatalogEntry) -> Bool {
        let earlier = earlierFile(of: entry)
        guard let manifest = entry.manifest(), manifest.files.count == 1, let file = manifest.files.first,
            let sha256 = file.sha256, let byteCount = file.byteCount, Self.regularSize(of: earlier) == byteCount
        else { return false }
        do {
            try layout.create()
            let blob = layout.blob(sha256)
            // Another process may be doing the same; the one that comes second finds nothing to rename.
            try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: earlier.path)
            if rename(earlier.path, blob.path) != 0 { return installed(entry.name) != nil }
            try publish(manifest)
            return true
        } catch {
            return false
        }
    }

    /// Where earlier versions kept the file of a catalog entry.
    func earlierFile(of entry: CatalogEntry) -> URL {
        directory.appending(path: entry.name + ".gguf", directoryHint: .notDirectory)
    }

    /// The size of a regular file; nil for anything else.
    static func regularSize(of url: URL) -> Int64? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular else { return nil }
        return (attributes?[.size] as? NSNumber)?.int64Value
    }
}
