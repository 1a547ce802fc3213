// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModels
import ParleyTestSupport
import Testing

@Suite("Names of a model's files")
struct ModelFileNameTests {
    @Test(
        "a manifest with a bad name writes nothing",
        arguments: [
            "", ".", "..", "../x", "a/b", "/etc/passwd", "a\\b", "a\0b", "a\nb", ".hidden", "nul", "manifest.json",
            "Manifest.JSON", "manife\u{17f}t.json",
        ])
    func manifest(name: String) async throws {
        let directory = try TemporaryDirectory()
        let inner = directory.url.appending(path: "store")
        let store = ModelStore(directory: inner, client: ScriptedClient(.sends(Data("x".utf8))))
        let source = ModelSource.web(try #require(URL(string: "https://example.com/x")))
        let manifest = ModelManifest(
            name: "evil", origin: "evil", files: [ManifestFile(name: name, sources: [source])])
        let error = await #expect(throws: ModelStoreError.self) { try await store.install(manifest) }
        #expect(error?.code == .invalidManifest)
        #expect(try directory.listing == [])
    }

    @Test("names that differ only in how their characters are composed are one model's")
    func composition() async throws {
        let file = ServedFile.model()
        let store = ModelStore(directory: try TemporaryDirectory().url, client: ScriptedClient(.sends(file.contents)))
        let source = try #require(URL(string: "https://example.com/x"))
        let model = try await store.install(file.manifest(source, name: "caf\u{E9}"))
        let twin = try await store.install(file.manifest(source, name: "CAFE\u{301}"))
        #expect(twin.directory == model.directory)
        #expect(store.list().count == 1)
        #expect(store.model(named: "cafe\u{301}") != nil)
    }

    @Test(
        "a model's name always gives one directory in the store", arguments: ["../../x", "/", "..", "a/b:Q4_K_M", "\0"])
    func modelName(name: String) async throws {
        let directory = try TemporaryDirectory()
        let inner = directory.url.appending(path: "a/b/store")
        let file = ServedFile.model()
        let store = ModelStore(directory: inner, client: ScriptedClient(.sends(file.contents)))
        let source = try #require(URL(string: "https://example.com/x"))
        let model = try await store.install(file.manifest(source, name: name))
        #expect(model.directory.deletingLastPathComponent().path == inner.appending(path: "entries").path)
        #expect(try directory.listing.allSatisfy { $0.hasPrefix("a/b/store/") })
        #expect(store.model(named: name)?.name == name)
    }
}
