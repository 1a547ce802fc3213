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
