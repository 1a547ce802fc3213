// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A SHA-256 digest (FIPS 180-4) of bytes that come piece by piece.
///
/// It is there to notice damaged and exchanged files. A copy goes on by itself.
package struct SHA256Hash {
    /// The system's own, see `SHA256Hash+Darwin.swift` and `SHA256Hash+Linux.swift`.
    private var running = Running()

    /// A hash of nothing so far.
    package init() {}

    /// Takes in the next bytes.
    package mutating func update(_ piece: Data) {
        piece.withUnsafeBytes { running.update($0) }
    }

    /// The digest of everything that was taken in, in lowercase hexadecimal digits.
    package var hexadecimal: String {
        running.digest.map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }

    /// The digest of these bytes, in lowercase hexadecimal digits.
    package static func hexadecimal(of bytes: Data) -> String {
        var hash = SHA256Hash()
        hash.update(bytes)
        return hash.hexadecimal
    }
}

/// Computes a file's SHA-256 digest piece by piece.
///
/// - Parameters:
///   - url: the file.
///   - progress: told the bytes that were read so far.
/// - Returns: the digest in lowercase hexadecimal digits.
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
