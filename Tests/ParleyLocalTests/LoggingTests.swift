// SPDX-License-Identifier: Apache-2.0

import Foundation
import InMemoryLogging
import Logging
import ParleyConversation
import ParleyHTTP
import ParleyLocal
import ParleyLocalEngines
import ParleyModels
import ParleyTestSupport
import ParleyTesting
import Testing

@Suite("Logging")
struct LoggingTests {
    private let handler: InMemoryLogHandler
    private var logger: Logger { Logger(label: "test") { [handler] _ in handler } }

    init() {
        var handler = InMemoryLogHandler()
        handler.logLevel = .trace
        self.handler = handler
    }

    /// All that was logged.
    private var text: String { handler.entries.map { "\($0.message) \($0.metadata)" }.joined(separator: "\n") }

    private func expect(_ messages: String...) {
        let logged = handler.entries.map { "\($0.message)" }
        for message in messages { #expect(logged.contains(message), "\(message)") }
    }

    @Test("a conversation is logged in numbers, without what was said")
    func conversation() async throws {
        let runner = try LocalModelRunner(
            ScriptedRunners.model(saying: "ocelot", template: nil), contextSize: 2_000, timelines: 1, logger: logger)
        let conversations = ["quagga", "kakapo"].map { runner.createConversation(systemPrompt: $0) }
        for conversation in conversations {
            #expect(try await conversation.reply(to: "axolotl").completion.message.text == "ocelot")
        }
        await runner.unload()
        expect(
            "The model has no chat template; ChatML is used.", "A timeline was made.", "A reply has ended.",
            "A timeline was taken over from another conversation.")
        for word in ["quagga", "kakapo", "axolotl", "ocelot"] { #expect(!text.contains(word), "\(word)") }
        let reply = try #require(handler.entries.first { $0.message == "A reply has ended." })
        #expect(reply.metadata["reason"] == "stop")
        #expect(reply.metadata["completion_tokens"].flatMap { Int("\($0)") } ?? 0 > 0)
    }

    @Test("a context is logged that is shorter than usual for lack of memory, and no other")
    func shortContext() {
        logger.record(context: 4_096, asked: 4_096, trained: 32_768)
        logger.record(context: 8_192, asked: nil, trained: 32_768)
        logger.record(context: 2_048, asked: nil, trained: 2_048)
        logger.record(context: 2_048, asked: nil, trained: 0)
        #expect(handler.entries.isEmpty)
        logger.record(context: 4_096, asked: nil, trained: 32_768)
        expect("Memory allows only a shorter context than is usual.")
    }

    @Test("a model that is loaded is logged with its engine; one that is not, with the reason")
    func loading() async throws {
        let directory = URL.temporary()
        defer { try? FileManager.default.removeItem(at: directory) }
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let (whole, damaged) = (directory.appending(path: "tiny.gguf"), directory.appending(path: "odd.gguf"))
        try TinyModel().write(to: whole)
        var writer = TinyModel().writer()
        writer.set("tokenizer.ggml.pre", .string("unheard-of"))
        try writer.write(to: damaged)
        var configuration = LocalConfiguration(contextSize: 256, threads: 1)
        configuration.logger = logger
        let store = ModelStore(directory: directory.appending(path: "store"))
        _ = try await LocalModelRunner.load(whole.path, store: store, configuration: configuration)
        expect("An engine was chosen.", "The native engine has a model in memory.", "A model was loaded.")
        let loaded = try #require(handler.entries.first { $0.message == "A model was loaded." })
        #expect(loaded.metadata["file"] == "tiny.gguf" && loaded.metadata["architecture"] == "llama")
        #expect(loaded.metadata["context"] == "256" && loaded.metadata["engine"] == "native")
        await #expect(throws: ConversationError.self) {
            try await LocalModelRunner.load(damaged.path, store: store, configuration: configuration)
        }
        expect("A model could not be loaded.")
    }

    @Test("a load that fails at the download tells no credential")
    func failing() async throws {
        let server = try WebServer { _ in WebServerReply(403) }
        let directory = URL.temporary()
        defer { try? FileManager.default.removeItem(at: directory) }
        var store = ModelStore(directory: directory)
        store.logger = logger
        store.hub = HubEndpoint(environment: ["HF_ENDPOINT": server.root, "HF_TOKEN": "hf_secret"])
        var configuration = LocalConfiguration()
        configuration.logger = logger
        let root = server.root.replacing("http://", with: "http://user:hunter2@")
        for model in ["\(root)/m.gguf?signature=sealed", "hf:o/r"] {
            await #expect(throws: ConversationError.self) {
                try await LocalModelRunner.load(model, store: store, configuration: configuration)
            }
        }
        expect("A source did not deliver.")
        for secret in ["hf_secret", "hunter2", "sealed"] { #expect(!text.contains(secret), "\(secret)") }
    }
}
