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

    @Test("a link that leads nowhere stays: what it led to may be on a disk that is not there now")
    func nowhere() throws {
        let link = path("link")
        #expect(symlink("disk/file", link.path) == 0)
        let error = #expect(throws: FileError.self) { try WholeFile.write(Data("x".utf8), to: link) }
        #expect(error?.code == .notFound)
        #expect(error?.message.hasSuffix("is a link that leads nowhere.") == true)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == "disk/file")
        try FilePlace.create(path("disk"))
        try WholeFile.write(Data("x".utf8), to: path("disk/file"))
        try WholeFile.write(Data("y".utf8), to: link)
        #expect(try Data(contentsOf: path("disk/file")) == Data("y".utf8))
    }

    @Test("a folder is created with those above it, and the system's reason is told where it cannot be")
    func folders() throws {
        for _ in 1...2 { try FilePlace.create(path("a/b/c"), mode: 0o700) }
        #expect(try FilePlace.kind(of: path("a/b/c")) == .folder)
        #expect(try FileManager.default.attributesOfItem(atPath: path("a").path)[.posixPermissions] as? Int == 0o700)
        try Data().write(to: path("file"))
        for name in ["file", "file/folder", "\(String(repeating: "x", count: 300))/folder"] {
            let error = #expect(throws: FileError.self) { try FilePlace.create(path(name)) }
            #expect(error?.message.hasPrefix("Cannot create \(path(name).path)") == true, "\(name)")
        }
        // The file is named, and not the temporary one.
        let error = #expect(throws: FileError.self) { try UnfinishedFile(for: path("none/file")) }
        #expect(error?.message.hasPrefix("Cannot create \(path("none/file").path): ") == true)
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
