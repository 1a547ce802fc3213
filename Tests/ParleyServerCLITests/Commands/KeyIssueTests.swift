// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyCommandLine
import ParleyServer
import ParleyServerCLI
import ParleyTestSupport
import Testing

@Suite("Keys that are given out")
struct KeyIssueTests {
    @Test("A key whose secret cannot be written is not added, and its name stays free.")
    func lostSecret() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appending(path: "server/keys.json")
            let (key, secret) = AccessKey.make(name: "phone", scopes: [.api])
            // It is open for reading alone.
            let closed = try #require(FileHandle(forReadingAtPath: "/dev/null"))
            let error = await #expect(throws: CommandError.self) {
                try await KeyIssue.add(key, secret, to: file, telling: closed)
            }
            #expect(error?.message.hasSuffix("The key was not added.") == true)
            #expect(try KeyRing(reading: file).keys.isEmpty)
            let pipe = Pipe()
            try await KeyIssue.add(key, secret, to: file, telling: pipe.fileHandleForWriting)
            #expect(pipe.fileHandleForReading.availableData == Data((secret + "\n").utf8))
            #expect(try KeyRing(reading: file).keys == [key])
        }
    }

    @Test("A secret of a key that cannot be added is not written.")
    func taken() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appending(path: "keys.json")
            let (key, secret) = AccessKey.make(name: "phone", scopes: [.api])
            let pipe = Pipe()
            try await KeyRing.change(in: file) { try $0.add(key) }
            await #expect(throws: ServerError.self) {
                try await KeyIssue.add(key, secret, to: file, telling: pipe.fileHandleForWriting)
            }
            try pipe.fileHandleForWriting.close()
            #expect(pipe.fileHandleForReading.availableData.isEmpty)
        }
    }
}
