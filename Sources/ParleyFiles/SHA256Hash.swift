// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Computes a SHA-256 digest (FIPS 180-4) incrementally.
///
/// It serves to detect damaged and exchanged files and to tell images apart. Copies are independent of each other.
package struct SHA256Hash {
    /// The platform's implementation; see `SHA256Hash+Darwin.swift` and `SHA256Hash+Linux.swift`.
    private var running = Running()

    /// Creates the digest of the empty input.
    package init() {}

    /// Adds the next bytes of the input.
    package mutating func update(_ piece: Data) {
        piece.withUnsafeBytes { running.update($0) }
    }

    /// The 32 bytes of the digest of the input so far.
    package var digest: [UInt8] { running.digest }

    /// The digest of the input so far, in lowercase hexadecimal digits.
    package var hexadecimal: String {
        digest.map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }

    /// The digest of some bytes, in lowercase hexadecimal digits.
    package static func hexadecimal(of bytes: Data) -> String { of(bytes).hexadecimal }

    /// The 32 bytes of the digest of some bytes.
    package static func digest(of bytes: Data) -> [UInt8] { of(bytes).digest }

    private static func of(_ bytes: Data) -> SHA256Hash {
        var hash = SHA256Hash()
        hash.update(bytes)
        return hash
    }
}

/// Computes a file's SHA-256 digest, reading it piece by piece.
///
/// - Parameters:
///   - url: the file.
///   - progress: called with the number of bytes read so far.
/// - Returns: the digest in lowercase hexadecimal digits.
/// - Throws: the error of opening or reading the file, or `CancellationError`.
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
