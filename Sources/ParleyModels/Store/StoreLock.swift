// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A hold on a whole store or on one model of it, across processes.
///
/// Many may put models together at once, one alone takes models apart; and one alone fetches a model of some name.
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

    /// Takes the lock as soon as others have left it; calls `onWait` once if it has to wait.
    static func wait(_ kind: Kind, at url: URL, onWait: () -> Void = {}) async throws -> StoreLock {
        var hasWaited = false
        while true {
            try Task.checkCancellation()
            if let lock = try take(kind, at: url) { return lock }
            if !hasWaited { onWait() }
            hasWaited = true
            // The system could wake this process up, but only on a thread that waits for nothing else.
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
