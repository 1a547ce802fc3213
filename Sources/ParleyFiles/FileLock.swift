// SPDX-License-Identifier: Apache-2.0

package import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An advisory lock on a file, across processes; it ends with the value, at the latest with the process.
package final class FileLock: Sendable {
    /// Whether a lock is shared or exclusive.
    package enum Kind: Sendable {
        /// Others may hold the lock shared at the same time.
        case shared
        /// Nobody else may hold the lock.
        case exclusive
    }

    private let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { Self.release(descriptor) }

    /// Gives up the lock, if any, that somebody has taken with a descriptor of their own, and closes it.
    ///
    /// A child that is just being started has a copy of the descriptor, which would keep a lock that is not given up.
    package static func release(_ descriptor: Int32) {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Takes the lock; nil if others hold it. The file is created if it does not exist.
    ///
    /// - Throws: ``FileError``.
    package static func take(_ kind: Kind, at url: URL) throws(FileError) -> FileLock? {
        var descriptor = open(url.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
        let refusal = errno
        // Another user of a shared directory has made the file, or the disk is read-only.
        if descriptor < 0, refusal == EACCES || refusal == EROFS {
            descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        }
        guard descriptor >= 0 else { throw FileError("open", url, refusal) }
        let lock = FileLock(descriptor: descriptor)
        if flock(descriptor, (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 { return lock }
        guard errno == EWOULDBLOCK || errno == EINTR else { throw FileError("lock", url, errno) }
        return nil
    }

    /// Takes the lock as soon as others have released it. Calls `onWait` once if it has to wait.
    ///
    /// - Throws: ``FileError``, or `CancellationError`.
    package static func wait(_ kind: Kind, at url: URL, onWait: () -> Void = {}) async throws -> FileLock {
        var hasWaited = false
        while true {
            try Task.checkCancellation()
            if let lock = try take(kind, at: url) { return lock }
            if !hasWaited { onWait() }
            hasWaited = true
            // Waiting in the system call would block a thread, so the lock is polled.
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
