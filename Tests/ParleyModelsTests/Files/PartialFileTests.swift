// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModels
import ParleyTestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("Files that are being fetched")
struct PartialFileTests {
    @Test("one is free again with its value, also where a child that is being started has a copy of its descriptor")
    func copies() throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let url = directory.url.appending(path: "model.partial")
        var copies: [Int32] = []
        defer { for copy in copies { close(copy) } }
        do {
            let file = try #require(try PartialFile.claim(at: url))
            #expect(try PartialFile.claim(at: url) == nil)
            copies = openDescriptors(of: url).map { dup($0) }
            withExtendedLifetime(file) {}
        }
        #expect(copies.count == 1)
        #expect(try PartialFile.claim(at: url) != nil)
    }
}
