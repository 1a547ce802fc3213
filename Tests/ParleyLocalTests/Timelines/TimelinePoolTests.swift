// SPDX-License-Identifier: Apache-2.0

import Dispatch
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

    @Test("A conversation that a runner only replied in frees its timeline there", .timeLimit(.minutes(15)))
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
        while other.keptTimelines > 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
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

    @Test("A timeout that no clock can count to is none, also where a reply waits", .timeLimit(.minutes(15)))
    func endlessTimeout() async throws {
        let model = try ScriptedRunners.model(saying: "one two three four five six seven eight nine ten")
        let runner = try LocalModelRunner(NarrowModel(base: model, room: 1))
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let mayReturn = DispatchSemaphore(value: 0)
        let first = runner.createConversation()
        // Its callbacks hold it up while it has the only timeline.
        first.generateResponse(message: .user("hello")) { _ in
            begin.yield()
            mayReturn.wait()
        }
        for await _ in begun { break }
        var endless = options
        endless.timeout = .seconds(Int64.max)
        let second = runner.createConversation().reply(to: "hello", generationOptions: endless)
        var progress = second.progress.makeAsyncIterator()
        #expect(await progress.next() == .queued(place: 1))
        for _ in 0..<100 { mayReturn.signal() }
        #expect(try await second.completion.finishReason == .length)
        await first.waitUntilIdle()
    }

    @Test(
        "A generation waits for more room no longer than its time allows", .timeLimit(.minutes(15)),
        arguments: [Duration.zero, .milliseconds(50)])
    func lateForMore(time: Duration) async throws {
        let model = try ScriptedRunners.model(saying: "one")
        let pool = TimelinePool(
            model: model, capacity: 4_096, limit: 8, positions: 1_400,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let prompt = ModelInput(Array(repeating: 5, count: 300))
        // The elder one keeps nearly all there is, so that the younger one is set back.
        let reason = try await pool.withTimeline(for: ConversationID(), prompt: ModelInput([7])) { _ in
            try await pool.withTimeline(
                for: ConversationID(), prompt: prompt, reply: 0, deadline: ContinuousClock.now + time
            ) { lease in
                var generation = try Generation(of: prompt, on: lease.timeline, model: model)
                try await generation.readPrompt()
                try await lease.makeRoom(for: &generation)
                return generation.finishReason
            }
        }
        #expect(reason == .timeout)
    }

    @Test(
        "A generation that is set back while its timeline is being made gives back its room as soon as it begins",
        .timeLimit(.minutes(15)))
    func setBackEarly() async throws {
        let model = SlowModel(base: try ScriptedRunners.model(saying: "one"))
        let pool = TimelinePool(
            model: model, capacity: 4_096, limit: 8, positions: 1_400,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let thread = OwnThread()
        let prompt = ModelInput(Array(repeating: 5, count: 300))
        try await pool.withTimeline(for: ConversationID(), prompt: prompt, reply: 0) { elder in
            let younger = Task(executorPreference: thread) {
                try await pool.withTimeline(for: ConversationID(), prompt: ModelInput([7])) { lease in
                    lease.lacksRoom(for: try Generation(of: ModelInput([7]), on: lease.timeline, model: model))
                }
            }
            while !model.isMaking { await Task.yield() }
            // Together they have nearly all there is.
            let growing = Task {
                var generation = try Generation(of: prompt, on: elder.timeline, model: model)
                try await generation.readPrompt()
                try await elder.makeRoom(for: &generation)
                return generation.finishReason
            }
            while pool.waitingCount == 0 { await Task.yield() }
            model.proceed()
            let (isSetBack, ending) = (try await younger.value, try await growing.value)
            #expect(isSetBack && ending == nil)
        }
    }
}

/// A model whose second timeline is made only when it may be.
private final class SlowModel: TokenModel {
    private let base: TemplatedModel
    private let made = Atomic<Int>(0)
    private let pause = DispatchSemaphore(value: 0)

    init(base: TemplatedModel) {
        self.base = base
    }

    var info: ModelDescription { base.info }
    var tokenizer: Tokenizer { base.tokenizer }

    /// Whether the second timeline is being made.
    var isMaking: Bool { made.load(ordering: .sequentiallyConsistent) == 2 }

    func proceed() { pause.signal() }

    func makeTimeline(capacity: Int) throws -> any TokenTimeline {
        if made.add(1, ordering: .sequentiallyConsistent).newValue == 2 { pause.wait() }
        return try base.makeTimeline(capacity: capacity)
    }
}

/// A thread for a task that blocks.
private final class OwnThread: TaskExecutor {
    private let queue = DispatchQueue(label: "parley.test")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
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
