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

    @Test("the beginning of a file is told from the whole")
    func beginning() throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let file = directory.url.appending(path: "a.txt")
        try WholeFile.write(Data("four".utf8), to: file)
        for (limit, text) in [(0, ""), (3, "fou"), (4, "four"), (5, "four")] {
            let (data, isWhole) = try WholeFile.beginning(of: file, limit: limit)
            #expect(data == Data(text.utf8) && isWhole == (limit >= 4), "\(limit)")
        }
        for (start, text) in [(0, "four"), (1, "our"), (4, ""), (9, "")] {
            #expect(try WholeFile.contents(of: file, from: start, limit: 4) == Data(text.utf8), "\(start)")
        }
        let pipe = directory.url.appending(path: "pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        #expect(#expect(throws: FileError.self) { try WholeFile.beginning(of: pipe, limit: 3) }?.code == .notRegular)
    }

    @Test("a secret is read from a file that others may not read, or from a pipe where that is allowed")
    func secrets() throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let file = directory.url.appending(path: "key")
        try WholeFile.write(Data("four".utf8), to: file)
        #expect(try WholeFile.secret(in: file, limit: 4) == Data("four".utf8))
        #expect(#expect(throws: FileError.self) { try WholeFile.secret(in: file, limit: 3) }?.code == .tooLarge)
        for mode in [0o640, 0o604, 0o620] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            #expect(#expect(throws: FileError.self) { try WholeFile.secret(in: file, limit: 4) }?.code == .exposed)
        }
        // Nobody could protect the file of another user better, as containers have secrets.
        var foreign = URL(filePath: "/etc/passwd")
        if geteuid() == 0 {
            foreign = file
            #expect(chown(file.path, 65_534, 65_534) == 0)
        }
        #expect(throws: Never.self) { try WholeFile.secret(in: foreign, limit: 1 << 20) }
        let pipe = directory.url.appending(path: "pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        #expect(#expect(throws: FileError.self) { try WholeFile.secret(in: pipe, limit: 4) }?.code == .notRegular)
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
