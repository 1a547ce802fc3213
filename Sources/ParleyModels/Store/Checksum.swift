// SPDX-License-Identifier: Apache-2.0

import Crypto
package import Foundation

/// Computes a file's SHA-256 digest piece by piece, in lowercase hexadecimal digits.
///
/// - Throws: what reading throws, or `CancellationError`.
package func sha256(of url: URL) throws -> String {
    let handle = try FileHandle(forReadingFrom: url)
    defer { try? handle.close() }
    var hash = SHA256()
    while let piece = try handle.read(upToCount: 1 << 20), !piece.isEmpty {
        try Task.checkCancellation()
        hash.update(data: piece)
    }
    return hash.finalize().map { byte in
        let digits = String(byte, radix: 16)
        return byte < 16 ? "0" + digits : digits
    }.joined()
}
