// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleySystem

extension ModelStore {
    /// Refuses before anything is fetched rather than fail at the end: for all files together, less what is here.
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

    /// Refuses what the disk has no room for.
    func requireSpace(_ needed: ByteSize) throws {
        guard needed > .zero, let free = freeSpace(directory), free < needed else { return }
        throw ModelStoreError(
            code: .diskFull,
            message: "The disk is full: \(directory.path) has \(free) free, and the model needs "
                + "\(needed).\nFree some space, or set PARLEY_HOME to a directory on another disk.")
    }

    /// Refuses a file that would make the models take more than they may, unless its size was known, and so was counted,
    /// before anything was fetched.
    func requireQuota(_ needed: ByteSize, unlessKnownOf file: ManifestFile) throws {
        if file.byteCount == nil { try requireQuota(needed) }
    }

    /// The most that one more file may have: what the disk and the quota leave.
    func room() throws -> ByteSize {
        if let quotaFault { throw quotaFault }
        let left = quota.map { $0 - storedBytes } ?? .limit
        return min(left, freeSpace(directory) ?? .limit)
    }

    /// Refuses what would make the models take more than they may, and says what could go.
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
            code: .quotaExceeded,
            message: "The models may take \(quota) (PARLEY_MODELS_QUOTA or --quota); they take "
                + "\(used), and \(needed) would come.\n\(remedy)")
    }

    /// What all complete files take.
    var storedBytes: ByteSize {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: layout.blobs.path)) ?? []
        return names.reduce(.zero) { $0 + (RegularFile.ownSize(of: layout.blobs.appending(path: $1)) ?? .zero) }
    }
}
