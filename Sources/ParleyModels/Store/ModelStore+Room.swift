// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleySystem

extension ModelStore {
    /// Throws where there is not enough space for all files of a model that are still missing, before anything is
    /// downloaded.
    func requireRoom(for manifest: ModelManifest, _ claim: QuotaClaim) async throws {
        let missing = manifest.files.filter { file in
            file.sha256.map { RegularFile.ownSize(of: layout.blob($0)) == nil } ?? true
        }
        let needed = missing.reduce(ByteSize.zero) { $0 + ($1.byteCount ?? .zero) }
        let partial = missing.reduce(ByteSize.zero) { sum, file in
            sum + RegularFile.allocatedSize(of: layout.partial(of: file))
        }
        try requireSpace(needed - partial)
        try await claim.make(
            Dictionary(
                missing.map { (layout.partial(of: $0).lastPathComponent, $0.byteCount ?? .zero) },
                uniquingKeysWith: max))
    }

    /// Throws where the disk has less free space than needed.
    func requireSpace(_ needed: ByteSize) throws {
        guard needed > .zero, let free = freeSpace(directory), free < needed else { return }
        throw ModelStoreError(
            .diskFull,
            "The disk is full: \(directory.path) has \(free) free, and the model needs "
                + "\(needed).\nFree some space, or set PARLEY_HOME to a directory on another disk.")
    }
}
