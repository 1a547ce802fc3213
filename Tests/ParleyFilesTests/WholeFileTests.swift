// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyFiles
import ParleyTestSupport
import Testing

@Suite("WholeFile")
struct WholeFileTests {
    @Test("a file is written whole, keeps its permissions, and is replaced only if that is allowed")
    func writing() throws {
        let directory = try TemporaryDirectory()
        let file = directory.url.appending(path: "a.txt")
        try WholeFile.write(Data("one".utf8), to: file, replacing: .forbidden)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
        let error = #expect(throws: FileError.self) {
            try WholeFile.write(Data("two".utf8), to: file, replacing: .forbidden)
        }
        #expect(error?.code == .exists)
        #expect(try WholeFile.contents(of: file, limit: 3) == Data("one".utf8))
        try WholeFile.write(Data("three".utf8), to: file)
        #expect(try WholeFile.contents(of: file, limit: 5) == Data("three".utf8))
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o640)
        #expect(try directory.listing == ["a.txt"])
    }

    @Test("what is no file is not replaced, and a file under a temporary name replaces none where that is forbidden")
    func publishing() throws {
        let directory = try TemporaryDirectory()
        let pipe = directory.url.appending(path: "pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        #expect(
            #expect(throws: FileError.self) { try WholeFile.write(Data("x".utf8), to: pipe) }?.code == .notRegular)
        let (temporary, file) = (directory.url.appending(path: "t"), directory.url.appending(path: "f"))
        for url in [temporary, file] { try WholeFile.write(Data(url.lastPathComponent.utf8), to: url) }
        let error = #expect(throws: FileError.self) {
            try WholeFile.publish(temporary, as: file, replacing: .forbidden)
        }
        #expect(error?.code == .exists)
        try WholeFile.publish(temporary, as: file)
        #expect(try WholeFile.contents(of: file, limit: 1) == Data("t".utf8))
        #expect(try directory.listing.sorted() == ["f", "pipe"])
    }

    @Test("reading is bounded, and what is no file is refused without waiting")
    func reading() throws {
        let directory = try TemporaryDirectory()
        let file = directory.url.appending(path: "a.txt")
        try WholeFile.write(Data("four".utf8), to: file)
        #expect(throws: FileError.self) { try WholeFile.contents(of: file, limit: 3) }
        #expect(
            #expect(throws: FileError.self) { try WholeFile.contents(of: directory.url, limit: 3) }?.code == .notRegular
        )
        let pipe = directory.url.appending(path: "pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        #expect(#expect(throws: FileError.self) { try WholeFile.contents(of: pipe, limit: 3) }?.code == .notRegular)
        let missing = directory.url.appending(path: "none")
        #expect(#expect(throws: FileError.self) { try WholeFile.contents(of: missing, limit: 3) }?.code == .notFound)
    }
}
