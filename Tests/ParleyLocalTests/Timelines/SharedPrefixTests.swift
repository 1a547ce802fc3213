// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import ParleyConversation
import ParleyEngine
import ParleyLocal
import ParleyRuntime
import ParleyTestSupport
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("Prefixes that conversations share", .timeLimit(.minutes(15)))
struct SharedPrefixTests {
    private func model(_ architecture: TinyArchitecture = .llama) async throws -> NativeModel {
        let url = URL.temporary(".gguf")
        try TinyModel(architecture).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        return try await NativeModel.load(url, configuration: .init(context: 2_048, threads: 1))
    }

    private func runner(_ architecture: TinyArchitecture = .llama, timelines: Int = 16) async throws -> LocalModelRunner
    {
        try LocalModelRunner(try await model(architecture), contextSize: 2_048, timelines: timelines)
    }

    private func tokens(_ count: Int, seed: UInt64) -> [TokenID] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { _ in TokenID(Int.random(in: 3..<200, using: &random)) }
    }

    private func reply(
        _ runner: LocalModelRunner, to prompt: [TokenID], scope: String = "", id: ConversationID = ConversationID()
    ) async throws -> GenerationOutcome {
        let options = GenerationOptions(temperature: 0.9, seed: 7, maxTokens: 12)
        return try await runner.complete(
            CompletionRequest(.tokens(prompt), options: options, conversationID: id, cacheScope: scope),
            to: ResponseWriter { _ in })
    }

    private func read(_ outcome: GenerationOutcome) throws -> Int {
        let stats = try #require(outcome.stats)
        return stats.promptTokens - stats.cachedPromptTokens
    }

    @Test(
        "16 at once with 1,024 tokens in common read these once, and each its own, and reply as if alone",
        arguments: [TinyArchitecture.llama, .lfm2, .gemma3])
    func together(architecture: TinyArchitecture) async throws {
        let runner = try await runner(architecture)
        let common = tokens(1_024, seed: 1)
        let prompts = (0..<16).map { common + tokens(20 + $0, seed: 100 + UInt64($0)) }
        let outcomes = try await withThrowingTaskGroup(of: (Int, GenerationOutcome).self) { group in
            for (number, prompt) in prompts.enumerated() {
                group.addTask { (number, try await reply(runner, to: prompt)) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        let own = prompts.reduce(0) { $0 + $1.count - 1_024 }
        #expect(try outcomes.values.reduce(0) { $0 + (try read($1)) } <= 1_024 + own)
        for number in [0, 5, 15] {
            let alone = try await reply(runner, to: prompts[number], scope: "alone \(number)")
            #expect(try read(alone) == prompts[number].count)
            #expect(alone.tokens == outcomes[number]?.tokens)
            #expect(alone.tokens?.isEmpty == false)
        }
    }

    @Test("A branch and a second reply to the same prompt read only what is new")
    func branches() async throws {
        let runner = try await runner()
        let options = GenerationOptions(temperature: 0, maxTokens: 10)
        let conversation = runner.createConversation(systemPrompt: String(repeating: "Be brief. ", count: 40))
        let first = try #require(try await conversation.reply(to: "hello", generationOptions: options).completion.stats)
        #expect(first.cachedPromptTokens == 0)
        let branch = try conversation.branch()
        let next = try #require(try await conversation.reply(to: "go on", generationOptions: options).completion.stats)
        let other = try #require(try await branch.reply(to: "stop it", generationOptions: options).completion.stats)
        let new = next.promptTokens - next.cachedPromptTokens
        #expect(new < 60)
        #expect(other.promptTokens - other.cachedPromptTokens <= new + 4)

        let prompt = tokens(300, seed: 4)
        let one = try await reply(runner, to: prompt)
        let two = try await reply(runner, to: prompt)
        #expect(try read(one) == 300)
        #expect(try read(two) == 1)
        #expect(one.tokens == two.tokens)
    }

    @Test("What one scope has read tells another nothing, also when its timeline is taken over")
    func scopes() async throws {
        let runner = try await runner(timelines: 2)
        let prompt = tokens(200, seed: 5)
        for scope in ["a", "b", "c", "d"] {
            #expect(try read(try await reply(runner, to: prompt, scope: scope)) == 200, "in \(scope)")
            #expect(try read(try await reply(runner, to: prompt, scope: scope)) == 1, "again in \(scope)")
        }
        let id = ConversationID()
        #expect(try read(try await reply(runner, to: prompt, scope: "e", id: id)) == 200)
        #expect(try read(try await reply(runner, to: prompt, scope: "f", id: id)) == 200)
    }

    @Test("With few timelines and many conversations every reply is the one that it is alone")
    func crowded() async throws {
        let (runner, lonely) = (try await runner(timelines: 3), try await runner())
        var random = SplitMix64(seed: 9)
        let texts = (0..<4).map { tokens(400, seed: 20 + $0) }
        let prompts = (0..<24).map { number in
            texts[number % 4].prefix(Int.random(in: 20..<400, using: &random)) + tokens(5, seed: UInt64(number))
        }
        let ids = (0..<5).map { _ in ConversationID() }
        let together = try await withThrowingTaskGroup(of: (Int, [TokenID]?).self) { group in
            for (number, prompt) in prompts.enumerated() {
                group.addTask { (number, try await reply(runner, to: Array(prompt), id: ids[number % 5]).tokens) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        for (number, prompt) in prompts.enumerated() {
            let alone = try await reply(lonely, to: Array(prompt), scope: "\(number)")
            #expect(together[number] == alone.tokens, "\(number)")
        }
        #expect(runner.keptTimelines <= 3)
    }

    // MARK: Waiting

    private func pool() async throws -> TimelinePool {
        TimelinePool(
            model: try await model(), capacity: 1_000, limit: 4,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func waitUntil(_ condition: () -> Bool) async {
        while !condition() { await Task.yield() }
    }

    @Test("Who waits for a prompt goes on when enough is read, when its reader ends, and when it is cancelled")
    func waiting() async throws {
        let pool = try await pool()
        let prompt = ModelInput(tokens(600, seed: 1))
        for ending in ["read", "ended", "cancelled"] {
            let scope = ending
            let (gate, open) = AsyncStream<Void>.makeStream()
            let (started, start) = AsyncStream<Void>.makeStream()
            let reader = Task {
                try await pool.withTimeline(for: ConversationID(), scope: scope, prompt: prompt) { lease in
                    start.finish()
                    for await _ in gate { break }
                    guard ending == "read" else { return }
                    try await lease.timeline.step(
                        TimelineStep(tokens: prompt.tokens, positions: .none), into: LogitRows())
                    lease.reached(600)
                    // It is still in use when the other copies.
                    for await _ in gate { break }
                }
            }
            for await _ in started {}
            let waiter = Task {
                defer { open.finish() }
                return try await pool.withTimeline(for: ConversationID(), scope: scope, prompt: prompt) { lease in
                    lease.timeline.contents.count
                }
            }
            await waitUntil { pool.waitingCount == 1 }
            if ending == "cancelled" { waiter.cancel() } else { open.yield() }
            switch ending {
            case "read": #expect(try await waiter.value == 600)
            case "ended": #expect(try await waiter.value == 0)
            default: await #expect(throws: CancellationError.self) { try await waiter.value }
            }
            open.finish()
            try await reader.value
            #expect(pool.waitingCount == 0)
        }
    }
}
