// SPDX-License-Identifier: Apache-2.0

public import Foundation
import ParleyFiles
import ParleyOpenAI

/// The key of the server's own page, which may do everything; it is made once.
///
/// Management always needs a key. This one is kept in a file that only the user may read, so that whoever may read it
/// could do all of that without the server too.
public struct ServerKey: Sendable {
    /// The key.
    public let key: AccessKey
    /// The secret.
    public let secret: String
    /// Whether it has been made just now, and nobody knows it yet.
    public let isNew: Bool

    /// Reads the key of a file, or makes one if there is no such file.
    ///
    /// - Throws: ``ServerError`` if the file cannot be read or written, others may read it, or it has no key.
    public init(in file: URL) throws(ServerError) {
        if let secret = try Self.secret(in: file) {
            self.init(secret, isNew: false)
            return
        }
        let secret = AccessKey.make(name: Self.name, scopes: []).secret
        do {
            try FilePlace.create(file.deletingLastPathComponent())
            try WholeFile.write(Data((secret + "\n").utf8), to: file, replacing: .forbidden, mode: 0o600)
        } catch {
            // Another server that starts now has made it.
            if error.code == .exists, let other = try Self.secret(in: file) {
                self.init(other, isNew: false)
                return
            }
            throw ServerError(500, .invalidValue, "The server's key cannot be written: \(error)", cause: error)
        }
        self.init(secret, isNew: true)
    }

    private init(_ secret: String, isNew: Bool) {
        self.secret = secret
        self.isNew = isNew
        key = AccessKey(name: Self.name, digest: AccessKey.digest(of: secret), scopes: Set(KeyScope.allCases))
    }

    private static let name = "server.key"

    private static func secret(in file: URL) throws(ServerError) -> String? {
        let bytes: Data
        do {
            bytes = try WholeFile.secret(in: file, limit: 4_096)
        } catch {
            if error.code == .notFound { return nil }
            let problem =
                error.code == .exposed
                ? "Others may read the server's key, \(file.path). Remove it; the next start makes another."
                : "The server's key cannot be read: \(error)"
            throw ServerError(500, .invalidValue, problem, cause: error)
        }
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.count == 71, text.hasPrefix("parley-"), text.dropFirst(7).allSatisfy(\.isHexDigit) else {
            throw ServerError(
                500, .invalidValue, "\(file.path) has no key. Remove it; the next start makes another.")
        }
        return text
    }
}
