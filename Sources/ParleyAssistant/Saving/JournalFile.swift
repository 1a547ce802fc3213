// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyFiles

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A journal that is open for writing, and locked while it is, so that other processes know it from one whose writer
/// has ended.
///
/// It is opened and removed only by those who hold the folder's lock; otherwise a journal could be locked after it was
/// removed.
final class JournalFile {
    let url: URL
    private(set) var size: Int
    private let descriptor: Int32

    /// Opens a journal and locks it; nil if another writer has it.
    ///
    /// - Throws: `FileError`.
    init?(_ url: URL, creating: Bool) throws(FileError) {
        let flags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | (creating ? O_CREAT : 0)
        let descriptor = open(url.path, flags, 0o600)
        guard descriptor >= 0 else { throw FileError("open", url, errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            close(descriptor)
            guard number == EWOULDBLOCK || number == EINTR else { throw FileError("lock", url, number) }
            return nil
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let number = errno
            FileLock.release(descriptor)
            throw FileError("read", url, number)
        }
        size = Int(status.st_size)
        (self.url, self.descriptor) = (url, descriptor)
    }

    deinit { FileLock.release(descriptor) }

    /// Adds lines. They are the system's when this returns, and outlive the process.
    ///
    /// - Throws: `FileError`; then the journal ends where it ended before, so that what is added later can be read.
    func append(_ lines: String) throws(FileError) {
        let bytes = Array(lines.utf8)
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let error = FileError("write", url, errno)
                ftruncate(descriptor, off_t(size))
                throw error
            }
            done += count
        }
        size += done
    }

    /// Empties the journal; for one that is left by a writer that has ended.
    func truncate() {
        if ftruncate(descriptor, 0) == 0 { size = 0 }
    }
}
