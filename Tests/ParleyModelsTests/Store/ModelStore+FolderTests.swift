// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyModelFile
import ParleyModels
import ParleySystem
import ParleyTestSupport
import ParleyTesting
import Synchronization
import Testing

/// Tests of folders in the form of Hugging Face, with a server on loopback.
@Suite("ModelStore: folders")
struct ModelStoreFolderTests {
    private let outside: TemporaryDirectory
    private let served: ServedStore

    init() throws {
        outside = try TemporaryDirectory()
        served = try ServedStore()
        var tiny = TinyModel()
        tiny.tokenizer = .bytePairs
        try tiny.writeFolder(to: folder, shards: 2)
        try Data("not of the model".utf8).write(to: folder.appending(path: "README.md"))
    }

    private var folder: URL { outside.url.appending(path: "Tiny Folder") }
    private var store: ModelStore { served.store }
    private let names = [
        "config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors.index.json", "model-1.safetensors",
        "model-2.safetensors",
    ]

    /// A hub with the folder as a repository; weights have digests there, as large files do.
    private func hub(
        without: Set<String> = [], tellsDigests: Bool = true,
        changing: @escaping @Sendable (_ name: String, _ page: inout WebServer.Page) -> Void = { _, _ in }
    ) throws -> WebServer {
        let folder = folder
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            .filter { !without.contains($0) }
        let entries = try files.map { name -> String in
            let file = ServedFile(try Data(contentsOf: folder.appending(path: name)))
            let hasDigest = tellsDigests && name.hasSuffix(".safetensors")
            let large = hasDigest ? #","lfs":{"oid":"\#(file.sha256)","size":\#(file.contents.count)}"# : ""
            return #"{"type":"file","size":\#(file.contents.count),"path":"\#(name)"\#(large)}"#
        }
        let listing = Data("[\(entries.joined(separator: ","))]".utf8)
        return try WebServer(pages: { _ in
            var pages = ["/api/models/o/r/tree/main?recursive=true": WebServer.Page(body: listing)]
            for name in files {
                var page = WebServer.Page(body: (try? Data(contentsOf: folder.appending(path: name))) ?? Data())
                page.headers["ETag"] = "\"\(name)\""
                changing(name, &page)
                pages["/o/r/resolve/main/\(name)"] = page
            }
            return pages
        })
    }

    private func pull(_ server: WebServer, _ name: String = "hf:o/r", into store: ModelStore? = nil) async throws
        -> StoredModel
    {
        try await (store ?? self.store).install(name, resolver: server.resolver())
    }

    private func refusal(of body: () async throws -> some Any) async -> ModelStoreError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? ModelStoreError
        }
    }

    @Test("a repository without GGUF files is fetched as the folder that it is, once, and found offline")
    func fetches() async throws {
        let server = try hub()
        let found = try await pull(server)
        #expect(found.name == "o/r")
        #expect(found.manifest?.files.map(\.name) == names)
        #expect(try GGUFFile(contentsOf: found.url).tensors.count == TinyModel().writer().tensors.count)
        for name in names {
            let expected = try Data(contentsOf: folder.appending(path: name))
            #expect(try Data(contentsOf: found.url.appending(path: name)) == expected, "\(name)")
        }
        #expect(!server.requests.contains { $0.path.hasSuffix("README.md") })
        let count = server.requests.count
        for name in ["hf:o/r", "o/r"] {
            #expect(try await store.install(name, isOffline: true).url == found.url)
        }
        #expect(server.requests.count == count)
        let installed = try #require(store.model(named: "o/r"))
        #expect(try store.verify(installed).isSound)
        #expect(installed.byteCount > ByteSize(clamping: 100_000))
        #expect(try await store.remove("o/r").names.count == names.count)
        #expect(served.blobs.isEmpty && served.entries.isEmpty)
    }

    @Test("the header of a folder is read before it is fetched: of the weights only their own headers")
    func readsHeader() async throws {
        let server = try hub()
        let resolver = server.resolver()
        let header = try await resolver.header(of: resolver.manifest(of: ModelReference(parsing: "hf:o/r")))
        let whole = try GGUFFile(contentsOf: folder)
        #expect(header.tensors == whole.tensors)
        #expect(header.byteCount == whole.byteCount)
        #expect(header.metadata.keys == whole.metadata.keys)
        let weights = server.requests.filter { $0.method == "GET" && $0.path.hasSuffix(".safetensors") }
        #expect(weights.count == 2 && weights.allSatisfy { $0.headers["range"] != nil })
        // The data is not there, and not taken for zeros.
        #expect(throws: ModelFileError.self) { try header.withBytes(of: #require(header.tensors.first)) { $0.count } }
        #expect(store.list().isEmpty)
    }

    @Test("a folder whose weights are none, or whose header claims more than it may, is refused before it is fetched")
    func refusesHeader() async throws {
        for (bytes, code) in [("<html>", ModelFileError.Code.truncated), ("<html><body>", .notSafetensors)] {
            let server = try hub { name, page in
                if name.hasSuffix(".safetensors") { page.body = Data(bytes.utf8) }
            }
            let resolver = server.resolver()
            let manifest = try await resolver.manifest(of: ModelReference(parsing: "hf:o/r"))
            let error = await #expect(throws: ModelFileError.self) { _ = try await resolver.header(of: manifest) }
            #expect(error?.code == code)
        }
    }

    @Test("an interrupted download goes on with the files that are missing")
    func resumes() async throws {
        let isDown = Mutex(true)
        let server = try hub { name, page in
            if name == "model-2.safetensors", isDown.withLock({ $0 }) { page.status = 404 }
        }
        #expect(await refusal { try await pull(server) } != nil)
        #expect(store.list().isEmpty)
        isDown.withLock { $0 = false }
        let found = try await pull(server)
        #expect(found.url.lastPathComponent != "config.json")
        let asked = server.requests.filter { $0.method == "GET" && $0.path.hasSuffix("model-1.safetensors") }
        let again = try hub()
        let fresh = try ServedStore()
        _ = try await pull(again, into: fresh.store)
        let once = again.requests.filter { $0.method == "GET" && $0.path.hasSuffix("model-1.safetensors") }
        #expect(asked.count == once.count)
    }

    @Test("a file with another digest is refused, and no model appears")
    func refusesWrongDigest() async throws {
        let server = try hub { name, page in
            if name == "model-2.safetensors" { page.body[page.body.count - 1] ^= 1 }
        }
        let error = await refusal { try await pull(server) }
        #expect(error?.code == .checksumMismatch)
        #expect(error?.message.contains("model-2.safetensors") == true)
        #expect(store.list().isEmpty && served.entries.isEmpty)
    }

    @Test("files without digests that are no model together are refused, and none of them is left")
    func refusesDamage() async throws {
        let server = try hub(tellsDigests: false) { name, page in
            if name == "tokenizer.json" {
                page.body = Data("{}".utf8) + Data(count: page.body.count - 2).map { _ in 32 }
            }
        }
        let error = await refusal { try await pull(server) }
        #expect(error?.code == .damagedFile)
        #expect(error?.message.contains("tokenizer.json") == true)
        served.expectNothing()
    }

    @Test("what config.json says is not read here is refused before anything large is fetched")
    func refusesUnsupported() async throws {
        let server = try hub { name, page in
            guard name == "config.json" else { return }
            page.body = Data(String(decoding: page.body, as: UTF8.self).replacing("llama", with: "mamba").utf8)
        }
        let error = await refusal { try await pull(server) }
        #expect(error?.message.contains("\"mamba\"") == true)
        #expect(error?.message.contains("o/r/config.json") == true)
        #expect(!server.requests.contains { $0.path.hasSuffix(".safetensors") })
        served.expectNothing()
    }

    @Test(
        "a repository that lacks a file is refused by the file's name",
        arguments: ["config.json", "tokenizer.json", "model-2.safetensors"])
    func refusesMissingFile(name: String) async throws {
        let error = await refusal { try await pull(hub(without: [name])) }
        #expect(error?.code == .notFound)
        #expect(error?.message.contains(name) == true)
        served.expectNothing()
    }

    @Test("a folder has no quantisations and no projector to choose")
    func refusesChoices() async throws {
        let server = try hub()
        let error = await refusal { try await pull(server, "hf:o/r:Q4_K_M") }
        #expect(error?.code == .notFound)
        #expect(error?.message.contains("folder of safetensors") == true)
    }

    @Test("a folder that does not fit on the disk or into the quota is refused before it is fetched")
    func refusesWithoutRoom() async throws {
        var store = store
        store.freeSpace = { _ in 100_000 }
        let server = try hub()
        #expect(await refusal { try await pull(server, into: store) }?.code == .diskFull)
        store = self.store
        store.quota = 100_000
        #expect(await refusal { try await pull(server, into: store) }?.code == .quotaExceeded)
        #expect(!server.requests.contains { $0.method == "GET" && $0.path.hasSuffix(".safetensors") })
    }

    @Test("a folder is imported with the files that its model consists of", arguments: InstallMode.allCases)
    func imports(mode: InstallMode) async throws {
        let model = try await store.install(fileAt: folder, mode: mode)
        #expect(model.name == "Tiny Folder")
        #expect(model.manifest.files.map(\.name) == names)
        #expect(model.manifest.files.allSatisfy { $0.sha256 != nil && $0.byteCount != nil })
        #expect(model.references.count == (mode == .reference ? names.count : 0))
        #expect(try GGUFFile(contentsOf: model.url).tensors.count == TinyModel().writer().tensors.count)
        #expect(try store.verify(model).isSound)
        #expect(try store.find("tiny folder")?.url == model.url)
        #expect(try store.find("tiny folder")?.weightsDigest().split(separator: " ").count == names.count)
        #expect(served.partials.isEmpty)
    }

    @Test("a folder that cannot be opened is not imported; the message names what is wrong")
    func refusesImports() async throws {
        func failure(_ change: () throws -> Void) async throws -> ModelStoreError? {
            let copy = outside.url.appending(path: "copy")
            try FileManager.default.copyItem(at: folder, to: copy)
            try change()
            let error = await refusal { try await store.install(fileAt: copy) }
            try FileManager.default.removeItem(at: copy)
            return error
        }
        func path(_ name: String) -> URL { outside.url.appending(path: "copy/\(name)") }
        let missing = try await failure { try FileManager.default.removeItem(at: path("model-2.safetensors")) }
        #expect(missing?.message.contains("model-2.safetensors") == true)
        let cut = try await failure {
            try Data(contentsOf: path("model-1.safetensors")).dropLast(9).write(to: path("model-1.safetensors"))
        }
        #expect(cut?.code == .damagedFile && cut?.message.contains("model-1.safetensors") == true)
        let tokenizer = try await failure { try FileManager.default.removeItem(at: path("tokenizer.json")) }
        #expect(tokenizer?.message.contains("tokenizer.json") == true)
        let projector = await refusal {
            try await store.install(fileAt: folder, companions: [(folder.appending(path: "README.md"), .projector)])
        }
        #expect(projector?.message.contains("projector") == true)
        served.expectNothing()
    }

    @Test("a changed file of an imported folder is found by verifying it")
    func verifies() async throws {
        let model = try await store.install(fileAt: folder, mode: .reference)
        let config = folder.appending(path: "config.json")
        try Data(String(contentsOf: config, encoding: .utf8).replacing("llama", with: "mamba").utf8).write(to: config)
        #expect(try store.verify(model).faults.first?.contains("config.json") == true)
    }
}
