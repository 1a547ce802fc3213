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

/// What the system tells of files.
enum RegularFile {
    /// The room that a file takes on the disk, which is less than its length where parts of it have not come; 0 for none.
    static func allocatedSize(of url: URL) -> ByteSize {
        var status = stat()
        guard stat(url.path, &status) == 0 else { return .zero }
        return ByteSize(clamping: status.st_blocks) * 512
    }

    /// The size of a regular file, or of one that a link leads to; nil for anything else.
    static func size(of url: URL) -> ByteSize? {
        var status = stat()
        guard stat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return ByteSize(exactly: status.st_size)
    }

    /// What a regular file holds; nil where it cannot be read, and where it has more than so many bytes.
    static func contents(of url: URL, limit: Int) -> Data? {
        // Files of the store may be damaged, or be no files of it any more.
        guard let size = size(of: url), size.count <= limit, let handle = try? FileHandle(forReadingFrom: url) else {
            return nil
        }
        defer { try? handle.close() }
        guard let data = try? handle.read(upToCount: size.count + 1) ?? Data(), data.count == size.count else {
            return nil
        }
        return data
    }

    /// The size of a regular file; nil for anything else, also a link.
    static func ownSize(of url: URL) -> ByteSize? {
        var status = stat()
        guard lstat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return ByteSize(exactly: status.st_size)
    }
}

extension PartialFile {
    /// The room that it takes on the disk.
    var allocatedByteCount: ByteSize { RegularFile.allocatedSize(of: url) }
}
