// SPDX-License-Identifier: Apache-2.0

import Foundation
import ParleyConversation
import ParleyEngine
import ParleyLocal
import ParleyRuntime
import ParleyTestSupport
import ParleyTesting
import ParleyTokenizer
import Synchronization
import Testing

@Suite("Replies that are set back")
struct SetBackTests {
    private func model(_ architecture: TinyArchitecture) async throws -> NativeModel {
        let url = URL.temporary(".gguf")
        try TinyModel(architecture).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        return try await NativeModel.load(url, configuration: .init(context: 1_600, threads: 1))
    }

    private func runner(_ model: NativeModel, tokens: Int?) throws -> LocalModelRunner {
        try LocalModelRunner(
            model, contextSize: 1_600, timelines: 8,
            cacheMemory: tokens.map { $0 * (model.cacheBytesPerToken ?? 0) }, caches: nil)
    }

    private func tokens(_ count: Int, seed: UInt64) -> [TokenID] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { _ in TokenID(Int.random(in: 3..<200, using: &random)) }
    }

    private func reply(
        _ runner: LocalModelRunner, to prompt: [TokenID], seed: UInt64, maxTokens: Int? = nil
    ) async throws -> GenerationOutcome {
        var options = GenerationOptions(temperature: 1, seed: seed, maxTokens: maxTokens)
        // The reply does not end before it is full.
        options.sampling.logitBias = Dictionary(uniqueKeysWithValues: (0..<6).map { ($0, -100) })
        return try await runner.complete(
            CompletionRequest(.tokens(prompt), options: options), to: ResponseWriter { _ in })
    }

    @Test(
        "Replies that do not fit beside each other are set back, and no token changes",
        arguments: [TinyArchitecture.llama, .lfm2])
    func unchanged(architecture: TinyArchitecture) async throws {
        let model = try await model(architecture)
        let (narrow, wide) = (try runner(model, tokens: 4_000), try runner(model, tokens: nil))
        let prompts = (0..<4).map { tokens(100 + 40 * $0, seed: 50 + UInt64($0)) }
        func replies(_ runner: LocalModelRunner) async throws -> [Int: GenerationOutcome] {
            try await withThrowingTaskGroup(of: (Int, GenerationOutcome).self) { group in
                for (number, prompt) in prompts.enumerated() {
                    group.addTask { (number, try await reply(runner, to: prompt, seed: 5)) }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
        }
        let (together, apart) = (try await replies(narrow), try await replies(wide))
        for number in prompts.indices {
            let (one, other) = (together[number]?.tokens ?? [], apart[number]?.tokens ?? [])
            // A reply alone may not get as far where it has less memory than the context.
            #expect(one.count > 1_024 || one == other)
            #expect(one == Array(other.prefix(one.count)), "\(number)")
        }
        let use = try #require(narrow.cacheUse)
        #expect(use.setBacks > 0)
        #expect(use.reservedTokens <= 4_000)
        #expect(wide.cacheUse?.setBacks == 0)
        let figures = await narrow.figures()
        #expect(figures.setBacks == use.setBacks)
        #expect(figures.sequences == use.sequences)
        #expect(try #require(figures.reservedCacheBytes) <= 4_000 * (model.cacheBytesPerToken ?? 0))
        #expect(try #require(figures.cacheBytes) > 0)
        // Both runners have run steps of the model; in each step are at least one reply's rows.
        let steps = try #require(figures.steps)
        #expect(steps > 1_024)
        #expect(try #require(figures.rows) > steps)
        #expect(try #require(figures.stepTime) > .zero)
        // Each token of a reply was drawn after a step of its own, or was a draft that was right.
        let right = try #require(figures.acceptedTokens)
        #expect(right <= (figures.draftedTokens ?? 0))
    }

    @Test(
        "A reply that still reads its prompt is set back for an elder one, and has the same tokens",
        arguments: [TinyArchitecture.llama, .lfm2])
    func reading(architecture: TinyArchitecture) async throws {
        let model = try await model(architecture)
        // Beside each other they fit until the elder one has used up what it has reserved.
        let (narrow, wide) = (try runner(model, tokens: 2_700), try runner(model, tokens: nil))
        var number: UInt64 = 0
        // The elder one may need more just between two of the others; then it is tried again.
        for elderSeed in 90..<UInt64(98) where narrow.cacheUse?.setBacks ?? 0 == 0 {
            let isWriting = Mutex(true)
            let elder = Task {
                defer { isWriting.withLock { $0 = false } }
                return try await reply(narrow, to: tokens(100, seed: elderSeed), seed: 9)
            }
            let first = number + 1
            var others: [TokenID] = []
            while isWriting.withLock({ $0 }) {
                number += 1
                let one = try await reply(narrow, to: tokens(1_500, seed: number), seed: number, maxTokens: 1)
                others += one.tokens ?? []
            }
            let (one, alone) = (try await elder.value, try await reply(wide, to: tokens(100, seed: elderSeed), seed: 9))
            #expect(one.tokens == alone.tokens)
            var expected: [TokenID] = []
            for seed in first...number {
                let one = try await reply(wide, to: tokens(1_500, seed: seed), seed: seed, maxTokens: 1)
                expected += one.tokens ?? []
            }
            #expect(others == expected)
        }
        #expect(try #require(narrow.cacheUse).setBacks > 0)
        #expect(try #require(narrow.cacheUse).reservedTokens <= 2_700)
    }

    /// A scripted model of whose tokens each takes a byte.
    private struct CountedModel: TokenModel {
        let base: ScriptedModel
        let cacheBytesPerToken: Int? = 1
        var info: ModelDescription { base.info }
        var tokenizer: Tokenizer { base.tokenizer }

        func makeTimeline(capacity: Int) throws -> any TokenTimeline { base.makeTimeline(capacity: capacity) }
    }

    @Test("A reply that is stopped while it waits for memory keeps what it has written", .timeLimit(.minutes(15)))
    func stopped() async throws {
        let gate = Gate()
        defer { gate.open() }
        let base = try ScriptedModel(
            tokenizer: ScriptedRunners.tokenizer(),
            beforeStep: { step in if step.tokens.first == 101 { try await gate.wait() } }, next: { _ in 100 })
        // Beside the elder one, the younger one cannot have more than it begins with.
        let runner = try LocalModelRunner(
            CountedModel(base: base), contextSize: 4_096, cacheMemory: 1_700, caches: nil)
        let elder = Task { try await reply(runner, to: [101, 102], seed: 1, maxTokens: 500) }
        await gate.arrival()
        let younger = Task { try await reply(runner, to: [103, 104], seed: 1) }
        while runner.cacheUse?.setBacks == 0 { await Task.yield() }
        younger.cancel()
        let outcome = try await younger.value
        #expect(outcome.finishReason == .cancelled)
        #expect(outcome.stats?.completionTokens ?? 0 > 1_000)
        #expect(outcome.tokens?.count == outcome.stats?.completionTokens)
        #expect(outcome.rawOutput?.isEmpty == false)
        gate.open()
        #expect(try await elder.value.finishReason == .length)
        #expect(runner.cacheUse?.reservedTokens ?? 0 < 1_000)
    }

    @Test(
        "A reply with a limit is admitted whole, waits for others, and is never set back; one that never fits is refused"
    )
    func admitted() async throws {
        let runner = try runner(try await model(.llama), tokens: 1_000)
        let outcomes = try await withThrowingTaskGroup(of: GenerationOutcome.self) { group in
            for number in 0..<8 {
                group.addTask {
                    try await reply(
                        runner, to: tokens(200, seed: UInt64(number)), seed: 3, maxTokens: 150)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count == 8)
        let use = try #require(runner.cacheUse)
        #expect(use.setBacks == 0)
        #expect(use.reservedTokens <= 1_000)
        #expect(use.tokens <= 1_000)
        #expect(use.sequences < 8, "idle ones were freed for others")
        let error = await #expect(throws: ConversationError.self) {
            try await reply(runner, to: tokens(600, seed: 1), seed: 1, maxTokens: 500)
        }
        #expect(error?.code == .invalidInput)
        // What it says would fit does, and one token more does not.
        let most = try #require(error?.message.firstMatch(of: /at most ([0-9]+) tokens/).flatMap { Int($0.1) })
        let longest = try await reply(runner, to: tokens(600, seed: 1), seed: 1, maxTokens: most)
        #expect(longest.stats?.completionTokens == most)
        for (prompt, maxTokens) in [(600, most + 1), (1_200, 1), (1_200, nil)] as [(Int, Int?)] {
            let refused = await #expect(throws: ConversationError.self) {
                try await reply(runner, to: tokens(prompt, seed: 1), seed: 1, maxTokens: maxTokens)
            }
            #expect(refused?.code == .invalidInput)
        }
        // Without a limit of its own a reply has what there is.
        let rest = try await reply(runner, to: tokens(600, seed: 1), seed: 1)
        #expect(rest.stats?.completionTokens ?? 0 > 0)
    }
}
