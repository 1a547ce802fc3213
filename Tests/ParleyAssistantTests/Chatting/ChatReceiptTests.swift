// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyAssistant
import ParleyConversation
import ParleyTestSupport
import ParleyTesting
import Testing

@MainActor
@Suite("Receipts of replies", .timeLimit(.minutes(15)))
struct ChatReceiptTests {
    private func kept(_ bench: ChatBench) async throws -> ReplyReceipt? {
        let store = ChatStore(directory: bench.bench.directory.url.appending(path: "sessions"))
        return try await store.chat(bench.chat.chatID)?.path.last?.receipt
    }

    @Test("A reply is saved with what it was made of: the model, the options and the rule of its blocks")
    func blocks() async throws {
        var settings = ChatSettings()
        (settings.answerTokens, settings.sampling.temperature) = (99, 0.5)
        let bench = try await ChatBench(["Hello."], settings: settings)
        await bench.send("Hi")
        let receipt = try #require(try await kept(bench))
        #expect(receipt.model == "scripted" && receipt.modelDigest == "sha256:abc")
        #expect(receipt.maxTokens == 99 && receipt.maxReasoningTokens == 0 && receipt.sampling.temperature == 0.5)
        #expect(receipt.finishReason == .stop && receipt.completionTokens > 0)
        let rule = try #require(receipt.rule)
        #expect(rule.heldBlocks == ActionTag.allCases.flatMap(\.heldBlocks) && rule.functions.isEmpty)
        #expect(rule.reasoning == .off && rule.schema == nil)
        // The scripted runner tells no tokens, so the reply cannot be made again.
        #expect(receipt.options == nil)
    }

    @Test("The functions that were offered are in the receipt")
    func functions() async throws {
        let bench = try await ChatBench(["Hello."], callsFunctions: true)
        await bench.send("Hi")
        let rule = try #require(try await kept(bench)?.rule)
        #expect(rule.functions == ActionTag.allCases.map(\.function) && rule.heldBlocks.isEmpty)
    }

    @Test("A reply that was stopped has its receipt too")
    func stopped() async throws {
        let gate = Gate()
        let bench = try await ChatBench([ScriptedReply(steps: [.token("Half "), .wait(gate), .token("never")])])
        bench.chat.inputText = "Hi"
        bench.chat.send()
        await gate.arrival()
        bench.chat.stop()
        await bench.chat.settled()
        #expect(try await kept(bench)?.finishReason == .cancelled)
    }

    @Test("An answer from the web has the receipt of its request to search too, and both survive")
    func web() async throws {
        let bench = try await ChatBench([#"Wait. [WEB_SEARCH:{"query":"strikes"}]"#, "None."])
        await bench.send("Are there strikes?")
        let store = ChatStore(directory: bench.bench.directory.url.appending(path: "sessions"))
        let chat = try #require(try await store.chat(bench.chat.chatID))
        let reply = try #require(chat.path.last)
        let first = try #require(reply.earlierReceipts.first)
        #expect(reply.earlierReceipts.count == 1 && first.rule?.heldBlocks.isEmpty == false)
        // The second pass can only read: nothing is held in it.
        #expect(reply.receipt?.rule?.heldBlocks == [] && reply.receipt != first)
        let imported = try #require(try ChatImport.chats(from: Data(chat.export(.json).utf8)).first)
        #expect(imported.path.last?.earlierReceipts == reply.earlierReceipts)
        #expect(imported.path.last?.receipt == reply.receipt)
    }

    @Test("A receipt tells the options that generate its reply again, if it has all that is needed")
    func options() throws {
        var prompt = PromptReport()
        (prompt.tokens, prompt.startsInsideReasoning) = ([1, 2], true)
        prompt.sampling = SamplingOptions(temperature: 0.3, topK: 40, seed: 7)
        var info = GenerationInfo(finishReason: .stop, prompt: prompt)
        info.tokens = [3, 4, 5]
        var asked = GenerationOptions(maxTokens: 50, maxReasoningTokens: 9, stop: ["x"], functionCalling: .named("f"))
        asked.jsonSchemaConstraint = .object(["a": .boolean()])
        let receipt = ReplyReceipt(
            info, options: asked, functions: [Function(name: "f", description: "d")], model: "m")
        asked.sampling = SamplingOptions(temperature: 0.3, topK: 40, seed: 7)
        #expect(receipt.options == asked)
        var chat = Chat()
        let reply = chat.append(.assistant("y"))
        chat.update(reply) { $0.receipt = receipt }
        #expect(try ChatImport.chats(from: Data(chat.export(.json).utf8)).first?.nodes.first?.receipt == receipt)
        for ending in [FinishReason.cancelled, .timeout] {
            var ended = receipt
            ended.finishReason = ending
            #expect(ended.options?.maxTokens == 3)
        }
        for change in [
            { $0.tokens = [] }, { $0.promptTokens = [] }, { $0.images = 1 }, { $0.rule = nil },
            { $0.sampling.seed = nil },
        ] as [(inout ReplyReceipt) -> Void] {
            var lacking = receipt
            change(&lacking)
            #expect(lacking.options == nil)
        }
    }
}
