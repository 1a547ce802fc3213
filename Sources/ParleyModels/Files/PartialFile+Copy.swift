// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile

extension PartialFile {
    /// Copies a file into this one, in place of what it holds, and computes its SHA-256 digest on the way.
    func copy(_ source: URL, progress: (Int64) -> Void) throws -> (byteCount: ByteSize, sha256: String) {
        try truncate(to: 0)
        return try ModelStoreError.storing("read", source) {
            let handle = try FileHandle(forReadingFrom: source)
            defer { try? handle.close() }
            var hash = SHA256Hash()
            var count: Int64 = 0
            while let piece = try handle.read(upToCount: 1 << 20), !piece.isEmpty {
                try Task.checkCancellation()
                hash.update(piece)
                try write(piece, at: count)
                count += Int64(piece.count)
                progress(count)
            }
            return (ByteSize(clamping: count), hash.hexadecimal)
        }
    }
}
