// SPDX-License-Identifier: Apache-2.0

import ParleyEngine
import ParleyEngineCases
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer
import Synchronization
import Testing

@Suite("Batch scheduler")
struct BatchSchedulerTests {
    /// A model with a context so long that reading a prompt takes many steps.
    private static func model(_ architecture: TinyArchitecture) async throws -> NativeModel {
        var tiny = TinyModel(architecture)
        tiny.context = 1 << 13
        return try await NativeModel.load(tiny.writer(), context: tiny.context)
    }

    @Test(
        "cancelling a prompt keeps the processed part and does not affect other timelines",
        arguments: [TinyArchitecture.llama, .lfm2])
    func cancelsBetweenChunks(architecture: TinyArchitecture) async throws {
        let model = try await Self.model(architecture)
        let vocabulary = model.info.vocabularySize
        let prompt = randomTokens(model.context, vocabulary: vocabulary)
        let expected = try await model.logits(of: Array(prompt.prefix(8)))
        // All on the model's own thread: between two steps it is free, other threads perhaps only after the last one. How
        // much is processed before the cancellation is random, but in some round it is a part.
        let isDivided = try await withTaskExecutorPreference(model.executor) {
            for _ in 0..<100 {
                let timeline = try model.makeTimeline()
                let reading = Task(executorPreference: model.executor) {
                    for _ in 0..<50 {
                        timeline.rewind(to: 0)
                        try await timeline.step(TimelineStep(tokens: prompt, positions: .none), into: LogitRows())
                    }
                }
                let beside = try await model.logits(of: Array(prompt.prefix(8)), chunk: 1)
                reading.cancel()
                await #expect(throws: CancellationError.self) { try await reading.value }
                #expect(firstDifference(beside, expected) == nil)

                let held = timeline.contents.tokens
                #expect(held == Array(prompt.prefix(held.count)))
                guard (1...model.context - 20).contains(held.count) else { continue }
                let next = randomTokens(20, vocabulary: vocabulary, seed: 9)
                let after = try await timeline.logits(of: next)
                let cold = try await model.logits(of: held + next)
                #expect(firstDifference(after, Array(cold.suffix(after.count))) == nil)
                return true
            }
            return false
        }
        #expect(isDivided, "no prompt was read in part")
    }

    @Test("a step of a task that is cancelled already runs nothing")
    func refusesCancelledTasks() async throws {
        let timeline = try await Self.model(.llama).makeTimeline()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await timeline.step(TimelineStep(tokens: [1, 2, 3]), into: LogitRows())
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(timeline.contents.isEmpty)
        try await timeline.step(TimelineStep(tokens: [4]), into: LogitRows())
        #expect(timeline.contents.tokens == [4])
    }

    @Test("replies on the engine's thread are the same as on other threads", .timeLimit(.minutes(15)))
    func repliesOnItsThread() async throws {
        let model = try await Self.model(.llama)
        let vocabulary = model.info.vocabularySize
        let prompts = (1...5).map { randomTokens(20 * $0, vocabulary: vocabulary, seed: UInt64($0)) }
        let elsewhere = try await Self.replies(of: model, to: prompts)
        let there = try await withTaskExecutorPreference(model.executor) {
            try await Self.replies(of: model, to: prompts)
        }
        #expect(there == elsewhere)
    }

    @Test("a task that never suspends does not block the steps of others", .timeLimit(.minutes(15)))
    func restlessTask() async throws {
        let model = try await Self.model(.llama)
        try await withTaskExecutorPreference(model.executor) {
            try await withThrowingTaskGroup { group in
                group.addTask { while !Task.isCancelled { await Task.yield() } }
                try await model.makeTimeline().step(TimelineStep(tokens: [1, 2, 3]), into: LogitRows())
                group.cancelAll()
            }
        }
    }

    @Test("a task on the engine's thread continues after the model was freed", .timeLimit(.minutes(15)))
    func modelFreed() async throws {
        let model = Mutex<NativeModel?>(try await Self.model(.llama))
        let executor = try #require(model.withLock { $0?.executor })
        weak let freed = model.withLock { $0 }
        await withTaskExecutorPreference(executor) {
            model.withLock { $0 = nil }
            for _ in 0..<100 { await Task.yield() }
        }
        #expect(freed == nil)
    }

    /// Ten tokens to each prompt, drawn at the same time.
    private static func replies(of model: NativeModel, to prompts: [[TokenID]]) async throws -> [[TokenID]] {
        try await withThrowingTaskGroup(of: (Int, [TokenID]).self) { group in
            for (index, prompt) in prompts.enumerated() {
                group.addTask {
                    var generation = try Generation(
                        of: ModelInput(prompt), on: model.makeTimeline(), model: model, sampling: .greedy,
                        stop: .init(maxTokens: 10, ignoresEndOfGeneration: true), drafts: false)
                    var reply: [TokenID] = []
                    while let token = try await generation.next() { reply.append(token) }
                    return (index, reply)
                }
            }
            return try await group.reduce(into: Array(repeating: [], count: prompts.count)) { $0[$1.0] = $1.1 }
        }
    }
}
