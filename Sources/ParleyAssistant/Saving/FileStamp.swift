// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The state of a file: another one has been written if it differs.
struct FileStamp: Hashable {
    var size: Int
    var seconds: Int
    var nanoseconds: Int
    /// The number of the file in its file system; a file that replaces another one has another number.
    var number: Int

    init(size: Int, seconds: Int, nanoseconds: Int, number: Int) {
        (self.size, self.seconds, self.nanoseconds, self.number) = (size, seconds, nanoseconds, number)
    }

    /// The state of a file; nil if it is not there.
    init?(_ url: URL) {
        var status = stat()
        guard stat(url.path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        self.init(
            size: Int(status.st_size), seconds: Int(time.tv_sec), nanoseconds: Int(time.tv_nsec),
            number: Int(truncatingIfNeeded: status.st_ino))
    }

    /// When a file was last written or renamed; nil if it is not there.
    static func changed(_ url: URL) -> Date? {
        var status = stat()
        guard stat(url.path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            let time = status.st_ctimespec
        #else
            let time = status.st_ctim
        #endif
        return Date(timeIntervalSince1970: Double(time.tv_sec))
    }
}
