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

    @Test("A conversation that was resumed keeps its timeline when the earlier one with its id ends")
    func resumed() async throws {
        let runner = try ScriptedRunners.runner(saying: "one two three")
        let resumed: Conversation
        do {
            let conversation = runner.createConversation()
            _ = try await cached(conversation)
            resumed = Conversation(modelRunner: runner, history: conversation.history, id: conversation.id)
        }
        #expect(runner.keptTimelines == 1)
        #expect(try await cached(resumed) > 0)
        runner.conversationEnded(resumed.id)
        #expect(runner.keptTimelines == 0)
    }

    @Test("A conversation that a runner only replied in frees its timeline there")
    func guest() async throws {
        let (own, other) = (
            try ScriptedRunners.runner(saying: "one two three"), try ScriptedRunners.runner(saying: "four")
        )
        do {
            let conversation = own.createConversationFromHistory([.user("hello")])
            for _ in 0..<2 {
                let (replies, continuation) = AsyncStream<Void>.makeStream()
                other.generateResponse(conversation: conversation, generationOptions: options) {
                    if case .complete = $0 { continuation.finish() }
                }
                for await _ in replies {}
                await conversation.waitUntilIdle()
            }
            #expect(other.keptTimelines == 1)
        }
        // The task of the last reply holds the conversation a little longer.
        for _ in 0..<1_000_000 where other.keptTimelines > 0 { await Task.yield() }
        #expect(other.keptTimelines == 0)
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
