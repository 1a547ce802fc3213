// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyFiles
import ParleyTestSupport
import Testing

@Suite("AppendedFile")
struct AppendedFileTests {
    @Test("it is its user's alone, grows, and is opened again with all of it or only its beginning")
    func growing() throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let url = directory.url.appending(path: "records")
        let file = try AppendedFile(url)
        #expect(try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int == 0o600)
        for text in ["one\n", "", "two\n"] { try file.append(Data(text.utf8)) }
        #expect(file.count == 8)
        #expect(try AppendedFile(url).count == 8)
        // What a program wrote that ended in the middle of a record is left out.
        let shorter = try AppendedFile(url, keeping: 4)
        #expect(shorter.count == 4)
        try shorter.append(Data("three\n".utf8))
        #expect(try Data(contentsOf: url) == Data("one\nthree\n".utf8))
        #expect(try AppendedFile(url, keeping: 99).count == 10)
    }

    @Test("a link, a folder, a device, a pipe and a file in no folder are refused")
    func refusals() throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let (file, link) = (directory.url.appending(path: "file"), directory.url.appending(path: "link"))
        try WholeFile.write(Data("kept".utf8), to: file)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        let pipe = directory.url.appending(path: "pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        for url in [link, pipe] { #expect(throws: FileError.self, "\(url)") { try AppendedFile(url, keeping: 0) } }
        for url in [directory.url, URL(filePath: "/dev/null")] {
            #expect(#expect(throws: FileError.self) { try AppendedFile(url) }?.code == .notRegular, "\(url)")
        }
        let nowhere = directory.url.appending(path: "none/file")
        #expect(#expect(throws: FileError.self) { try AppendedFile(nowhere) }?.code == .notFound)
        #expect(try Data(contentsOf: file) == Data("kept".utf8))
    }

    @Test("a record for which there is no room leaves nothing behind, and a shorter one can be written")
    func noRoom() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            defer { withExtendedLifetime(directory) {} }
            let url = directory.url.appending(path: "records")
            let file = try AppendedFile(url)
            try file.append(Data("one\n".utf8))
            try limitFileSize(to: 6)
            let error = #expect(throws: FileError.self) { try file.append(Data("two and more\n".utf8)) }
            #expect(error?.code == .noSpace)
            #expect(file.count == 4)
            try file.append(Data("2\n".utf8))
            #expect(try Data(contentsOf: url) == Data("one\n2\n".utf8))
        }
    }
}
