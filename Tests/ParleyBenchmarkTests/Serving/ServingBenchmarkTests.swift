// SPDX-License-Identifier: Apache-2.0

import ParleyBenchmark
import ParleyConversation
import ParleyJSON
import ParleyTesting
import Synchronization
import Testing

@Suite("Measurements of runners that reply to several at a time", .timeLimit(.minutes(15)))
struct ServingBenchmarkTests {
    private var small: ServingPlan {
        var plan = ServingPlan()
        (plan.streams, plan.replyTokens, plan.shortPrompt, plan.prompt) = ([1, 3], 5, 8, 20)
        (plan.longPrompt, plan.companions, plan.common, plan.crowd, plan.repetitions) = (60, 2, 30, 4, 2)
        return plan
    }

    private func runner() -> ScriptedRunner {
        ScriptedRunner { _, _ in ScriptedReply((1...50).map { "word\($0)" }.joined(separator: " ")) }
    }

    @Test("every measurement is made as often as the plan says, of prompts that have their lengths")
    func everything() async throws {
        let runner = runner()
        let steps = Mutex<[String]>([])
        let results = try await ServingBenchmark(runner, plan: small).run { step in steps.withLock { $0.append(step) } }
        #expect(results.speeds.map(\.streams) == [1, 3])
        #expect(results.speeds.allSatisfy { $0.tokensPerSecond.values.count == 2 && $0.tokensPerSecond.least > 0 })
        for samples in [
            results.firstToken, results.shortBesideLong, results.gapBesideLong, results.crowdFirstToken,
        ] {
            #expect(samples?.values.count == 2 && samples?.least ?? 0 > 0)
        }
        #expect(steps.withLock { $0.count } == 6)
        // A word is a token, and a message has two more.
        let lengths = runner.requests.map { 2 + ($0.messages.last?.text.split(separator: " ").count ?? 0) }
        #expect(lengths.filter { $0 == 20 }.count == 2, "the prompt of 20 tokens")
        #expect(lengths.filter { $0 == 60 }.count == 2, "the long prompt")
        #expect(runner.requests.allSatisfy { $0.options.temperature == 0 && $0.options.maxTokens ?? 99 <= 5 })
        // Each of 1 and 3 callers, of one, of two beside two others and of four greets before it is measured.
        #expect(runner.requests.count { $0.messages.last?.text == "Hi" } == 2 * (1 + 3 + 1 + 4 + 4))
        let json = results.json
        #expect(json["tokens_per_second"]?[1]?["streams"] == 3)
        #expect(json["crowd_first_token_p50_seconds"]?["samples"]?.array?.count == 2)
    }

    @Test("prompts have nothing in common but what the crowd is to have")
    func prompts() async throws {
        let runner = runner()
        _ = try await ServingBenchmark(runner, plan: small).run()
        let texts = runner.requests.compactMap { $0.messages.last?.text }.filter { $0 != "Hi" }
        let crowd = texts.suffix(4).map { $0.split(separator: " ").prefix(30) }
        #expect(Set(crowd).count == 1)
        #expect(Set(texts.suffix(4)).count == 4)
        #expect(Set(texts.dropLast(8).map { $0.split(separator: " ").prefix(6) }).count > texts.count / 2)
    }

    @Test("what does not fit into the context is left out, and measured no more")
    func context() async throws {
        let plan = ServingPlan().fitting(context: 2_048)
        #expect(plan.longPrompt == 0 && plan.common == 1_024 && plan.prompt == 512)
        #expect(ServingPlan().fitting(context: nil) == ServingPlan())
        var short = small
        (short.longPrompt, short.common, short.prompt) = (0, 0, 0)
        let results = try await ServingBenchmark(runner(), plan: short).run()
        #expect(results.firstToken == nil && results.gapBesideLong == nil && results.crowdFirstToken == nil)
    }

    @Test("a failure ends the measurements, wherever it comes", arguments: [0, 3, 8, 12, 16])
    func failures(number: Int) async throws {
        let runner = ScriptedRunner { _, count in
            count == number
                ? ScriptedReply(steps: [.fail(ConversationError(.generationFailed, "No power."))])
                : ScriptedReply((1...50).map { "word\($0)" }.joined(separator: " "))
        }
        let benchmark = ServingBenchmark(runner, plan: small)
        await #expect(throws: ConversationError.self) { _ = try await benchmark.run() }
    }

    @Test("impossible plans are refused")
    func impossible() async throws {
        var plan = small
        plan.streams = [0]
        let benchmark = ServingBenchmark(runner(), plan: plan)
        await #expect(throws: BenchmarkError.self) { _ = try await benchmark.run() }
    }

    @Test("the percentile is the value that so many do not exceed")
    func percentile() {
        let samples = Samples((1...200).map(Double.init).shuffled())
        #expect(samples.percentile(99) == 198 && samples.percentile(50) == 100 && samples.percentile(100) == 200)
        #expect(Samples([7]).percentile(99) == 7)
    }
}
