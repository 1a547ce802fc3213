// SPDX-License-Identifier: Apache-2.0

package import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file that only grows, record by record: each is on the disk, or not in the file at all, when ``append(_:)`` returns.
///
/// It belongs to one owner at a time, which serialises its calls.
package final class AppendedFile {
    private let descriptor: Int32
    private let url: URL
    /// The number of bytes in the file.
    package private(set) var count: Int
    private var isDamaged = false

    /// Opens a file, which is created if it does not exist.
    ///
    /// - Parameters:
    ///   - url: the file; not a link.
    ///   - count: the number of bytes to keep; what is after them is removed. Nil to keep all.
    ///   - mode: the permissions of a new file.
    /// - Throws: ``FileError``.
    package init(_ url: URL, keeping count: Int? = nil, mode: mode_t = 0o600) throws(FileError) {
        let isNew = access(url.path, F_OK) != 0
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode)
        guard descriptor >= 0 else { throw FileError("open", url, errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw FileError(.notRegular, "Cannot write \(url.path): it is not a file.")
        }
        let size = Int(status.st_size)
        if let count, count < size, ftruncate(descriptor, off_t(count)) != 0 || flushToDisk(descriptor) != 0 {
            let error = FileError("shorten", url, errno)
            close(descriptor)
            throw error
        }
        if isNew { WholeFile.flushDirectory(url.deletingLastPathComponent()) }
        (self.descriptor, self.url, self.count) = (descriptor, url, min(count ?? size, size))
    }

    deinit { close(descriptor) }

    /// Adds bytes at the end, and returns when they are on the disk.
    ///
    /// If it throws, the file has no more bytes than before; if even that cannot be done, all later calls throw.
    ///
    /// - Throws: ``FileError``.
    package func append(_ data: Data) throws(FileError) {
        guard !isDamaged else { throw FileError(.failed, "Cannot write \(url.path): an earlier write failed.") }
        var done = 0
        while done < data.count {
            let written = data.withUnsafeBytes { bytes in
                write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw failure() }
            done += written
        }
        guard flushToDisk(descriptor) == 0 else { throw failure() }
        count += data.count
    }

    private func failure() -> FileError {
        let error = FileError("write", url, errno)
        if ftruncate(descriptor, off_t(count)) != 0 { isDamaged = true }
        return error
    }
}
