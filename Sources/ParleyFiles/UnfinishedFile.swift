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
/// is not completed is removed with the value, which belongs to one owner at a time.
package final class UnfinishedFile {
    private let descriptor: Int32
    private let temporary: URL
    private let target: URL
    private var isOpen = true
    private var isPublished = false

    /// Creates the file under its temporary name, readable by the user alone.
    ///
    /// - Parameter target: the final name.
    /// - Throws: ``FileError``.
    package init(for target: URL) throws(FileError) {
        // The temporary name must not be too long where the final one is not.
        var name = target.lastPathComponent
        while name.utf8.count > 100 { name.removeLast() }
        temporary = target.deletingLastPathComponent().appending(
            path: ".\(name).\(UUID().uuidString).tmp", directoryHint: .notDirectory)
        self.target = target
        let descriptor = open(temporary.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileError("create", temporary, errno) }
        self.descriptor = descriptor
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

    /// Gives the complete file its final name.
    ///
    /// - Parameters:
    ///   - mode: its permissions.
    ///   - replacing: whether a file that is there already may be replaced.
    ///   - isFlushed: whether it is on the disk before it gets its name. Without, what a power failure leaves under that
    ///     name may be no whole file, so its reader must notice.
    /// - Throws: ``FileError``.
    package func publish(
        mode: mode_t = 0o600, replacing: WholeFile.Replacing = .allowed, isFlushed: Bool = true
    ) throws(FileError) {
        guard fchmod(descriptor, mode) == 0, !isFlushed || flushToDisk(descriptor) == 0 else {
            throw FileError("write", target, errno)
        }
        isOpen = false
        guard close(descriptor) == 0 else { throw FileError("write", target, errno) }
        try WholeFile.publish(temporary, as: target, replacing: replacing)
        isPublished = true
    }
}
