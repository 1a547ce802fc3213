// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation
import ParleyJSON
import ParleyLocal
import ParleyLocalEngines
import ParleyTestSupport
import ParleyTesting
import Testing

@Suite("Replies that are generated again")
struct KeptPromptTests {
    /// The receipt of a reply, as it is read again from the file of its chat.
    private func receipt(
        of runner: LocalModelRunner, _ options: GenerationOptions, functions: [Function] = []
    ) async throws -> ReplyReceipt {
        let completion = try await runner.createConversation(systemPrompt: "Be brief.").reply(
            to: .user("Go on."), generationOptions: options, functions: functions
        ).completion
        var chat = Chat()
        let id = chat.append(completion.message)
        chat.update(id) {
            $0.receipt = ReplyReceipt(
                completion.info, options: options, functions: functions, model: runner.modelID)
        }
        let text = try chat.export(.json)
        let read = try #require(try Chat(saved: JSONValue(parsing: text))[id]?.receipt)
        #expect(read == chat[id]?.receipt)
        #expect(completion.stats?.completionTokens == read.tokens.count)
        return read
    }

    private func tokens(
        _ runner: LocalModelRunner, _ receipt: ReplyReceipt, _ change: (inout KeptPrompt) -> Void = { _ in }
    ) async throws -> [Int32]? {
        var prompt = KeptPrompt(
            tokens: receipt.promptTokens, startsInsideReasoning: receipt.startsInsideReasoning,
            functions: receipt.rule?.functions ?? [], options: try #require(receipt.options))
        change(&prompt)
        return try await runner.generate(again: prompt).tokens
    }

    @Test("The tokens of a random model are drawn again from the kept seed, and another seed draws others")
    func seed() async throws {
        let directory = try TemporaryDirectory()
        let url = directory.url.appending(path: "tiny.gguf")
        try TinyModel().write(to: url)
        let runner = try await LocalModelRunner.load(
            url.path, isOffline: true, configuration: LocalConfiguration(contextSize: 256, threads: 1))
        let receipt = try await receipt(of: runner, GenerationOptions(temperature: 1, maxTokens: 40))
        #expect(receipt.tokens.count > 4)
        #expect(try await tokens(runner, receipt) == receipt.tokens)
        #expect(try await tokens(runner, receipt) { $0.options.seed = ($0.options.seed ?? 0) &+ 1 } != receipt.tokens)
        #expect(try await tokens(runner, receipt) { $0.tokens.removeFirst(3) } != receipt.tokens)
        // Nothing of it stays in memory.
        #expect(runner.keptTimelines == 0)
    }

    private let greedy = GenerationOptions(temperature: 0, repetitionPenalty: 1, maxTokens: 200)

    @Test("Blocks are held again to the schemas that the receipt has")
    func heldBlocks() async throws {
        let runner = try ScriptedRunners.runner(saying: #"Here: [MAP:{"city":"Rome, of course"#)
        var options = greedy
        options.heldBlocks = [
            HeldBlock(
                opening: "[MAP:", schema: .object(["city": .string(oneOf: ["Bern", "Paris"])], required: ["city"]),
                closing: "]")
        ]
        let receipt = try await receipt(of: runner, options)
        #expect(try await runner.text(of: receipt.tokens).contains(#"{"city":""#))
        #expect(try await tokens(runner, receipt) == receipt.tokens)
        #expect(try await tokens(runner, receipt) { $0.options.heldBlocks = [] } != receipt.tokens)
    }

    @Test("A schema of the whole answer, and calls of functions, are held again")
    func schemaAndFunctions() async throws {
        var options = greedy
        options.jsonSchemaConstraint = .object(["minutes": .integer(minimum: 1, maximum: 9)], required: ["minutes"])
        let counting = try ScriptedRunners.runner(saying: #"{"minutes":70"#)
        let schema = try await receipt(of: counting, options)
        #expect(try await tokens(counting, schema) == schema.tokens)
        #expect(try await tokens(counting, schema) { $0.options.jsonSchemaConstraint = nil } != schema.tokens)

        let time = Function(name: "get_time", description: "The time of day")
        let calling = try ScriptedRunners.runner(saying: #"<tool_call>{"name": "get_tomorrow"#)
        let calls = try await receipt(of: calling, greedy, functions: [time])
        #expect(calls.rule?.functions == [time])
        #expect(try await tokens(calling, calls) == calls.tokens)
        #expect(try await tokens(calling, calls) { $0.functions = [] } != calls.tokens)
    }

    @Test("A budget of reasoning, and reasoning that the template has begun, are the same again")
    func reasoning() async throws {
        let runner = try LocalModelRunner(
            ScriptedRunners.model(
                saying: String(repeating: "hm ", count: 30) + "</think>four",
                head: ScriptedRunners.head + "<think>\n", template: TinyTokenizer.chatTemplate + "{{ '<think>\\n' }}",
                tokenizer: ScriptedRunners.reasoningTokenizer()))
        var options = greedy
        options.maxReasoningTokens = 10
        let receipt = try await receipt(of: runner, options)
        #expect(receipt.startsInsideReasoning)
        #expect(try await tokens(runner, receipt) == receipt.tokens)
        #expect(try await tokens(runner, receipt) { $0.startsInsideReasoning = false } != receipt.tokens)
    }

    @Test("Tokens that the model does not have are refused", arguments: [[Int32](), [-1], [1, .max]])
    func foreign(prompt: [Int32]) async throws {
        let runner = try ScriptedRunners.runner(saying: "hello")
        await #expect(throws: ConversationError.self) {
            try await runner.generate(again: KeptPrompt(tokens: prompt, options: greedy))
        }
    }
}
