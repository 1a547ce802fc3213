// SPDX-License-Identifier: Apache-2.0

import Logging
import ParleyConversation
import ParleyLocal
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer
import Synchronization
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

    private func pool(room: Int) throws -> TimelinePool {
        TimelinePool(
            model: NarrowModel(base: try ScriptedRunners.model(saying: "one"), room: room), capacity: 100, limit: 8,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test("Without memory for another timeline, a generation waits for one that runs", .timeLimit(.minutes(15)))
    func noMemory() async throws {
        let pool = try pool(room: 2)
        let gate = Gate()
        let places = Places()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<5 {
                group.addTask {
                    try await pool.withTimeline(
                        for: ConversationID(), prompt: ModelInput([TokenID(number)]), waiting: places.note
                    ) { _ in try await gate.wait() }
                }
            }
            while pool.waitingCount < 3 { await Task.yield() }
            gate.open()
            try await group.waitForAll()
        }
        #expect(places.all == [1, 2, 3])
        #expect(pool.waitingCount == 0)
    }

    @Test("Where no generation runs that could make room, and where the time is over, none waits for it")
    func neverMemory() async throws {
        let error = await #expect(throws: RuntimeError.self) {
            try await pool(room: 0).withTimeline(for: ConversationID(), prompt: ModelInput([1])) { _ in }
        }
        #expect(error?.code == .insufficientMemory)
        let narrow = try pool(room: 1)
        try await narrow.withTimeline(for: ConversationID(), prompt: ModelInput([1])) { _ in
            await #expect(throws: PromptDeadlinePassed.self) {
                try await narrow.withTimeline(for: ConversationID(), prompt: ModelInput([2]), deadline: .now) { _ in }
            }
            let late = Task { try await narrow.withTimeline(for: ConversationID(), prompt: ModelInput([2])) { _ in } }
            while narrow.waitingCount == 0 { await Task.yield() }
            late.cancel()
            await #expect(throws: CancellationError.self) { try await late.value }
        }
        try await narrow.withTimeline(for: ConversationID(), prompt: ModelInput([3])) { _ in }
    }
}

/// The places that generations were told.
private final class Places: Sendable {
    private let seen = Mutex<Set<Int>>([])

    var all: Set<Int> { seen.withLock { $0 } }

    func note(_ place: Int) { seen.withLock { _ = $0.insert(place) } }
}

/// A model with memory for a few timelines.
private final class NarrowModel: TokenModel {
    private let base: TemplatedModel
    private let room: Mutex<Int>

    init(base: TemplatedModel, room: Int) {
        self.base = base
        self.room = Mutex(room)
    }

    var info: ModelDescription { base.info }
    var tokenizer: Tokenizer { base.tokenizer }

    func makeTimeline(capacity: Int) throws -> any TokenTimeline {
        try room.withLock { room in
            guard room > 0 else { throw RuntimeError(.insufficientMemory, "There is no room.") }
            room -= 1
        }
        return try base.makeTimeline(capacity: capacity)
    }
}
