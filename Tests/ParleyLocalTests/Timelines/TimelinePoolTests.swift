// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyLocal
import Testing

@Suite("Timelines")
struct TimelinePoolTests {
    private let options = GenerationOptions(temperature: 0, maxTokens: 4)

    private func cached(_ conversation: Conversation) async throws -> Int {
        try await conversation.reply(to: "hello", generationOptions: options).completion.stats?.cachedPromptTokens ?? -1
    }

    @Test("The second turn processes only its new tokens")
    func reuse() async throws {
        let runner = try ScriptedRunners.runner(saying: "one two three")
        let conversation = runner.createConversation(systemPrompt: "Be brief.")
        let first = try #require(try await conversation.reply(to: "hello", generationOptions: options).completion.stats)
        let second = try #require(
            try await conversation.reply(to: "and now?", generationOptions: options).completion.stats)
        #expect(first.cachedPromptTokens == 0)
        #expect(second.cachedPromptTokens >= first.promptTokens)
        #expect(second.promptTokens > second.cachedPromptTokens)
    }

    @Test("Conversations do not take each other's timelines while there are enough")
    func separate() async throws {
        let runner = try ScriptedRunners.runner(saying: "one two three", timelines: 2)
        let (left, right) = (runner.createConversation(systemPrompt: "A"), runner.createConversation(systemPrompt: "B"))
        #expect(try await cached(left) == 0)
        #expect(try await cached(right) == 0)
        #expect(try await cached(left) > 20)
        #expect(try await cached(right) > 20)
    }

    @Test("The timeline that was used least recently goes to the conversation that needs one")
    func leastRecentlyUsed() async throws {
        let runner = try ScriptedRunners.runner(saying: "one two three", timelines: 2)
        let all = ["A", "B", "C"].map { runner.createConversation(systemPrompt: $0) }
        let head = 8  // <|im_start|>system and the line feed
        for conversation in all { #expect(try await cached(conversation) <= head) }
        #expect(try await cached(all[2]) > 20)
        #expect(try await cached(all[1]) > 20)
        #expect(try await cached(all[0]) <= head)
    }

    @Test("A conversation that ends frees its timeline")
    func ending() async throws {
        let runner = try ScriptedRunners.runner(saying: "one two three")
        let id: ConversationID
        do {
            let conversation = runner.createConversation()
            id = conversation.id
            _ = try await cached(conversation)
            #expect(runner.keptTimelines == 1)
        }
        runner.conversationEnded(id)
        #expect(runner.keptTimelines == 0)
    }

    @Test("Unloading frees all timelines")
    func unloading() async throws {
        let runner = try ScriptedRunners.runner(saying: "one two three")
        let conversation = runner.createConversation()
        _ = try await cached(conversation)
        await runner.unload()
        #expect(runner.keptTimelines == 0)
    }
}
