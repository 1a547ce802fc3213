// SPDX-License-Identifier: Apache-2.0

package import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Reads and writes files as wholes: what was there stays until the new content is complete and on the disk.
package enum WholeFile {
    /// Whether a file that is there already may be replaced.
    package enum Replacing: Sendable {
        case allowed, forbidden
    }

    /// The contents of a regular file; links are followed.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - start: the number of bytes at its beginning that are not wanted.
    ///   - limit: the largest number of bytes that it may have.
    /// - Returns: all bytes of the file, or those behind its beginning; none if it is shorter.
    /// - Throws: ``FileError`` with code `notFound`, `notRegular`, `tooLarge` or `failed`.
    package static func contents(of url: URL, from start: Int = 0, limit: Int) throws(FileError) -> Data {
        try reading(url) { descriptor, status throws(FileError) in
            if start > 0, lseek(descriptor, off_t(start), SEEK_SET) < 0 { throw FileError("read", url, errno) }
            return try whole(descriptor, url, size: Int(status.st_size), from: start, limit: limit)
        }
    }

    /// The contents of a file that has a secret, which nobody but its user may read or change; links are followed.
    ///
    /// Files that the user cannot change are read as they are: those of somebody else, and those of file systems that are
    /// read-only, as containers have secrets.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - limit: the largest number of bytes that it may have.
    ///   - orPipe: whether it may be a pipe or a device too, such as `/dev/fd/3`, whose writer is waited for.
    /// - Returns: all bytes of the file.
    /// - Throws: ``FileError`` with code `exposed`, `notFound`, `notRegular`, `tooLarge` or `failed`.
    package static func secret(in url: URL, limit: Int, orPipe: Bool = false) throws(FileError) -> Data {
        try reading(url, orPipe: orPipe) { descriptor, status throws(FileError) in
            let isFile = status.st_mode & S_IFMT == S_IFREG
            guard !isFile || status.st_mode & 0o077 == 0 || !canProtect(descriptor, status) else {
                throw FileError(.exposed, "Others may read \(url.path); 'chmod 600' it.")
            }
            return try whole(descriptor, url, size: isFile ? Int(status.st_size) : 0, from: 0, limit: limit)
        }
    }

    /// Whether the user of this process can decide who may read a file.
    private static func canProtect(_ descriptor: Int32, _ status: stat) -> Bool {
        var system = statvfs()
        let isReadOnly = fstatvfs(descriptor, &system) == 0 && system.f_flag & UInt(ST_RDONLY) != 0
        return status.st_uid == geteuid() && !isReadOnly
    }

    /// The beginning of a regular file; links are followed.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - limit: the largest number of bytes to read.
    /// - Returns: the first bytes, and whether the file has no more.
    /// - Throws: ``FileError`` with code `notFound`, `notRegular` or `failed`.
    package static func beginning(of url: URL, limit: Int) throws(FileError) -> (data: Data, isWhole: Bool) {
        try reading(url) { descriptor, status throws(FileError) in
            let data = try bytes(of: descriptor, url, expected: Int(status.st_size), limit: limit + 1)
            return (data.prefix(limit), data.count <= limit)
        }
    }

    /// Opens a regular file to read it, or a pipe or device too.
    private static func reading<Result>(
        _ url: URL, orPipe: Bool = false, _ body: (_ descriptor: Int32, _ status: stat) throws(FileError) -> Result
    ) throws(FileError) -> Result {
        // Not blocking: opening a named pipe would wait for its writer.
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | (orPipe ? 0 : O_NONBLOCK))
        guard descriptor >= 0 else { throw FileError("open", url, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileError("read", url, errno) }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG || orPipe && kind != S_IFDIR else {
            throw FileError(.notRegular, "Cannot read \(url.path): it is not a file.")
        }
        return try body(descriptor, status)
    }

    /// Reads to the end of a file that has at most `limit` bytes, those before `start` among them.
    private static func whole(
        _ descriptor: Int32, _ url: URL, size: Int, from start: Int, limit: Int
    ) throws(FileError) -> Data {
        let excess = FileError(.tooLarge, "Cannot read \(url.path): it has more than \(limit) bytes.")
        guard size <= limit else { throw excess }
        let rest = max(limit - start, 0)
        let data = try bytes(of: descriptor, url, expected: size - start, limit: rest + 1)
        guard data.count <= rest else { throw excess }
        return data
    }

    /// Reads to the end of a file, or so many bytes. The file may grow while it is read, so the expected number of bytes is
    /// only a first guess.
    private static func bytes(
        of descriptor: Int32, _ url: URL, expected: Int, limit: Int
    ) throws(FileError) -> Data {
        let size = min(max(expected, 0), limit)
        var data = Data()
        data.reserveCapacity(size)
        var piece = [UInt8](repeating: 0, count: min(max(size, 1), 1 << 18))
        while data.count < limit {
            let count = read(descriptor, &piece, min(piece.count, limit - data.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileError("read", url, errno) }
            if count == 0 { break }
            data.append(contentsOf: piece[..<count])
        }
        return data
    }

    /// Writes a file: under a temporary name beside it, flushed to the disk, then renamed.
    ///
    /// A replaced file keeps its permissions; a new one is readable by the user alone unless `mode` says otherwise.
    /// The temporary name begins with a dot and ends in `.tmp`, which programs that share such folders ignore.
    ///
    /// - Parameters:
    ///   - data: the whole content.
    ///   - url: the file; if it is a link, what it leads to is replaced. A link that leads nowhere stays: its file may be
    ///     on a disk that is not there now.
    ///   - replacing: whether a file that is there already may be replaced.
    ///   - mode: the permissions of a new file.
    /// - Throws: ``FileError`` with code `exists`, `notFound` (the directory, or where a link leads), `notRegular` or
    ///   `failed`.
    package static func write(
        _ data: Data, to url: URL, replacing: Replacing = .allowed, mode: mode_t = 0o600
    ) throws(FileError) {
        let target = replacing == .allowed ? try FilePlace.real(url) : url
        let earlier = try FilePlace.status(of: target)
        // A device or a pipe would be replaced by a file of its name.
        guard earlier.map({ $0.st_mode & S_IFMT == S_IFREG }) ?? true || replacing == .forbidden else {
            throw FileError(.notRegular, "Cannot write \(target.path): it is not a file.")
        }
        let file = try UnfinishedFile(for: target)
        try file.append(data)
        try file.publish(mode: earlier.map { $0.st_mode & 0o7777 } ?? mode, replacing: replacing)
    }

    /// Gives a complete file, which is on the disk already, its final name in the same directory.
    ///
    /// - Parameters:
    ///   - temporary: the file under its temporary name, which it keeps if this fails.
    ///   - target: its final name.
    ///   - replacing: whether a file that is there already may be replaced.
    /// - Throws: ``FileError`` with code `exists` or `failed`.
    package static func publish(
        _ temporary: URL, as target: URL, replacing: Replacing = .allowed
    ) throws(FileError) {
        switch replacing {
        case .allowed:
            guard rename(temporary.path, target.path) == 0 else { throw FileError("rename", target, errno) }
        case .forbidden:
            // A second name fails where there is a file; renaming would replace it.
            if link(temporary.path, target.path) == 0 {
                unlink(temporary.path)
                break
            }
            // Not every file system has second names. The name is then taken by an empty file, which is replaced.
            guard [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno) else {
                throw FileError("create", target, errno)
            }
            let placeholder = open(target.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard placeholder >= 0 else { throw FileError("create", target, errno) }
            close(placeholder)
            guard rename(temporary.path, target.path) == 0 else {
                let error = FileError("rename", target, errno)
                unlink(target.path)
                throw error
            }
        }
        flushDirectory(target.deletingLastPathComponent())
    }

    /// Gives a file another name in the same file system.
    ///
    /// - Parameters:
    ///   - url: the file, which keeps its name if this fails.
    ///   - target: its new name.
    ///   - replacing: whether a file that has the name already may be replaced.
    /// - Throws: ``FileError`` with code `exists`, `notFound` or `failed`.
    package static func move(_ url: URL, to target: URL, replacing: Replacing = .allowed) throws(FileError) {
        try publish(url, as: target, replacing: replacing)
        let folder = url.deletingLastPathComponent()
        if folder != target.deletingLastPathComponent() { flushDirectory(folder) }
    }

    /// Removes a file.
    ///
    /// - Throws: ``FileError`` with code `notFound` or `failed`.
    package static func remove(_ url: URL) throws(FileError) {
        guard unlink(url.path) == 0 else { throw FileError("remove", url, errno) }
        flushDirectory(url.deletingLastPathComponent())
    }

    /// Flushes a directory, so that files created, renamed or removed in it stay so after a power failure. Not every
    /// file system supports it.
    package static func flushDirectory(_ directory: URL) {
        let descriptor = open(directory.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = flushToDisk(descriptor)
        close(descriptor)
    }
}
