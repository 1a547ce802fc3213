// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyEngine
import ParleyLocal
import ParleyLocalEngines
import ParleyModels
import ParleyRuntime
import ParleyTestSupport
import ParleyTesting
import Testing

/// Any option either works or is refused with code `invalidInput`.
@Suite("Hostile options")
struct HostileOptionsTests {
    private static let file = Result { () throws -> URL in
        let url = URL.temporary(".gguf")
        try TinyModel().write(to: url)
        return url
    }

    private static let store = ModelStore(
        directory: URL.temporary())

    private static let longest = Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999)

    @Test(
        "options of a reply",
        arguments: [
            GenerationOptions(maxTokens: .max), GenerationOptions(maxTokens: .min), GenerationOptions(maxTokens: -1),
            GenerationOptions(maxTokens: 0), GenerationOptions(maxTokens: 4, timeout: longest),
            GenerationOptions(maxTokens: 4, timeout: .seconds(Int64.min)),
            GenerationOptions(maxTokens: 4, timeout: .nanoseconds(1)),
            GenerationOptions(topK: .max, maxTokens: 4), GenerationOptions(topK: .min, maxTokens: 4),
            GenerationOptions(temperature: .greatestFiniteMagnitude, maxTokens: 4),
            GenerationOptions(temperature: .leastNonzeroMagnitude, maxTokens: 4),
            GenerationOptions(temperature: .nan, maxTokens: 4),
            GenerationOptions(temperature: -.infinity, maxTokens: 4),
            GenerationOptions(topP: .leastNonzeroMagnitude, maxTokens: 4), GenerationOptions(topP: 0, maxTokens: 4),
            GenerationOptions(minP: 1, maxTokens: 4), GenerationOptions(minP: .infinity, maxTokens: 4),
            GenerationOptions(repetitionPenalty: .leastNonzeroMagnitude, maxTokens: 4),
            GenerationOptions(repetitionPenalty: .greatestFiniteMagnitude, maxTokens: 4),
            GenerationOptions(seed: .max, maxTokens: 4), GenerationOptions(seed: 0, maxTokens: 4),
            GenerationOptions(maxTokens: 4, maxReasoningTokens: .max),
            GenerationOptions(maxTokens: 4, maxReasoningTokens: .min),
            GenerationOptions(maxTokens: 4, stop: [""]),
            GenerationOptions(maxTokens: 4, stop: ["<|im_start|>", "\u{FFFD}"]),
            GenerationOptions(maxTokens: 4, stop: [String(repeating: "<|im_start|>", count: 2_000)]),
        ])
    func reply(options: GenerationOptions) async throws {
        let runner = try await LocalModelRunner.load(
            try Self.file.get().path, store: Self.store, configuration: .init(contextSize: 96, threads: 1))
        do {
            let completion = try await runner.createConversation().reply(to: "hello", generationOptions: options)
                .completion
            #expect([.stop, .length, .timeout, .contextFull].contains(completion.finishReason))
        } catch let error as ConversationError {
            #expect(error.code == .invalidInput, "\(error)")
        }
        await runner.unload()
    }

    @Test(
        "options of loading",
        arguments: [
            LocalConfiguration(contextSize: 0), LocalConfiguration(contextSize: -1),
            LocalConfiguration(contextSize: .max),
            LocalConfiguration(contextSize: .min), LocalConfiguration(contextSize: (1 << 24) + 1),
            LocalConfiguration(threads: 0), LocalConfiguration(threads: -1), LocalConfiguration(threads: 1_000_000_000),
            LocalConfiguration(threads: .max), LocalConfiguration(threads: .min),
            LocalConfiguration(contextSize: 96, threads: 1, timelines: 0),
            LocalConfiguration(contextSize: 96, threads: 1, timelines: .max),
            LocalConfiguration(contextSize: 96, threads: 1, timelines: .min),
            LocalConfiguration(contextSize: 1, threads: 1),
        ])
    func loading(configuration: LocalConfiguration) async throws {
        do {
            let runner = try await LocalModelRunner.load(
                try Self.file.get().path, store: Self.store, configuration: configuration)
            _ = try? await runner.createConversation().reply(to: "hello", generationOptions: .init(maxTokens: 2))
                .completion
            await runner.unload()
        } catch let error as ConversationError {
            #expect(error.code == .modelLoadingFailed)
            #expect((error.cause as? RuntimeError)?.code == .invalidInput, "\(error)")
        }
    }

    @Test("contexts of a runner that its engine was not loaded for", arguments: [0, -1, 97, .max, .min])
    func context(size: Int) async throws {
        let model = try await NativeModel.load(try Self.file.get(), configuration: .init(context: 96, threads: 1))
        for options in [GenerationOptions(), GenerationOptions(maxTokens: .max), GenerationOptions(maxTokens: 1)] {
            let error = await #expect(throws: ConversationError.self) {
                let runner = try LocalModelRunner(model, contextSize: size)
                _ = try await runner.createConversation().reply(to: "hello", generationOptions: options).completion
            }
            #expect(error?.code == .invalidInput)
        }
    }
}
