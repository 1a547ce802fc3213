// SPDX-License-Identifier: Apache-2.0

package import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file that is written piece by piece under a temporary name beside its final one, which it gets when it is complete.
///
/// The temporary name begins with a dot and ends in `.tmp`, which programs that share such folders ignore. A file that
/// is not completed is removed with the value, which belongs to one owner at a time. One whose program was ended stays,
/// and is removed when a program begins to write in the folder (``LeftoverFiles``).
package final class UnfinishedFile {
    private let descriptor: Int32
    private let temporary: URL
    private let target: URL
    private var isOpen = true
    private var isPublished = false

    /// Creates the file under its temporary name.
    ///
    /// - Parameters:
    ///   - target: the final name.
    ///   - mode: the permissions while it is written, of which the process's mask is taken away.
    /// - Throws: ``FileError``.
    package init(for target: URL, mode: mode_t = 0o600) throws(FileError) {
        // The temporary name is never too long; that the final one is shall not turn out when all has been written.
        var status = stat()
        if lstat(target.path, &status) != 0, errno == ENAMETOOLONG { throw FileError("create", target, errno) }
        let folder = target.deletingLastPathComponent()
        LeftoverFiles.removeOnce(in: folder)
        temporary = folder.appending(
            path: LeftoverFiles.temporaryName(for: target.lastPathComponent), directoryHint: .notDirectory)
        self.target = target
        let descriptor = open(temporary.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw FileError("create", target, errno) }
        self.descriptor = descriptor
        // It says that somebody still writes; not every file system has locks.
        _ = flock(descriptor, LOCK_EX | LOCK_NB)
    }

    deinit {
        if isOpen { close(descriptor) }
        if !isPublished { unlink(temporary.path) }
    }

    /// Adds bytes at the end.
    ///
    /// - Throws: ``FileError``.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let count = write(descriptor, start, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileError("write", target, errno) }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Adds data at the end.
    ///
    /// - Throws: ``FileError``.
    package func append(_ data: Data) throws(FileError) {
        let appended = data.withUnsafeBytes { bytes in Result { () throws(FileError) in try append(bytes) } }
        try appended.get()
    }

    /// Gives the complete file its final name.
    ///
    /// - Parameters:
    ///   - mode: its permissions; nil for those with which it was created.
    ///   - replacing: whether a file that is there already may be replaced.
    ///   - isFlushed: whether it is on the disk before it gets its name. Without, what a power failure leaves under that
    ///     name may be no whole file, so its reader must notice.
    /// - Throws: ``FileError``.
    package func publish(
        mode: mode_t? = 0o600, replacing: WholeFile.Replacing = .allowed, isFlushed: Bool = true
    ) throws(FileError) {
        guard mode.map({ fchmod(descriptor, $0) == 0 }) ?? true, !isFlushed || flushToDisk(descriptor) == 0 else {
            throw FileError("write", target, errno)
        }
        isOpen = false
        guard close(descriptor) == 0 else { throw FileError("write", target, errno) }
        try WholeFile.publish(temporary, as: target, replacing: replacing)
        isPublished = true
    }
}
