// SPDX-License-Identifier: Apache-2.0

import Crypto
package import Foundation

/// Computes a file's SHA-256 digest piece by piece, in lowercase hexadecimal digits.
///
/// - Parameter progress: told the bytes that were read so far.
/// - Throws: what reading throws, or `CancellationError`.
package func sha256(of url: URL, progress: (Int64) -> Void = { _ in }) throws -> String {
    let handle = try FileHandle(forReadingFrom: url)
    defer { try? handle.close() }
    var hash = SHA256()
    var count: Int64 = 0
    while let piece = try handle.read(upToCount: 1 << 20), !piece.isEmpty {
        try Task.checkCancellation()
        hash.update(data: piece)
        count += Int64(piece.count)
        progress(count)
    }
    return hash.finalize().hexadecimal
}

extension SHA256.Digest {
    /// The digest in lowercase hexadecimal digits.
    var hexadecimal: String {
        map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }
}
