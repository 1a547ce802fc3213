// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file that is being made, held by one process at a time.
///
/// Who holds the advisory lock on it owns it: others wait, and what a killed process left is taken over. It becomes the
/// finished file by being renamed, or it is removed; the lock ends with the process at the latest.
final class PartialFile: Sendable {
    /// Where it is written.
    let url: URL
    private let descriptor: Int32

    private init(url: URL, descriptor: Int32) {
        self.url = url
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Opens the file empty, or returns nil where another process holds it.
    static func open(at url: URL) throws -> PartialFile? {
        let descriptor = url.path.withCString { systemOpen($0, O_RDWR | O_CREAT | O_CLOEXEC, 0o644) }
        guard descriptor >= 0 else { throw ModelStoreError.system("create", url, errno) }
        let file = PartialFile(url: url, descriptor: descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            if errno == EWOULDBLOCK || errno == EINTR { return nil }
            throw ModelStoreError.system("lock", url, errno)
        }
        // Between opening and locking, the last holder may have published or removed it.
        guard file.isStillNamed else { return nil }
        try file.empty()
        return file
    }

    private var isStillNamed: Bool {
        var held = stat()
        var named = stat()
        guard fstat(descriptor, &held) == 0, url.path.withCString({ stat($0, &named) }) == 0 else { return false }
        return held.st_ino == named.st_ino && held.st_dev == named.st_dev
    }

    /// Throws away what was written.
    func empty() throws {
        guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw ModelStoreError.system("write", url, errno)
        }
    }

    /// Appends bytes.
    func write(_ data: Data) throws {
        try data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = UnsafeRawBufferPointer(rebasing: rest).withMemoryRebound(to: UInt8.self) {
                    systemWrite(descriptor, $0.baseAddress, $0.count)
                }
                if count < 0 {
                    if errno == EINTR { continue }
                    throw ModelStoreError.system("write", url, errno)
                }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Makes sure that the bytes are on the disk and gives the file its final name, in place of what bore it.
    func publish(as destination: URL) throws {
        guard fsync(descriptor) == 0 else { throw ModelStoreError.system("write", url, errno) }
        guard rename(url.path, destination.path) == 0 else { throw ModelStoreError.system("rename", url, errno) }
        // The new name itself lives in the directory, which is flushed apart. Not every file system can.
        let directory = systemOpen(destination.deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC, 0)
        if directory >= 0 {
            _ = fsync(directory)
            close(directory)
        }
    }

    /// Removes the file while it is still held.
    func discard() {
        unlink(url.path)
    }
}

// The members and initialisers above would shadow these.
private func systemOpen(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
    open(path, flags, mode)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

extension ModelStoreError {
    /// An error of the operating system while doing something with a file.
    static func system(_ action: String, _ url: URL, _ number: Int32) -> ModelStoreError {
        if number == ENOSPC || number == EDQUOT {
            return ModelStoreError(
                code: .diskFull,
                message: "The disk is full: \(url.deletingLastPathComponent().path) has no room left. Free some space, "
                    + "or set PARLEY_HOME to a directory on another disk.")
        }
        return ModelStoreError(
            code: .storageFailed,
            message: "Cannot \(action) \(url.path): \(String(cString: strerror(number))). Check the directory's "
                + "permissions, or set PARLEY_HOME to one that can be written.")
    }
}
