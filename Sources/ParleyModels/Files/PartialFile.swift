// SPDX-License-Identifier: Apache-2.0

package import Foundation
import ParleyFiles

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif
import ParleySystem

/// A file that is being written, locked by one process at a time.
///
/// The process that holds the advisory lock on the file may write it; others wait. A file that a killed process has
/// left is taken over with its contents. It becomes the final file by being renamed, or it is removed. The lock ends
/// with the process at the latest.
package final class PartialFile: Sendable {
    /// The location while it is being written.
    let url: URL
    private let descriptor: Int32

    private init(url: URL, descriptor: Int32) {
        self.url = url
        self.descriptor = descriptor
    }

    deinit { FileLock.release(descriptor) }

    /// Opens the file, keeping its contents; nil where another process holds the lock.
    package static func claim(at url: URL) throws -> PartialFile? {
        let file = try open(url, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW)
        guard try file.lock() else { return nil }
        // Between opening and locking, the previous owner may have renamed or removed it.
        return file.isStillNamed ? file : nil
    }

    /// Creates an empty file, or empties an existing one.
    static func create(at url: URL) throws -> PartialFile {
        try open(url, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW)
    }

    private static func open(_ url: URL, _ flags: Int32) throws -> PartialFile {
        let descriptor = url.path.withCString { systemOpen($0, flags, 0o644) }
        guard descriptor >= 0 else { throw ModelStoreError.system("create", url, errno) }
        return PartialFile(url: url, descriptor: descriptor)
    }

    /// Locks a file that this process has created; false where another process holds the lock.
    func lock() throws -> Bool {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        if errno == EWOULDBLOCK || errno == EINTR { return false }
        throw ModelStoreError.system("lock", url, errno)
    }

    private var isStillNamed: Bool {
        var held = stat()
        var named = stat()
        guard fstat(descriptor, &held) == 0, url.path.withCString({ stat($0, &named) }) == 0 else { return false }
        return held.st_ino == named.st_ino && held.st_dev == named.st_dev
    }

    /// The length of the file.
    var byteCount: ByteSize {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? ByteSize(clamping: status.st_size) : .zero
    }

    /// Sets the length of the file.
    func truncate(to byteCount: Int64) throws {
        guard ftruncate(descriptor, off_t(byteCount)) == 0 else { throw ModelStoreError.system("write", url, errno) }
    }

    /// Writes bytes at an offset.
    func write(_ data: Data, at offset: Int64) throws {
        try data.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = pwrite(
                    descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done, off_t(offset) + off_t(done))
                if count < 0 {
                    if errno == EINTR { continue }
                    throw ModelStoreError.system("write", url, errno)
                }
                done += count
            }
        }
    }

    /// Writes the contents of another file behind its own.
    func append(contentsOf url: URL) throws {
        let source = try FileHandle(forReadingFrom: url)
        var end = byteCount.bytes
        while let piece = try source.read(upToCount: 1 << 20), !piece.isEmpty {
            try write(piece, at: end)
            end += Int64(piece.count)
        }
    }

    /// Reads `count` bytes at an offset; throws where the file is shorter.
    func read(_ count: Int, at offset: Int64) throws -> Data {
        var data = Data(count: count)
        var done = 0
        try data.withUnsafeMutableBytes { bytes in
            while done < count {
                let got = pread(
                    descriptor, bytes.baseAddress?.advanced(by: done), count - done, off_t(offset) + off_t(done))
                if got < 0 {
                    if errno == EINTR { continue }
                    throw ModelStoreError.system("read", url, errno)
                }
                if got == 0 { throw ModelStoreError.system("read", url, EIO) }
                done += got
            }
        }
        return data
    }

    /// Waits until what was written is on the disk.
    func synchronize() throws {
        guard flushToDisk(descriptor) == 0 else { throw ModelStoreError.system("write", url, errno) }
    }

    /// Flushes the file to the disk and renames it, replacing an existing file.
    func publish(as destination: URL, isReadOnly: Bool = false) throws {
        try synchronize()
        guard rename(url.path, destination.path) == 0 else { throw ModelStoreError.system("rename", url, errno) }
        // Not before: a partial file that is read-only could not be taken over by the next attempt.
        if isReadOnly { _ = fchmod(descriptor, 0o444) }
        WholeFile.flushDirectory(destination.deletingLastPathComponent())
    }

    /// Removes the file while its lock is still held.
    func discard() {
        unlink(url.path)
    }
}

// A method could not call `open`, because a member of that name would shadow it.
private func systemOpen(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
    open(path, flags, mode)
}

extension PartialFile {
    /// Replaces the contents with those of another file, and computes its SHA-256 digest while copying.
    func copy(_ source: URL, progress: (Int64) -> Void) throws -> (byteCount: ByteSize, sha256: String) {
        try truncate(to: 0)
        return try ModelStoreError.reading(source) {
            let handle = try FileHandle(forReadingFrom: source)
            defer { try? handle.close() }
            var hash = SHA256Hash()
            var count: Int64 = 0
            while let piece = try handle.read(upToCount: 1 << 20), !piece.isEmpty {
                try Task.checkCancellation()
                hash.update(piece)
                try write(piece, at: count)
                count += Int64(piece.count)
                progress(count)
            }
            return (ByteSize(clamping: count), hash.hexadecimal)
        }
    }
}
