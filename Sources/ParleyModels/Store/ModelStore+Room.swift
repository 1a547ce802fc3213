// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleySystem

extension ModelStore {
    /// Throws where there is not enough space for all files of a model that are still missing, before anything is
    /// downloaded.
    func requireRoom(for manifest: ModelManifest) throws {
        let missing = manifest.files.filter { file in
            file.sha256.map { RegularFile.ownSize(of: layout.blob($0)) == nil } ?? true
        }
        let needed = missing.reduce(ByteSize.zero) { $0 + ($1.byteCount ?? .zero) }
        let partial = missing.reduce(ByteSize.zero) { sum, file in
            sum + RegularFile.allocatedSize(of: layout.partial(of: file))
        }
        try requireSpace(needed - partial)
        try requireQuota(needed)
    }

    /// Throws where the disk has less free space than needed.
    func requireSpace(_ needed: ByteSize) throws {
        guard needed > .zero, let free = freeSpace(directory), free < needed else { return }
        throw ModelStoreError(
            .diskFull,
            "The disk is full: \(directory.path) has \(free) free, and the model needs "
                + "\(needed).\nFree some space, or set PARLEY_HOME to a directory on another disk.")
    }

    /// Throws where a file would exceed the quota. A file whose size was known before the download was counted then,
    /// and is not checked again.
    func requireQuota(_ needed: ByteSize, unlessKnownOf file: ManifestFile) throws {
        if file.byteCount == nil { try requireQuota(needed) }
    }

    /// The largest size that one more file may have, given the free space and the quota.
    func room() throws -> ByteSize {
        if let quotaFault { throw quotaFault }
        let left = quota.map { $0 - storedBytes } ?? .limit
        return min(left, freeSpace(directory) ?? .limit)
    }

    /// Throws where the models would exceed the quota; the error names models that could be removed.
    func requireQuota(_ needed: ByteSize) throws {
        if let quotaFault { throw quotaFault }
        guard let quota, needed > .zero else { return }
        let used = storedBytes
        let excess = used + needed - quota
        guard excess > .zero else { return }
        var freed = ByteSize.zero
        var proposals: [String] = []
        for model in list().sorted(by: { $0.lastUsed < $1.lastUsed }) where freed < excess {
            freed += model.byteCount
            let day = model.lastUsed.formatted(.iso8601.year().month().day())
            proposals.append(
                "'parley models remove \(model.name)' (\(model.byteCount), last used \(day))")
        }
        let remedy =
            proposals.isEmpty || freed < excess
            ? "Raise the limit." : "To make room: " + proposals.joined(separator: ", ") + "."
        throw ModelStoreError(
            .quotaExceeded,
            "The models may take up \(quota) (PARLEY_MODELS_QUOTA or --quota). They take up "
                + "\(used) now, and \(needed) more would be needed.\n\(remedy)")
    }

    /// The total size of all complete files.
    var storedBytes: ByteSize {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: layout.blobs.path)) ?? []
        return names.reduce(.zero) { $0 + (RegularFile.ownSize(of: layout.blobs.appending(path: $1)) ?? .zero) }
    }
}
