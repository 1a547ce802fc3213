// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModels
import ParleySystem
import ParleyTestSupport
import Testing

@Suite("ModelStore: listing")
struct ModelStoreListTests {
    private func store(_ names: [String]) async throws -> (ModelStore, TemporaryDirectory) {
        let directory = try TemporaryDirectory()
        let file = ServedFile.model()
        let store = ModelStore(directory: directory.url, client: ScriptedClient(.sends(file.contents)))
        let source = try #require(URL(string: "https://example.com/tiny.gguf"))
        for name in names { try await store.install(file.manifest(source, name: name)) }
        return (store, directory)
    }

    @Test("models are listed by name, with their size and their last use")
    func list() async throws {
        let (store, directory) = try await store(["b", "a"])
        store.markUsed("b", at: Date(timeIntervalSince1970: 2_000_000_000))
        let models = store.list()
        #expect(models.map(\.name) == ["a", "b"])
        #expect(models.last?.lastUsed == Date(timeIntervalSince1970: 2_000_000_000))
        #expect(models.first?.byteCount == ByteSize(clamping: ServedFile.model().contents.count))
        #expect(models.first?.directory == directory.url.appending(path: "entries/a", directoryHint: .isDirectory))
    }

    @Test("two names share one file")
    func sharing() async throws {
        let (store, directory) = try await store(["a", "b"])
        #expect(try directory.listing.filter { $0.hasPrefix("blobs/") }.count == 1)
        #expect(try store.find("A") != nil)
    }

    @Test("a damaged or missing index is rebuilt from the models", arguments: [true, false])
    func index(isDamaged: Bool) async throws {
        let (store, directory) = try await store(["a", "b"])
        store.markUsed("a")
        let index = directory.url.appending(path: "index.json")
        if isDamaged {
            try Data("{\"version\": 1, \"lastU".utf8).write(to: index)
        } else {
            try FileManager.default.removeItem(at: index)
        }
        #expect(store.list().map(\.name) == ["a", "b"])
        store.markUsed("b", at: Date(timeIntervalSince1970: 2_000_000_000))
        let text = try String(contentsOf: index, encoding: .utf8)
        #expect(text.contains("\"a\"") && text.contains("2033-05-18"))
    }

    @Test("a model with a damaged manifest is not listed, and can be installed again", arguments: ["", "{}", "[1]"])
    func damagedManifest(text: String) async throws {
        let (store, directory) = try await store(["a"])
        let manifest = directory.url.appending(path: "entries/a/manifest.json")
        try Data(text.utf8).write(to: manifest)
        #expect(store.list().isEmpty)
        let source = try #require(URL(string: "https://example.com/tiny.gguf"))
        try await store.install(ServedFile.model().manifest(source, name: "a"))
        #expect(store.list().map(\.name) == ["a"])
    }

    @Test("a store whose place cannot be read is not taken for an empty one")
    func unreadable() throws {
        let directory = try TemporaryDirectory()
        let file = directory.url.appending(path: "file")
        try Data().write(to: file)
        let store = ModelStore(directory: file.appending(path: "models"))
        #expect(throws: ModelStoreError.self) { try store.checkReadable() }
        #expect(throws: ModelStoreError.self) { try store.collectGarbage() }
        try ModelStore(directory: directory.url.appending(path: "none")).checkReadable()
    }
}
