// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyEngine
import ParleyLocal
import ParleyModelFile
import ParleyRuntime
import ParleyTestSupport
import ParleyTesting
import Testing

@Suite("Sampling that models recommend")
struct SamplingMetadataTests {
    /// A runner of the native engine over a model file with given sampling metadata.
    private func runner(_ entries: [GGUFWriter.Entry], catalog: SamplingDefaults? = nil) async throws
        -> LocalModelRunner
    {
        var writer = TinyModel().writer()
        for entry in entries { writer.set("general.sampling.\(entry.key)", entry.value) }
        let url = URL.temporary(".gguf")
        try writer.write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        return try LocalModelRunner(
            try await NativeModel.load(url, configuration: .init(context: 256, threads: 1)), contextSize: 256,
            sampling: .init(catalog))
    }

    private func reply(_ runner: LocalModelRunner, _ options: GenerationOptions) async throws -> MessageCompletion {
        try await runner.createConversation().reply(to: "hello", generationOptions: options).completion
    }

    @Test(
        "a file may recommend anything, and replies come all the same",
        arguments: [
            .init("top_k", .int32(-1)), .init("top_k", .int32(.min)), .init("temp", .float32(-1)),
            .init("temp", .float32(.nan)), .init("top_p", .float32(0)), .init("top_p", .float32(7)),
            .init("min_p", .float32(-3)), .init("min_p", .float32(2)), .init("penalty_repeat", .float32(0)),
            .init("penalty_repeat", .float32(-.infinity)), .init("penalty_last_n", .int32(-1)),
            .init("penalty_last_n", .int32(0)), .init("penalty_last_n", .int32(-100)),
            .init("penalty_last_n", .int32(.max)), .init("top_k", .string("many")),
        ] as [GGUFWriter.Entry])
    func hostileMetadata(entry: GGUFWriter.Entry) async throws {
        let runner = try await runner([entry])
        let completion = try await reply(runner, GenerationOptions(seed: 1, maxTokens: 5))
        #expect(completion.finishReason == .length || completion.finishReason == .stop)
        let error = await #expect(throws: ConversationError.self) {
            _ = try await reply(runner, GenerationOptions(topK: -1, maxTokens: 5))
        }
        #expect(error?.code == .invalidInput)
    }

    @Test("a catalog may recommend anything, and replies come all the same")
    func hostileCatalog() async throws {
        let catalog = SamplingDefaults(
            temperature: -2, topK: -5, topP: .infinity, minP: .nan, repetitionPenalty: -1, repetitionWindow: .min)
        let completion = try await reply(
            try await runner([], catalog: catalog), GenerationOptions(seed: 1, maxTokens: 5))
        #expect(completion.finishReason == .length || completion.finishReason == .stop)
    }

    @Test("the window of the repetition penalty is the file's, or 64 tokens")
    func window() async throws {
        func window(_ entries: [GGUFWriter.Entry]) async throws -> Int? {
            try await runner(entries).info.sampling.penaltyWindow
        }
        #expect(try await window([]) == nil)
        #expect(try await window([.init("penalty_last_n", .int32(7))]) == 7)
        #expect(try await window([.init("penalty_last_n", .int32(-1))]) == -1)
        // At temperature 0 and with a strong penalty the window decides which tokens come. The schema keeps the model
        // from ending at once.
        func text(_ last: Int32?) async throws -> String {
            var entries = [GGUFWriter.Entry("penalty_repeat", .float32(3)), .init("temp", .float32(0))]
            if let last { entries.append(.init("penalty_last_n", .int32(last))) }
            var options = GenerationOptions(maxTokens: 90)
            options.jsonSchemaConstraint = try JSONSchema(parsing: #"{"type": "string", "minLength": 200}"#)
            options.injectSchemaIntoPrompt = false
            return try await reply(try await runner(entries), options).message.text
        }
        let usual = try await text(64)
        #expect(usual.utf8.count > 60, "there is something to compare")
        #expect(try await text(nil) == usual)
        #expect(try await text(1) != usual)
        #expect(try await text(-1) == text(256))
    }
}
