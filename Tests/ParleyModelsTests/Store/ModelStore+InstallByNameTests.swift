// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyFiles
import ParleyHTTP
import ParleyModelFile
import ParleyModels
import ParleySampling
import ParleyTesting
import ParleyTestSupport
import Synchronization
import Testing

/// Tests of installing by name or address, with a server on loopback.
@Suite("ModelStore: installing by name")
struct ModelStoreInstallByNameTests {
    private let directory: TemporaryDirectory
    private let model: Data

    init() throws {
        directory = try TemporaryDirectory()
        let url = directory.url.appending(path: "tiny.gguf")
        try TinyModel().write(to: url)
        model = try Data(contentsOf: url)
    }

    private var store: ModelStore {
        ModelStore(
            directory: directory.url.appending(path: "store"), client: URLSessionClient(clock: ManualClock()))
    }

    /// A hub with one repository and a manifest beside it.
    private func hub() throws -> WebServer {
        let digest = SHA256Hash.hexadecimal(of: model)
        let listing =
            #"[{"type":"file","size":\#(model.count),"path":"tiny-Q8_0.gguf","lfs":{"oid":"\#(digest)","size":\#(model.count)}}]"#
        let leap = #"""
            {"schema_version":"1.0.0","inference_type":"llama.cpp/text-to-text",
             "load_time_parameters":{"model":"../o/r/resolve/main/tiny-Q8_0.gguf","chat_template":"T"},
             "generation_time_parameters":{"sampling_parameters":{"temperature":0.25}}}
            """#
        return try WebServer(pages: { _ in
            [
                "/api/models/o/r/tree/main?recursive=true": .init(body: Data(listing.utf8)),
                "/o/r/resolve/main/tiny-Q8_0.gguf": .init(body: model),
                "/leap/m.json": .init(body: Data(leap.utf8)),
            ]
        })
    }

    @Test("a model on the hub is downloaded once, and found offline under both its names")
    func hubModel() async throws {
        let server = try hub()
        let announced = Mutex<[String]>([])
        let found = try await store.install("hf:o/r", resolver: server.resolver()) { manifest in
            announced.withLock { $0.append(manifest.name) }
        }
        #expect(try Data(contentsOf: found.url) == model)
        #expect(announced.withLock { $0 } == ["o/r:Q8_0"])
        let requests = server.requests.count
        for name in ["hf:o/r", "hf:o/r:Q8_0", "o/r:Q8_0"] {
            let again = try await store.install(name, resolver: server.resolver(), isOffline: true)
            #expect(again.url == found.url)
        }
        #expect(server.requests.count == requests)
    }

    @Test("a requested projector is installed with the model, or added later without downloading the model again")
    func projector() async throws {
        let listing = #"""
            [{"type":"file","size":\#(model.count),"path":"tiny-Q8_0.gguf"},
             {"type":"file","size":\#(model.count),"path":"mmproj-F16.gguf"}]
            """#
        let server = try WebServer(pages: { _ in
            [
                "/api/models/o/r/tree/main?recursive=true": .init(body: Data(listing.utf8)),
                "/o/r/resolve/main/tiny-Q8_0.gguf": .init(headers: digestHeaders, body: model),
                "/o/r/resolve/main/mmproj-F16.gguf": .init(body: model),
            ]
        })
        let alone = try await store.install("hf:o/r", resolver: server.resolver())
        #expect(alone.manifest?.files.map(\.role) == [.weights])
        let both = try await store.install("hf:o/r", resolver: server.resolver(), withProjector: true)
        #expect(both.manifest?.files.map(\.role) == [.weights, .projector])
        #expect(server.requests.filter { $0.method == "GET" && $0.path.hasSuffix("tiny-Q8_0.gguf") }.count == 1)
        let again = try await store.install("hf:o/r", isOffline: true)
        #expect(again.manifest?.files.count == 2)
    }

    private var digestHeaders: [String: String] {
        ["X-Linked-ETag": ServedFile(model).sha256, "X-Linked-Size": "\(model.count)"]
    }

    @Test("a manifest on the web provides model, template and sampling")
    func webManifest() async throws {
        let server = try hub()
        let found = try await store.install("\(server.root)/leap/m.json", resolver: server.resolver())
        #expect(try Data(contentsOf: found.url) == model)
        #expect(found.manifest?.chatTemplate == "T")
        #expect(found.sampling.temperature == 0.25)
        #expect(try store.find("\(server.root)/leap/m.json")?.url == found.url)
    }

    @Test("a file at a path is used where it is")
    func path() async throws {
        let path = directory.url.appending(path: "tiny.gguf").path
        let found = try await store.install(path, isOffline: true)
        #expect(found.url.path == path)
        #expect(store.list().isEmpty)
    }

    @Test("a manifest at a path is used where it is, with the file that it names")
    func localManifest() async throws {
        let text =
            #"{"schema_version":"1.0.0","inference_type":"llama.cpp/text-to-text","load_time_parameters":{"model":"tiny.gguf"}}"#
        let manifest = directory.url.appending(path: "m.json")
        try Data(text.utf8).write(to: manifest)
        let found = try await store.install(manifest.path, isOffline: true)
        #expect(found.url.path == directory.url.appending(path: "tiny.gguf").path)
        #expect(store.list().isEmpty)
    }

    @Test("what a local manifest names on the web is found offline once it is here, and no more when that has changed")
    func changedManifest() async throws {
        let server = try WebServer(pages: { _ in ["/m.gguf": .init(body: model)] })
        let manifest = directory.url.appending(path: "m.json")
        func write(_ file: String) throws {
            let text = #"""
                {"schema_version":"1.0.0","inference_type":"llama.cpp/text-to-text",
                 "load_time_parameters":{"model":"\#(server.root)/\#(file)"}}
                """#
            try Data(text.utf8).write(to: manifest)
        }
        try write("m.gguf")
        let found = try await store.install(manifest.path)
        #expect(try await store.install(manifest.path, isOffline: true).url == found.url)
        #expect(try store.find(manifest.path)?.url == found.url)
        try write("other.gguf")
        #expect(try store.find(manifest.path) == nil)
    }

    @Test(
        "offline, a missing model is an error, and an invalid name is reported as such",
        arguments: [
            ("qwen3-0.6b", ModelStoreError.Code.offline), ("hf:o/r", .offline), ("https://a.org/m.gguf", .offline),
            ("qwen3-06b", .unknownModel), ("./nothing.gguf", .fileNotFound), ("hf:o", .invalidReference),
        ])
    func offline(name: String, code: ModelStoreError.Code) async {
        let error = await #expect(throws: ModelStoreError.self) { try await store.install(name, isOffline: true) }
        #expect(error?.code == code)
    }

    @Test("a token in an address is nowhere in the store")
    func noCredentials() async throws {
        let server = try WebServer(pages: { _ in ["/m.gguf?token=hunter2": .init(body: model)] })
        let found = try await store.install("\(server.root)/m.gguf?token=hunter2", resolver: server.resolver())
        #expect(try Data(contentsOf: found.url) == model)
        let files = FileManager.default.enumerator(at: store.directory, includingPropertiesForKeys: nil)
        while let url = files?.nextObject() as? URL {
            guard let data = try? Data(contentsOf: url), data.count < 100_000 else { continue }
            #expect(!String(decoding: data, as: UTF8.self).contains("hunter2"), "\(url.lastPathComponent)")
            #expect(!url.path.contains("hunter2"))
        }
    }
}
