// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyFiles
import ParleyTestSupport
import Testing

@Suite("Places of files")
struct FilePlaceTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func path(_ name: String) -> URL { directory.url.appending(path: name, directoryHint: .notDirectory) }

    @Test("a path is a link, none, or the system says why it does not tell")
    func links() throws {
        try Data().write(to: path("file"))
        #expect(symlink("file", path("link").path) == 0)
        #expect(try FilePlace.isLink(path("link")))
        #expect(try !FilePlace.isLink(path("file")))
        #expect(try !FilePlace.isLink(path("none")))
        #expect(try !FilePlace.isLink(path("file/none")))
        let error = #expect(throws: FileError.self) {
            try FilePlace.isLink(path(String(repeating: "x", count: 300)))
        }
        #expect(error?.code == .failed)
    }

    @Test("what cannot be looked at is not replaced as if it were not there")
    func loop() throws {
        let loop = path("loop")
        #expect(symlink(loop.path, loop.path) == 0)
        let error = #expect(throws: FileError.self) { try WholeFile.write(Data("x".utf8), to: loop) }
        #expect(error?.code == .failed)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: loop.path) == loop.path)
        #expect(try directory.listing == ["loop"])
    }

    @Test("moving replaces a file only where that is allowed, and leaves no second name")
    func moving() throws {
        for name in ["a", "b", "folder/a"] {
            try FileManager.default.createDirectory(
                at: path(name).deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(name.utf8).write(to: path(name))
        }
        let error = #expect(throws: FileError.self) {
            try WholeFile.move(path("a"), to: path("folder/a"), replacing: .forbidden)
        }
        #expect(error?.code == .exists)
        #expect(try Data(contentsOf: path("folder/a")) == Data("folder/a".utf8))
        try WholeFile.move(path("a"), to: path("folder/b"), replacing: .forbidden)
        try WholeFile.move(path("b"), to: path("folder/a"))
        #expect(try directory.listing.sorted() == ["folder/a", "folder/b"])
        #expect(try Data(contentsOf: path("folder/a")) == Data("b".utf8))
        #expect(
            #expect(throws: FileError.self) {
                try WholeFile.move(path("none"), to: path("c"), replacing: .forbidden)
            }?.code == .notFound)
    }
}
