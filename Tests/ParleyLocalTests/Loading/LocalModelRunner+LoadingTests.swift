// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyHTTP
import ParleyLocal
import ParleyLocalEngines
import ParleyModels
import ParleyTestSupport
import ParleyTesting
import Synchronization
import Testing

@Suite("LocalModelRunner: loading")
struct LocalModelRunnerLoadingTests {
    private let directory = URL.temporary()

    init() throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try TinyModel().write(to: directory.appending(path: "tiny.gguf"))
    }

    /// A network on which every request fails.
    private struct DeadNetwork: HTTPClient {
        func withResponse<Result: Sendable>(
            to request: HTTPRequest, _ use: (HTTPResponse) async throws -> Result
        ) async throws -> Result {
            throw URLError(.notConnectedToInternet)
        }
    }

    private func load(_ name: String) async throws -> LocalModelRunner {
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await LocalModelRunner.load(
            name, store: ModelStore(directory: directory.appending(path: "store"), client: DeadNetwork()),
            configuration: LocalConfiguration(contextSize: 256, threads: 1))
    }

    private func code(loading name: String, contents: Data) async throws -> ConversationError.Code? {
        let file = directory.appending(path: name)
        try contents.write(to: file)
        return await #expect(throws: ConversationError.self) { try await load(file.path) }?.code
    }

    private func file(template: String) -> Data {
        var writer = TinyModel().writer()
        writer.set("tokenizer.chat_template", .string(template))
        return Data(writer.encoded())
    }

    @Test("a complete file is loaded")
    func whole() async throws {
        #expect(try await load(directory.appending(path: "tiny.gguf").path).hasChatTemplate)
    }

    @Test("a damaged file is reported as damaged")
    func broken() async throws {
        #expect(try await code(loading: "broken.gguf", contents: Data("GGUF".utf8)) == .modelLoadingFailed)
    }

    @Test("a file that no engine can read is reported as such")
    func unknownKind() async throws {
        #expect(try await code(loading: "model.onnx", contents: Data("x".utf8)) == .modelLoadingFailed)
    }

    @Test("a template that cannot be read is a failure to load")
    func brokenTemplate() async throws {
        #expect(try await code(loading: "odd.gguf", contents: file(template: "{% if %}")) == .modelLoadingFailed)
    }

    @Test("failing to download a model and failing to load it have different error codes")
    func unreachable() async {
        let error = await #expect(throws: ConversationError.self) { try await load("smollm2-135m") }
        #expect(error?.code == .downloadFailed)
    }

    @Test("a manifest's chat template replaces that of the file")
    func template() async throws {
        let manifest = directory.appending(path: "m.json")
        let text = #"""
            {"schema_version": "1.0.0", "inference_type": "llama.cpp/text-to-text",
             "load_time_parameters": {"model": "tiny.gguf", "chat_template": "a"}}
            """#
        try Data(text.utf8).write(to: manifest)
        let runner = try await load(manifest.path)
        #expect(runner.hasChatTemplate)
        let messages = [ChatMessage.user("Anything, however long it is, has no part in this template.")]
        #expect(try await runner.promptTokenCount(messages: messages, functions: [], options: nil) <= 2)
    }

    @Test(
        "an invalid name is a failure to load, not to download",
        arguments: ["a:b:c", "no-such-model", "./missing.gguf"])
    func mistakenName(name: String) async {
        let error = await #expect(throws: ConversationError.self) { try await load(name) }
        #expect(error?.code == .modelLoadingFailed)
    }

    @Test("a model that is loaded counts as used, and the engine is told before the weights come")
    func use() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = ModelStore(directory: directory.appending(path: "store"), client: DeadNetwork())
        _ = try await store.install(fileAt: directory.appending(path: "tiny.gguf"), name: "tiny")
        store.markUsed("tiny", at: Date(timeIntervalSince1970: 1))
        let events = Mutex<[String]>([])
        let runner = try await LocalModelRunner.load(
            "tiny", store: store, isOffline: true, configuration: LocalConfiguration(contextSize: 256, threads: 1)
        ) { progress in
            events.withLock {
                switch progress {
                case .missing: $0.append("missing")
                case .fetching: $0.append("fetching")
                case .chosen(let choice): $0.append(choice.engine.name)
                case .loading: if $0.last != "loading" { $0.append("loading") }
                }
            }
        }
        #expect(runner.modelID == "tiny")
        #expect(events.withLock { $0 } == ["native", "loading"])
        #expect(try #require(store.model(named: "tiny")).lastUsed > Date(timeIntervalSince1970: 1))
    }

    @Test("without the network a model that is missing is refused, with what would fetch it")
    func offline() async throws {
        let store = ModelStore(directory: directory.appending(path: "store"), client: DeadNetwork())
        let error = await #expect(throws: ConversationError.self) {
            try await LocalModelRunner.load("smollm2-135m", store: store, isOffline: true)
        }
        #expect(error?.code == .downloadFailed)
        #expect((error?.cause as? ModelStoreError)?.code == .offline)
    }
}
