// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A hold on a whole store, across processes: many may put models together at once, one alone takes models apart.
final class StoreLock: Sendable {
    /// Which hold.
    enum Kind: Sendable {
        /// Others may hold it too.
        case shared
        /// Nobody else holds it.
        case exclusive
    }

    private let descriptor: Int32

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Takes hold, or returns nil where others are in the way.
    static func take(_ kind: Kind, at url: URL) throws -> StoreLock? {
        let descriptor = open(url.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw ModelStoreError.system("open", url, errno) }
        let lock = StoreLock(descriptor: descriptor)
        if flock(descriptor, (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 { return lock }
        guard errno == EWOULDBLOCK || errno == EINTR else { throw ModelStoreError.system("lock", url, errno) }
        return nil
    }

    /// Takes hold as soon as others are out of the way.
    static func wait(_ kind: Kind, at url: URL) async throws -> StoreLock {
        while true {
            if let lock = try take(kind, at: url) { return lock }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
