// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ModelStore {
    /// Refuses before anything is fetched rather than fail at the end: for all files together, less what is here.
    func requireRoom(for manifest: ModelManifest) throws {
        let missing = manifest.files.filter { file in
            file.sha256.map { Self.regularSize(of: layout.blob($0)) == nil } ?? true
        }
        let needed = missing.reduce(Int64(0)) { $0 + ($1.byteCount ?? 0) }
        let partial = missing.reduce(Int64(0)) { $0 + Self.allocatedSize(of: layout.partial(PartialKey.of($1))) }
        try requireSpace(needed - partial)
        try requireQuota(needed)
    }

    /// Refuses what the disk has no room for.
    func requireSpace(_ needed: Int64) throws {
        guard needed > 0, let free = freeSpace(directory), free < needed else { return }
        throw ModelStoreError(
            code: .diskFull,
            message: "The disk is full: \(directory.path) has \(ByteSize(bytes: free)) free, and the model needs "
                + "\(ByteSize(bytes: needed)).\nFree some space, or set PARLEY_HOME to a directory on another disk.")
    }

    /// Refuses what would make the models take more than they may, and says what could go.
    func requireQuota(_ needed: Int64) throws {
        guard let quota, needed > 0 else { return }
        let used = storedBytes
        let excess = used + needed - quota
        guard excess > 0 else { return }
        var freed: Int64 = 0
        var proposals: [String] = []
        for model in installed().sorted(by: { $0.lastUsed < $1.lastUsed }) where freed < excess {
            freed += model.byteCount
            let day = model.lastUsed.formatted(.iso8601.year().month().day())
            proposals.append(
                "'parley models remove \(model.name)' (\(ByteSize(bytes: model.byteCount)), last used \(day))")
        }
        let remedy =
            proposals.isEmpty || freed < excess
            ? "Raise the limit." : "To make room: " + proposals.joined(separator: ", ") + "."
        throw ModelStoreError(
            code: .quotaExceeded,
            message: "The models may take \(ByteSize(bytes: quota)) (PARLEY_MODELS_QUOTA or --quota); they take "
                + "\(ByteSize(bytes: used)), and \(ByteSize(bytes: needed)) would come.\n\(remedy)")
    }

    /// What all complete files take.
    var storedBytes: Int64 {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: layout.blobs.path)) ?? []
        return names.reduce(0) { $0 + (Self.regularSize(of: layout.blobs.appending(path: $1)) ?? 0) }
    }
}
