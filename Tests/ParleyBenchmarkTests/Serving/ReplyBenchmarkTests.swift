// SPDX-License-Identifier: Apache-2.0

import ParleyBenchmark
import ParleyConversation
import ParleyTesting
import Synchronization
import Testing

@Suite("Measurements of one reply at a time", .timeLimit(.minutes(15)))
struct ReplyBenchmarkTests {
    private func runner() -> ScriptedRunner {
        ScriptedRunner { _, _ in ScriptedReply((1...50).map { "word\($0)" }.joined(separator: " ")) }
    }

    private var small: ReplyBenchmark.Plan {
        var plan = ReplyBenchmark.Plan()
        (plan.prompts, plan.replyTokens, plan.repetitions) = ([20, 60], 5, 3)
        return plan
    }

    @Test("Each length is measured as often as the plan says, by prompts that have it, one after another.")
    func lengths() async throws {
        let runner = runner()
        let told = Mutex<[(Int, ReplyBenchmark.Row?)]>([])
        let rows = try await ReplyBenchmark(runner, plan: small).run { count, row in
            told.withLock { $0.append((count, row)) }
        }
        #expect(rows.map(\.prompt) == [20, 60])
        for row in rows {
            #expect(row.read?.values.count == 3 && row.read?.least ?? 0 > 0)
            #expect(row.written?.values.count == 3 && row.written?.least ?? 0 > 0)
        }
        #expect(told.withLock { $0.map(\.0) } == Array(1...small.replies))
        #expect(told.withLock { $0.map { $0.1?.read?.values.count ?? 0 } } == [0, 0, 1, 2, 3, 1, 2, 3])
        // A word is a token, and a message has two more.
        let lengths = runner.requests.map { 2 + ($0.messages.last?.text.split(separator: " ").count ?? 0) }
        #expect(lengths.dropFirst(2) == [20, 20, 20, 60, 60, 60])
        #expect(Set(runner.requests.compactMap { $0.messages.last?.text }).count == runner.requests.count)
    }

    @Test("The runner's own times count where it tells them, and cached tokens are not read.")
    func ownTimes() async throws {
        struct Clocked: ModelRunner {
            let modelID = "clocked"
            func generate(_ request: GenerationRequest, to writer: ResponseWriter) async throws -> GenerationOutcome {
                writer.acceptPrompt()
                await writer.write(.text("a b"))
                return GenerationOutcome(
                    .stop,
                    stats: GenerationStats(
                        promptTokens: 120, cachedPromptTokens: 20, completionTokens: 2, tokensPerSecond: 7,
                        timeToFirstToken: .milliseconds(500)))
            }
            func promptTokenCount(
                messages: [ChatMessage], functions: [Function], options: GenerationOptions?
            ) async throws -> Int { 120 }
            func unload() async {}
        }
        let rows = try await ReplyBenchmark(Clocked(), plan: small).run()
        #expect(rows.allSatisfy { $0.read?.values == [200, 200, 200] && $0.written?.values == [7, 7, 7] })
        #expect(rows.allSatisfy { $0.promptTokens == 120 && $0.firstToken?.values == [0.5, 0.5, 0.5] })
    }

    @Test("Cancelling ends it, and so does a failure.")
    func ending() async throws {
        let gate = Gate()
        let runner = ScriptedRunner { _, number in
            ScriptedReply(steps: [.token("a "), .token("b "), .token("c ")] + (number == 3 ? [.wait(gate)] : []))
        }
        let plan = small
        let task = Task { try await ReplyBenchmark(runner, plan: plan).run() }
        await gate.arrival()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(runner.requests.count == 4)
        let failing = ScriptedRunner { _, _ in
            ScriptedReply(steps: [.fail(ConversationError(.generationFailed, "No power."))])
        }
        await #expect(throws: ConversationError.self) { try await ReplyBenchmark(failing, plan: plan).run() }
    }

    @Test("Impossible plans are refused.")
    func impossible() async {
        for change in [
            { $0.prompts = [0] }, { $0.prompts = [2_000_000] }, { $0.replyTokens = 1 }, { $0.repetitions = 0 },
        ] as [(inout ReplyBenchmark.Plan) -> Void] {
            var plan = small
            change(&plan)
            let benchmark = ReplyBenchmark(runner(), plan: plan)
            await #expect(throws: BenchmarkError.self) { try await benchmark.run() }
        }
    }
}
