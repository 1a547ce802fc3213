// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Computes a file's SHA-256 digest piece by piece, in lowercase hexadecimal digits.
///
/// - Parameters:
///   - url: the file.
///   - progress: told the bytes that were read so far.
/// - Returns: 64 digits.
/// - Throws: what reading throws, or `CancellationError`.
package func sha256(of url: URL, progress: (Int64) -> Void = { _ in }) throws -> String {
    let handle = try FileHandle(forReadingFrom: url)
    defer { try? handle.close() }
    var hash = SHA256Hash()
    var count: Int64 = 0
    while let piece = try handle.read(upToCount: 1 << 20), !piece.isEmpty {
        try Task.checkCancellation()
        hash.update(piece)
        count += Int64(piece.count)
        progress(count)
    }
    return hash.hexadecimal
}
