// SPDX-License-Identifier: Apache-2.0

#if LiteRTLM
    import Foundation
    import ParleyConversation
    import ParleyLiteRTLM
    import ParleyRuntime
    import ParleySystem
    import ParleyTestSupport
    import Synchronization
    import Testing

    @Suite("The default model in LiteRT-LM", .serialized, .enabled(if: LiteRTLMFixture.hasModel, LiteRTLMFixture.hint))
    struct LiteRTLMRunnerTests {
        private func runner() async throws -> LiteRTLMRunner {
            try await LiteRTLMRunner.load(LiteRTLMFixture.model, context: 1_024, threads: 2)
        }

        @Test("the capital of France is Paris, in pieces")
        func replies() async throws {
            let runner = try await runner()
            let conversation = runner.createConversation()
            var pieces: [String] = []
            let options = GenerationOptions(temperature: 0, maxTokens: 24)
            for try await response in conversation.reply(
                to: "What is the capital of France?", generationOptions: options)
            {
                if case .chunk(let text) = response { pieces.append(text) }
            }
            #expect(pieces.joined().contains("Paris"))
            #expect(pieces.count > 3)
            await runner.unload()
        }

        @Test("a reply of no tokens is empty, and says why")
        func noTokens() async throws {
            let runner = try await runner()
            let conversation = runner.createConversation()
            let options = GenerationOptions(temperature: 0, maxTokens: 0)
            let reply = try await conversation.reply(to: "Hello", generationOptions: options).completion
            #expect(reply.message.text.isEmpty)
            #expect(reply.info.finishReason == .length)
            #expect(reply.info.stats?.completionTokens == 0)
            await runner.unload()
        }

        @Test("a file that is none is refused with the library's message")
        func damaged() async throws {
            try await withTemporaryDirectory { directory in
                let file = directory.appending(path: "none.litertlm")
                try Data("This is no model.".utf8).write(to: file)
                await #expect(throws: ConversationError.self) { _ = try await LiteRTLMRunner.load(file) }
                await #expect(throws: ConversationError.self) {
                    _ = try await LiteRTLMRunner.load(directory.appending(path: "missing.litertlm"))
                }
            }
        }

        @Test("weights that do not fit are refused before they are loaded, and are promised to nobody afterwards")
        func tooLarge() async throws {
            let ledger = MemoryLedger { MachineMemory(physical: 1 << 30, available: 1_000) }
            let error = await #expect(throws: RuntimeError.self) {
                _ = try await LiteRTLMRunner.load(LiteRTLMFixture.model, ledger: ledger)
            }
            #expect(error?.code == .insufficientMemory)
            #expect(error?.message.contains("weights") == true)
            let roomy = MemoryLedger { MachineMemory(physical: 1 << 40, available: 1 << 40) }
            let runner = try await LiteRTLMRunner.load(LiteRTLMFixture.model, ledger: roomy)
            #expect((ledger.unwrittenBytes, roomy.unwrittenBytes) == (0, 0))
            await runner.unload()
        }

        @Test("a reply that is cancelled while it waits for another ends at once")
        func queued() async throws {
            let runner = try await runner()
            let hasEnded = Mutex(false)
            let (pieces, feed) = AsyncStream.makeStream(of: Void.self)
            let first = Task {
                defer { hasEnded.withLock { $0 = true } }
                let options = GenerationOptions(temperature: 0, maxTokens: 500)
                return try await runner.generate(
                    GenerationRequest(messages: [.user("Tell me a long story.")], options: options),
                    to: ResponseWriter { _ in feed.yield() })
            }
            for await _ in pieces { break }
            let second = Task {
                try await runner.generate(
                    GenerationRequest(messages: [.user("Hello")], options: GenerationOptions()),
                    to: ResponseWriter { _ in })
            }
            second.cancel()
            await #expect(throws: CancellationError.self) { try await second.value }
            #expect(!hasEnded.withLock { $0 })
            first.cancel()
            _ = try await first.value
            await runner.unload()
        }

        @Test("a schema holds the whole reply")
        func schema() async throws {
            let runner = try await runner()
            let conversation = runner.createConversation()
            var options = GenerationOptions(temperature: 0, maxTokens: 80)
            options.jsonSchemaConstraint = .object(["city": .string(), "people": .integer()])
            var text = ""
            for try await response in conversation.reply(to: "Describe Paris as JSON.", generationOptions: options) {
                if case .chunk(let piece) = response { text += piece }
            }
            #expect(text.hasPrefix("{"))
            await runner.unload()
        }
    }
#endif
