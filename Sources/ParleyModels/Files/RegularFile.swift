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

/// Sizes of regular files.
enum RegularFile {
    /// The space that a file takes up on the disk, which is less than its length for a sparse file; 0 where there is
    /// none.
    static func allocatedSize(of url: URL) -> ByteSize {
        var status = stat()
        guard stat(url.path, &status) == 0 else { return .zero }
        return ByteSize(clamping: status.st_blocks) * 512
    }

    /// The space that a file, or a directory with all that is in it, takes up on the disk. Links are not followed.
    static func allocatedSize(ofTree url: URL) -> ByteSize {
        var status = stat()
        guard lstat(url.path, &status) == 0 else { return .zero }
        let own = ByteSize(clamping: status.st_blocks) * 512
        guard status.st_mode & S_IFMT == S_IFDIR else { return own }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        return names.reduce(own) { $0 + allocatedSize(ofTree: url.appending(path: $1)) }
    }

    /// The size of a regular file, following links; nil for anything else.
    static func size(of url: URL) -> ByteSize? {
        var status = stat()
        guard stat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return ByteSize(exactly: status.st_size)
    }

    /// The size of a regular file, without following links; nil for anything else.
    static func ownSize(of url: URL) -> ByteSize? {
        var status = stat()
        guard lstat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return ByteSize(exactly: status.st_size)
    }
}

extension PartialFile {
    /// The space that the file takes up on the disk.
    var allocatedByteCount: ByteSize { RegularFile.allocatedSize(of: url) }
}
