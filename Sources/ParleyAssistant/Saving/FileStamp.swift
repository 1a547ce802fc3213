// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyFiles

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

    /// The state of a file; nil if it certainly is not there.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable` if the system does not say.
    init?(_ url: URL) throws(AssistantError) {
        guard let status = try Self.status(of: url) else { return nil }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        self.init(
            size: Int(status.st_size), seconds: Int(time.tv_sec), nanoseconds: Int(time.tv_nsec),
            number: Int(truncatingIfNeeded: status.st_ino))
    }

    /// When a file was last written or renamed; nil if it certainly is not there.
    ///
    /// - Throws: ``AssistantError`` with code `storeUnavailable` if the system does not say.
    static func changed(_ url: URL) throws(AssistantError) -> Date? {
        guard let status = try status(of: url) else { return nil }
        #if canImport(Darwin)
            let time = status.st_ctimespec
        #else
            let time = status.st_ctim
        #endif
        return Date(timeIntervalSince1970: Double(time.tv_sec))
    }

    private static func status(of url: URL) throws(AssistantError) -> stat? {
        do {
            return try FilePlace.status(of: url)
        } catch {
            throw AssistantError(.storeUnavailable, error.message, cause: error)
        }
    }
}
