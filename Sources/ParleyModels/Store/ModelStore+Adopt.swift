// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

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
            let sha256 = file.sha256, let byteCount = file.byteCount, RegularFile.ownSize(of: earlier) == byteCount
        else { return false }
        do {
            try layout.create()
            let blob = layout.blob(sha256)
            // Another process may be doing the same, or clearing away what no model needs yet.
            guard let lock = try StoreLock.take(.shared, at: layout.lock),
                let modelLock = try StoreLock.take(.exclusive, at: layout.modelLock(manifest.name))
            else { return installed(entry.name) != nil }
            defer { withExtendedLifetime((lock, modelLock)) {} }
            try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: earlier.path)
            // The file keeps its earlier name until the model has its own, so that nothing is lost where this breaks off.
            if RegularFile.ownSize(of: blob) != byteCount, link(earlier.path, blob.path) != 0, move(earlier, blob) != 0
            {
                return installed(entry.name) != nil
            }
            try publish(manifest)
            unlink(earlier.path)
            return true
        } catch {
            return false
        }
    }

    /// Where earlier versions kept the file of a catalog entry.
    func earlierFile(of entry: CatalogEntry) -> URL {
        directory.appending(path: entry.name + ".gguf", directoryHint: .notDirectory)
    }

}
