// SPDX-License-Identifier: Apache-2.0

import Foundation
import Parley
import ParleyConversation
import ParleyLocal
import ParleyModels
import ParleyTesting
import Testing

@Suite("LocalModelRunner: loading")
struct LocalModelRunnerLoadingTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "parley-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try TinyModel().write(to: directory.appending(path: "tiny.gguf"))
    }

    private func load(_ name: String) async throws -> LocalModelRunner {
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await LocalModelRunner.load(
            name, store: ModelStore(directory: directory.appending(path: "store")),
            configuration: LocalConfiguration(contextSize: 256, threads: 1))
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

    @Test("a name that means nothing is a failure to load, not to download", arguments: ["a:b:c", "no-such-model"])
    func mistakenName(name: String) async {
        let error = await #expect(throws: ConversationError.self) { try await load(name) }
        #expect(error?.code == .modelLoadingFailed)
    }
}
