// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyActions
import ParleyAssistant
import ParleyTestSupport
import Testing

@Suite("FolderStore")
struct FolderStoreTests {
    private let directory: TemporaryDirectory
    private let store: FolderStore

    init() throws {
        directory = try TemporaryDirectory()
        store = FolderStore(
            name: "notes", folder: directory.url.appending(path: "vault"), suffix: "md", depth: 2, limit: 1000)
    }

    private func item(_ path: String, _ text: String) -> StoreItem {
        StoreItem(id: store.id(path), content: Data(text.utf8))
    }

    @Test("items are created, changed and deleted, and each inverse restores the bytes")
    func changes() async throws {
        let first = item("a/x.md", "one")
        try await store.apply(Change(before: nil, after: first))
        #expect(try store.item(first.id) == first)
        let update = Change(before: first, after: item("a/x.md", "two"))
        try await store.apply(update)
        try await store.apply(update.inverse)
        #expect(try store.item(first.id) == first)
        let deletion = Change(before: first, after: nil)
        try await store.apply(deletion)
        #expect(try store.item(first.id) == nil)
        #expect(try store.paths() == [])
        try await store.apply(deletion.inverse)
        #expect(try store.paths() == ["a/x.md"])
    }

    @Test("a suffix in capitals is one too, and the name stays")
    func capitals() async throws {
        let file = store.folder.appending(path: "CARDS.MD")
        try FileManager.default.createDirectory(at: store.folder, withIntermediateDirectories: true)
        try Data("one".utf8).write(to: file)
        let first = item("CARDS.MD", "one")
        #expect(try store.paths() == ["CARDS.MD"])
        #expect(try store.item(first.id) == first)
        try await store.apply(Change(before: first, after: item("CARDS.MD", "two")))
        #expect(try Data(contentsOf: file) == Data("two".utf8))
    }

    @Test("what another program wrote meanwhile is not lost")
    func conflicts() async throws {
        let first = item("x.md", "one")
        try await store.apply(Change(before: nil, after: first))
        try Data("theirs".utf8).write(to: store.file(first.id))
        for change in [
            Change(before: first, after: item("x.md", "mine")), Change(before: first, after: nil),
            Change(before: nil, after: item("x.md", "mine")),
        ] {
            let error = await #expect(throws: AssistantError.self) { try await store.apply(change) }
            #expect(error?.code == .itemChanged)
        }
        #expect(try store.item(first.id)?.content == Data("theirs".utf8))
        try FileManager.default.removeItem(at: store.file(first.id))
        let error = await #expect(throws: AssistantError.self) {
            try await store.apply(Change(before: first, after: item("x.md", "mine")))
        }
        #expect(error?.code == .itemNotFound)
    }

    @Test(
        "a path that leads out of the folder is refused",
        arguments: ["../x.md", "/x.md", "a/../../x.md", ".x.md", "a//x.md", "a/b/c.md", "x.txt", "", "x\0.md"])
    func paths(path: String) async throws {
        let error = await #expect(throws: AssistantError.self) {
            try await store.apply(Change(before: nil, after: item(path, "x")))
        }
        #expect(error?.code == .invalidInput)
    }

    @Test("a link out of the folder is neither read nor written")
    func links() async throws {
        let outside = directory.url.appending(path: "outside.md")
        try Data("secret".utf8).write(to: outside)
        try FileManager.default.createDirectory(at: store.folder, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            at: store.folder.appending(path: "x.md"), withDestinationURL: outside)
        #expect(throws: AssistantError.self) { try store.item(store.id("x.md")) }
        await #expect(throws: AssistantError.self) {
            try await store.apply(Change(before: item("x.md", "secret"), after: item("x.md", "mine")))
        }
        #expect(try Data(contentsOf: outside) == Data("secret".utf8))
    }

    @Test("nothing is written through a folder that is a link out of the folder, also where no file is there yet")
    func linkedFolders() async throws {
        let outside = directory.url.appending(path: "outside", directoryHint: .isDirectory)
        for folder in [outside, store.folder] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        try Data("theirs".utf8).write(to: outside.appending(path: "y.md"))
        try FileManager.default.createSymbolicLink(
            at: store.folder.appending(path: "a"), withDestinationURL: outside)
        try FileManager.default.createSymbolicLink(
            at: store.folder.appending(path: "gone.md"), withDestinationURL: outside.appending(path: "none"))
        for path in ["a/x.md", "a/y.md", "gone.md"] {
            let error = await #expect(throws: AssistantError.self) {
                try await store.apply(Change(before: nil, after: item(path, "x")))
            }
            #expect(error?.code == .refused)
        }
        #expect(try store.paths() == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside.path) == ["y.md"])
    }

    @Test("a folder whose own path has links in it is used as any other")
    func linkedRoot() async throws {
        let real = directory.url.appending(path: "real", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: real, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(at: store.folder, withDestinationURL: real)
        try await store.apply(Change(before: nil, after: item("a/x.md", "x")))
        #expect(try store.paths() == ["a/x.md"])
        #expect(try Data(contentsOf: real.appending(path: "a/x.md")) == Data("x".utf8))
    }

    @Test("a folder that cannot be looked at is not an empty one")
    func unreadable() async throws {
        #expect(try store.paths() == [])
        let file = directory.url.appending(path: "file")
        try Data().write(to: file)
        let wrong = FolderStore(name: "notes", folder: file, suffix: "md", depth: 1)
        #expect(#expect(throws: AssistantError.self) { try wrong.paths() }?.code == .storeUnavailable)
        let long = directory.url.appending(path: String(repeating: "x", count: 300))
        let store = FolderStore(name: "notes", folder: long, suffix: "md", depth: 1)
        #expect(#expect(throws: AssistantError.self) { try store.paths() }?.code == .storeUnavailable)
        #expect(
            #expect(throws: AssistantError.self) { try store.item(store.id("x.md")) }?.code == .storeUnavailable)
    }

    @Test(
        "a name that another system would take for one that is there is refused", arguments: ["X.md", "caf\u{E9}.md"])
    func twins(path: String) async throws {
        for name in ["x.md", "cafe\u{301}.md"] { try await store.apply(Change(before: nil, after: item(name, "x"))) }
        let error = await #expect(throws: AssistantError.self) {
            try await store.apply(Change(before: nil, after: item(path, "y")))
        }
        #expect([.invalidInput, .itemChanged].contains(error?.code))
        #expect(try store.paths().count == 2)
    }

    @Test("names as long as the file system allows are written")
    func longNames() async throws {
        let path = String(repeating: "\u{4E2D}", count: 84) + ".md"
        try await store.apply(Change(before: nil, after: item(path, "x")))
        #expect(try store.paths() == [path])
    }

    @Test("a folder with more files than may be looked at is an error, without reading all names")
    func huge() throws {
        let store = FolderStore(name: "notes", folder: store.folder, suffix: "md", depth: 1, most: 3)
        try FileManager.default.createDirectory(at: store.folder, withIntermediateDirectories: true)
        for number in 0..<4 { try Data().write(to: store.folder.appending(path: "\(number).txt")) }
        #expect(#expect(throws: AssistantError.self) { try store.paths() }?.code == .tooLarge)
    }

    @Test("no temporary file stays, and a file that is too large is refused")
    func remains() async throws {
        try await store.apply(Change(before: nil, after: item("x.md", "one")))
        await #expect(throws: AssistantError.self) {
            try await store.apply(
                Change(before: nil, after: item("y.md", String(repeating: "y", count: 1001))))
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: store.folder.path).sorted()
        #expect(names == [".parley.lock", "x.md"])
    }
}
