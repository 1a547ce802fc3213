// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyModelFile
import ParleyModels
import ParleySystem
import ParleyTestSupport
import ParleyTesting
import Testing

@Suite("ModelStore: installing files")
struct ModelStoreInstallFileTests {
    private let outside: TemporaryDirectory
    private let inside: TemporaryDirectory
    private let store: ModelStore
    private let file = ServedFile.model()

    init() throws {
        outside = try TemporaryDirectory()
        inside = try TemporaryDirectory()
        store = ModelStore(directory: inside.url)
        try file.contents.write(to: outside.url.appending(path: "Tiny.gguf"))
    }

    private var source: URL { outside.url.appending(path: "Tiny.gguf") }

    @Test("a file is imported under its own name, and the original is kept", arguments: InstallMode.allCases)
    func modes(mode: InstallMode) async throws {
        let model = try await store.install(fileAt: source, mode: mode)
        #expect(model.name == "Tiny")
        #expect(model.url.lastPathComponent == "Tiny.gguf")
        #expect(try Data(contentsOf: model.url) == file.contents)
        #expect(try Data(contentsOf: source) == file.contents)
        #expect(model.references == (mode == .reference ? ["Tiny.gguf"] : []))
        #expect(model.manifest.files[0].sha256 == file.sha256)
        let blobs = try inside.listing.filter { $0.hasPrefix("blobs/") }
        #expect(blobs == (mode == .reference ? [] : ["blobs/sha256-\(file.sha256)"]))
        #expect(try store.find("tiny") != nil)
    }

    @Test("a file that is truncated, empty or not a model is refused", arguments: [0, 4, 100, 100_000])
    func truncated(count: Int) async throws {
        try file.contents.prefix(count).write(to: source)
        let error = await #expect(throws: ModelStoreError.self) { try await store.install(fileAt: source) }
        #expect(error?.code == .damagedFile)
        #expect(try inside.listing == [])
    }

    @Test("a file of another kind is refused")
    func otherKind() async throws {
        let url = outside.url.appending(path: "notes.txt")
        try file.contents.write(to: url)
        let error = await #expect(throws: ModelStoreError.self) { try await store.install(fileAt: url) }
        #expect(error?.code == .damagedFile)
        #expect(try inside.listing == [])
    }

    @Test("a file that is not there is an error that names it")
    func missing() async throws {
        let error = await #expect(throws: ModelStoreError.self) {
            try await store.install(fileAt: outside.url.appending(path: "none.gguf"))
        }
        #expect(error?.code == .fileNotFound)
        #expect(error?.message.contains("none.gguf") == true)
        let folder = await #expect(throws: ModelStoreError.self) { try await store.install(fileAt: outside.url) }
        #expect(folder?.message.contains("is a directory without config.json") == true)
    }

    @Test("what is there but no file, and what cannot be reached, is told as that, and not as missing")
    func notMissing() async throws {
        let loop = outside.url.appending(path: "loop.gguf")
        try FileManager.default.createSymbolicLink(at: loop, withDestinationURL: loop)
        for (url, part) in [(URL(filePath: "/dev/null"), "is not a file"), (loop, "Check the permissions")] {
            let error = await #expect(throws: ModelStoreError.self) { try await store.install(fileAt: url) }
            #expect(error?.code == .fileNotFound && error?.message.contains(part) == true, "\(error?.message ?? "")")
        }
    }

    @Test("what cannot be imported is named once, with the reason")
    func reason() async throws {
        try Data(repeating: 1, count: 100_000).write(to: source)
        let error = await #expect(throws: ModelStoreError.self) { try await store.install(fileAt: source) }
        let message = try #require(error?.message)
        #expect(message.hasPrefix("Tiny.gguf cannot be imported: not a GGUF file"))
        #expect(message.ranges(of: "Tiny.gguf").count == 1)
    }

    @Test("a path means the file that is there now, and not what was imported from it")
    func pathAfterImport() async throws {
        try await store.install(fileAt: source)
        let found = try #require(try store.find(source.path))
        #expect(found.manifest == nil && found.url.lastPathComponent == "Tiny.gguf")
        #expect(try await store.install(source.path).manifest == nil)
        try FileManager.default.removeItem(at: source)
        for path in [source.path, source.absoluteString] {
            let error = #expect(throws: ModelStoreError.self) { try store.find(path) }
            #expect(error?.code == .fileNotFound)
            await #expect(throws: ModelStoreError.self) { try await store.install(path) }
        }
        #expect(try store.find("tiny")?.manifest?.name == "Tiny")
    }

    @Test(
        "a name by which a model could not be found, or that looks like that of another, is refused with the reason",
        arguments: [
            ("", "is empty"), (" \n", "is empty"), ("a\nb", "control characters"), ("a\u{1B}b", "control characters"),
            ("hf:a", "begins with hf:"), ("HF:a/b", "begins with hf:"), ("bad name/..", "contains a slash"),
            (" a", "with a space"), ("a:b:c", "asked for"),
        ])
    func badNames(name: String, reason: String) async throws {
        let error = await #expect(throws: ModelStoreError.self) { try await store.install(fileAt: source, name: name) }
        #expect(error?.code == .invalidReference)
        #expect(error?.message.contains(reason) == true)
        #expect(try inside.listing == [])
    }

    @Test("a projector is kept beside its model")
    func companion() async throws {
        let projector = outside.url.appending(path: "mmproj-tiny.gguf")
        try ServedFile.model(seed: 2).contents.write(to: projector)
        let model = try await store.install(fileAt: source, companions: [(projector, .projector)], name: "seer")
        #expect(model.name == "seer")
        #expect(model.manifest.files.map(\.role) == [.weights, .projector])
        #expect(FileManager.default.fileExists(atPath: model.directory.appending(path: "mmproj-tiny.gguf").path))
    }

    @Test("all parts of a split file are required")
    func missingPart() async throws {
        let part = outside.url.appending(path: "big-00001-of-00002.gguf")
        try file.contents.write(to: part)
        let error = await #expect(throws: ModelStoreError.self) { try await store.install(fileAt: part) }
        #expect(error?.code == .fileNotFound)
        #expect(error?.message.contains("big-00002-of-00002.gguf") == true)
    }

    @Test("a split file is imported as one model, whichever part is given", arguments: [0, 1], InstallMode.allCases)
    func splitFile(part: Int, mode: InstallMode) async throws {
        let parts = try ServedFile.parts(in: outside)
        let model = try await store.install(fileAt: parts[part].url, mode: mode)
        #expect(model.name == "big")
        #expect(model.manifest.files.map(\.name) == parts.map(\.url.lastPathComponent))
        #expect(try GGUFFile(contentsOf: model.url).tensors.count == TinyModel().writer().tensors.count)
        #expect(try store.verify(model).isSound)
        #expect(try await store.remove("big").names.count == (mode == .reference ? 0 : parts.count))
    }

    @Test("what identifies the weights of a split file is the digests of all parts, whichever part is given")
    func splitFileDigest() throws {
        let parts = try ServedFile.parts(in: outside)
        for part in parts {
            let model = try #require(try store.find(part.url.path))
            #expect(try model.weightsDigest() == parts.map(\.file.sha256).joined(separator: " "))
        }
    }

    @Test("parts that do not belong together are refused")
    func mixedParts() async throws {
        let parts = try ServedFile.parts(in: outside)
        try file.contents.write(to: parts[1].url)
        let error = await #expect(throws: ModelStoreError.self) { try await store.install(fileAt: parts[0].url) }
        #expect(error?.code == .damagedFile)
        #expect(store.list().isEmpty)
    }

    @Test("a copy that does not fit on the disk is refused, a reference needs no space")
    func diskFull() async throws {
        var store = store
        let free = ByteSize(clamping: file.contents.count - 1)
        store.freeSpace = { _ in free }
        let full = store
        let error = await #expect(throws: ModelStoreError.self) { try await full.install(fileAt: source) }
        #expect(error?.code == .diskFull)
        #expect(try inside.listing == [])
        try await full.install(fileAt: source, mode: .reference)
    }

    @Test("files that were changed, truncated or removed are detected and named", arguments: 0..<4)
    func verification(kind: Int) async throws {
        let model = try await store.install(fileAt: source, mode: kind == 3 ? .reference : .copy)
        #expect(try store.verify(model).isSound)
        let target = model.url.resolvingSymlinksInPath()
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: target.path)
        switch kind {
        case 0:
            var contents = file.contents
            contents[contents.count - 1] ^= 1
            try contents.write(to: target)
        case 1: try file.contents.dropLast(10).write(to: target)
        default: try FileManager.default.removeItem(at: target)
        }
        let result = try store.verify(model)
        #expect(result.name == "Tiny")
        #expect(result.faults.count == 1)
        #expect(result.faults.first?.contains("Tiny.gguf") == true)
        let words = ["digest is wrong", "bytes, not", "is missing", "no longer at"]
        #expect(result.faults.first?.contains(words[kind]) == true)
    }

    @Test("the error for a missing referenced file has its former path")
    func referenceGone() async throws {
        try await store.install(fileAt: source, name: "far", mode: .reference)
        #expect(try store.find("far") != nil)
        try FileManager.default.removeItem(at: source)
        let error = #expect(throws: ModelStoreError.self) { try store.find("far") }
        #expect(error?.code == .fileNotFound)
        #expect(error?.message.contains(source.standardizedFileURL.path) == true)
        let model = try #require(store.list().first)
        #expect(try store.verify(model).faults.first?.contains(source.standardizedFileURL.path) == true)
    }

    @Test("removing a model takes its file along, unless another model shares it or it lies outside")
    func removal() async throws {
        try await store.install(fileAt: source, name: "a")
        try await store.install(fileAt: source, name: "b")
        try await store.install(fileAt: source, name: "c", mode: .reference)
        #expect(try await store.remove("A").names == [])
        #expect(try await store.remove("c").names == [])
        #expect(FileManager.default.fileExists(atPath: source.path))
        #expect(try await store.remove("b").names == ["blobs/sha256-\(file.sha256)"])
        #expect(try inside.listing == [])
        let error = await #expect(throws: ModelStoreError.self) { try await store.remove("b") }
        #expect(error?.code == .unknownModel)
    }

    @Test("garbage is files that no model refers to, and partial files older than a week")
    func garbage() async throws {
        try await store.install(fileAt: source, name: "a")
        let files = FileManager.default
        let stray = inside.url.appending(path: "blobs/sha256-00")
        try Data(count: 5_000).write(to: stray)
        let (old, new) = (inside.url.appending(path: "partial/old"), inside.url.appending(path: "partial/new"))
        for url in [old, new] { try Data(count: 1).write(to: url) }
        try files.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -8 * 86_400)], ofItemAtPath: old.path)
        try files.createDirectory(
            at: inside.url.appending(path: "entries/.scratch-1"), withIntermediateDirectories: true)
        let expected = ["blobs/sha256-00", "partial/old", "entries/.scratch-1"]
        #expect(try store.collectGarbage(isDryRun: true).names == expected)
        #expect(files.fileExists(atPath: stray.path))
        #expect(try store.collectGarbage().names == expected)
        #expect(try store.collectGarbage().names == [])
        #expect(try store.verify(try #require(store.model(named: "a"))).isSound)
    }

    @Test("of a directory that is removed, all that is in it counts")
    func sizeOfDirectory() throws {
        let folder = inside.url.appending(path: "entries/.scratch-1/wheel")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(repeating: 1, count: 1 << 20).write(to: folder.appending(path: "w.whl"))
        #expect(try store.collectGarbage(isDryRun: true).byteCount.bytes >= 1 << 20)
        #expect(try store.collectGarbage().byteCount.bytes >= 1 << 20)
    }

    @Test("exceeding the quota is an error that proposes models to remove, least recently used first")
    func quota() async throws {
        try await store.install(fileAt: source, name: "old")
        let other = outside.url.appending(path: "Other.gguf")
        try ServedFile.model(seed: 2).contents.write(to: other)
        try await store.install(fileAt: other, name: "new")
        store.markUsed("old", at: Date(timeIntervalSinceNow: -100_000))
        var store = store
        store.quota = ByteSize(clamping: file.contents.count * 5 / 2)
        let third = outside.url.appending(path: "Third.gguf")
        try ServedFile.model(seed: 3).contents.write(to: third)
        let limited = store
        let error = await #expect(throws: ModelStoreError.self) { try await limited.install(fileAt: third) }
        #expect(error?.code == .quotaExceeded)
        #expect(error?.message.contains("parley models remove old") == true)
        #expect(error?.message.contains("remove new") == false)
        #expect(store.list().map(\.name) == ["new", "old"])
    }

    @Test("partial downloads and files of no model count towards the quota, and the error names the command for them")
    func remains() async throws {
        var store = store
        store.quota = ByteSize(clamping: file.contents.count * 3 / 2)
        let limited = store
        try FileManager.default.createDirectory(
            at: inside.url.appending(path: "partial"), withIntermediateDirectories: true)
        let partial = inside.url.appending(path: "partial/sha256-00")
        try Data(repeating: 1, count: file.contents.count).write(to: partial)
        let error = await #expect(throws: ModelStoreError.self) { try await limited.install(fileAt: source) }
        #expect(error?.code == .quotaExceeded)
        #expect(error?.message.contains("'parley models gc --partial'") == true)
        try FileManager.default.removeItem(at: partial)
        let stray = inside.url.appending(path: "blobs/sha256-00")
        try Data(repeating: 1, count: file.contents.count).write(to: stray)
        let second = await #expect(throws: ModelStoreError.self) { try await limited.install(fileAt: source) }
        #expect(second?.message.contains("'parley models gc'") == true)
        _ = try store.collectGarbage()
        try await limited.install(fileAt: source)
    }

    @Test("what removing a model would not free is not proposed")
    func nothingFreed() async throws {
        try await store.install(fileAt: source, name: "far", mode: .reference)
        var store = store
        store.quota = 1
        let limited = store
        let error = await #expect(throws: ModelStoreError.self) { try await limited.install(fileAt: source) }
        #expect(error?.message.contains("Raise the limit to 1MB or more: set PARLEY_MODELS_QUOTA") == true)
    }

    @Test("a name that is taken by another model leads to --name, and commands in messages can be copied")
    func takenName() async throws {
        let (one, two) = (outside.url.appending(path: "it's $x.gguf"), outside.url.appending(path: "sub/it's $x.gguf"))
        try FileManager.default.createDirectory(
            at: two.deletingLastPathComponent(), withIntermediateDirectories: true)
        for url in [one, two] { try file.contents.write(to: url) }
        try await store.install(fileAt: one)
        let error = await #expect(throws: ModelStoreError.self) { try await store.install(fileAt: two) }
        #expect(error?.code == .nameTaken)
        #expect(error?.message.contains("(--name)") == true && error?.message.contains("(--force)") == true)
        #expect(error?.message.contains(#"parley models remove 'it'\''s $x'"#) == true)
    }

    @Test("a path that ends in a space is not taken for the one without it", arguments: ["Tiny.gguf ", "./Tiny.gguf "])
    func space(path: String) async throws {
        let path = path.hasPrefix(".") ? outside.url.path + "/" + path.dropFirst(2) : path
        let error = await #expect(throws: ModelStoreError.self) { try await store.install(path) }
        #expect([.fileNotFound, .unknownModel].contains(error?.code))
        if path.hasPrefix("/") {
            try ServedFile.model(seed: 2).contents.write(to: URL(filePath: path))
            #expect(try store.find(path)?.url.lastPathComponent == "Tiny.gguf ")
        }
    }
}
