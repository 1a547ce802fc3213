// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyFiles
import ParleyTestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("Locks of files")
struct FileLockTests {
    @Test("a lock is exclusive or shared, and ends with its value")
    func kinds() throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let file = directory.url.appending(path: "lock")
        do {
            let lock = try #require(try FileLock.take(.exclusive, at: file))
            #expect(try FileLock.take(.shared, at: file) == nil)
            withExtendedLifetime(lock) {}
        }
        let (one, other) = (try FileLock.take(.shared, at: file), try FileLock.take(.shared, at: file))
        #expect(one != nil && other != nil)
        #expect(try FileLock.take(.exclusive, at: file) == nil)
        withExtendedLifetime((one, other)) {}
    }

    // There the system lets nobody make a file, whoever the user is.
    @Test(
        "a lock whose file may not be made is refused for that reason, not because there is none",
        .enabled(if: FileManager.default.fileExists(atPath: "/sys/kernel")))
    func refusal() {
        let error = #expect(throws: FileError.self) {
            try FileLock.take(.exclusive, at: URL(filePath: "/sys/parley.lock"))
        }
        #expect(error?.code == .failed)
    }

    @Test("a lock ends with its value also where a child that is being started has a copy of its descriptor")
    func copies() throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let file = directory.url.appending(path: "lock")
        var copies: [Int32] = []
        defer { for copy in copies { close(copy) } }
        do {
            let lock = try #require(try FileLock.take(.exclusive, at: file))
            copies = openDescriptors(of: file).map { dup($0) }
            withExtendedLifetime(lock) {}
        }
        #expect(copies.count == 1)
        #expect(try FileLock.take(.exclusive, at: file) != nil)
    }
}
