// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif
import ParleySystem

/// A file that is being made, held by one process at a time.
///
/// Who holds the advisory lock on it owns it: others wait, and what a killed process left is taken over, contents and
/// all. It becomes the finished file by being renamed, or it is removed; the lock ends with the process at the latest.
final class PartialFile: Sendable {
    /// Where it is written.
    let url: URL
    private let descriptor: Int32

    private init(url: URL, descriptor: Int32) {
        self.url = url
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Opens the file with what it holds, or returns nil where another process holds it.
    static func claim(at url: URL) throws -> PartialFile? {
        let file = try open(url, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW)
        guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else {
            if errno == EWOULDBLOCK || errno == EINTR { return nil }
            throw ModelStoreError.system("lock", url, errno)
        }
        // Between opening and locking, the last holder may have published or removed it.
        return file.isStillNamed ? file : nil
    }

    /// Makes an empty file, in place of what was there.
    static func create(at url: URL) throws -> PartialFile {
        try open(url, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW)
    }

    private static func open(_ url: URL, _ flags: Int32) throws -> PartialFile {
        let descriptor = url.path.withCString { systemOpen($0, flags, 0o644) }
        guard descriptor >= 0 else { throw ModelStoreError.system("create", url, errno) }
        return PartialFile(url: url, descriptor: descriptor)
    }

    private var isStillNamed: Bool {
        var held = stat()
        var named = stat()
        guard fstat(descriptor, &held) == 0, url.path.withCString({ stat($0, &named) }) == 0 else { return false }
        return held.st_ino == named.st_ino && held.st_dev == named.st_dev
    }

    /// Its length.
    var byteCount: ByteSize {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? ByteSize(clamping: status.st_size) : .zero
    }

    /// Cuts or extends it.
    func truncate(to byteCount: Int64) throws {
        guard ftruncate(descriptor, off_t(byteCount)) == 0 else { throw ModelStoreError.system("write", url, errno) }
    }

    /// Writes bytes at a place.
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

    /// Reads bytes that are known to be there.
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

    /// Makes sure that the bytes are on the disk and gives the file its final name, in place of what bore it.
    func publish(as destination: URL, isReadOnly: Bool = false) throws {
        try synchronize()
        if isReadOnly { _ = fchmod(descriptor, 0o444) }
        guard rename(url.path, destination.path) == 0 else { throw ModelStoreError.system("rename", url, errno) }
        Self.synchronizeDirectory(destination.deletingLastPathComponent())
    }

    /// Flushes a directory, in which the names of its files live. Not every file system can.
    static func synchronizeDirectory(_ directory: URL) {
        let descriptor = systemOpen(directory.path, O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return }
        _ = flushToDisk(descriptor)
        close(descriptor)
    }

    /// Removes the file while it is still held.
    func discard() {
        unlink(url.path)
    }
}

// The members above would shadow this.
private func systemOpen(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
    open(path, flags, mode)
}

extension PartialFile {
    /// Copies a file into this one, in place of what it holds, and computes its SHA-256 digest on the way.
    func copy(_ source: URL, progress: (Int64) -> Void) throws -> (byteCount: ByteSize, sha256: String) {
        try truncate(to: 0)
        return try ModelStoreError.storing("read", source) {
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
