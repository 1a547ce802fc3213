// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A lock on a whole store or on one of its models, across processes.
///
/// Many processes may install models at the same time (shared lock on the store), but only one may remove them
/// (exclusive lock), and only one may download a model of a given name.
final class StoreLock: Sendable {
    /// Whether a lock is shared or exclusive.
    enum Kind: Sendable {
        /// Others may hold the lock shared at the same time.
        case shared
        /// Nobody else may hold the lock.
        case exclusive
    }

    private let descriptor: Int32

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Takes the lock; nil where others hold it.
    static func take(_ kind: Kind, at url: URL) throws -> StoreLock? {
        var descriptor = open(url.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
        // Another user of a shared store has made the file.
        if descriptor < 0, errno == EACCES { descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
        guard descriptor >= 0 else { throw ModelStoreError.system("open", url, errno) }
        let lock = StoreLock(descriptor: descriptor)
        if flock(descriptor, (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 { return lock }
        guard errno == EWOULDBLOCK || errno == EINTR else { throw ModelStoreError.system("lock", url, errno) }
        return nil
    }

    /// Takes the lock as soon as others have released it. Calls `onWait` once if it has to wait.
    static func wait(_ kind: Kind, at url: URL, onWait: () -> Void = {}) async throws -> StoreLock {
        var hasWaited = false
        while true {
            try Task.checkCancellation()
            if let lock = try take(kind, at: url) { return lock }
            if !hasWaited { onWait() }
            hasWaited = true
            // Waiting in the system call would block a thread, so the lock is polled.
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
