// SPDX-License-Identifier: Apache-2.0

import ParleyBenchmark
import ParleyModelFile
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer
import Synchronization
import Testing

@Suite("EngineBenchmark")
struct EngineBenchmarkTests {
    /// Records the steps that a model is asked for.
    private final class Log: Sendable {
        private let steps = Mutex<[(tokens: [TokenID], positions: TimelineStep.Positions)]>([])

        func note(_ step: TimelineStep) {
            steps.withLock { $0.append((step.tokens, step.positions)) }
        }

        var all: [(tokens: [TokenID], positions: TimelineStep.Positions)] { steps.withLock { $0 } }
    }

    /// A clock that advances by two seconds each time it is read.
    private final class SlowClock: Sendable {
        private let looks = Mutex(ContinuousClock.now)

        func now() -> ContinuousClock.Instant {
            looks.withLock { instant in
                instant += .seconds(2)
                return instant
            }
        }
    }

    private let log = Log()
    private let benchmark: EngineBenchmark

    init() throws {
        let file = try GGUFFile(bytes: TinyModel().writer().encoded()[...])
        let (log, clock) = (log, SlowClock())
        let model = ScriptedModel(tokenizer: try Tokenizer(file.tokenizerDescription())) {
            log.note($0)
        } next: {
            TokenID($0.count)
        }
        benchmark = EngineBenchmark(model: model) { clock.now() }
    }

    @Test("each repetition of prefill runs the whole prompt for its last logits; the first one is not counted")
    func prefill() async throws {
        let speed = try await benchmark.prefill(10, repetitions: 3)
        #expect(speed.values == [5, 5, 5])
        #expect(log.all.map(\.tokens.count) == [10, 10, 10, 10])
        #expect(log.all.allSatisfy { $0.positions == .last })
    }

    @Test("decode feeds back the likeliest token, and filling to the depth happens once")
    func decode() async throws {
        let speed = try await benchmark.decode(4, depth: 6, repetitions: 2)
        #expect(speed.values == [2, 2])
        #expect(log.all.map(\.tokens.count) == [6] + Array(repeating: 1, count: 12))
        #expect(log.all.first?.positions == TimelineStep.Positions.none)
        // The scripted model answers with the number of tokens before.
        for repetition in 0..<3 {
            let steps = log.all.dropFirst(1 + 4 * repetition).prefix(4).map(\.tokens)
            #expect(steps.dropFirst() == [[7], [8], [9]])
        }
    }

    @Test("the tokens of sequences decoded together are added up")
    func together() async throws {
        let speed = try await benchmark.decode(5, depth: 0, sequences: 4, repetitions: 1)
        #expect(speed.values == [10])
        #expect(log.all.count == 2 * 4 * 5)
    }

    @Test("only the measurements in the plan are made")
    func plan() async throws {
        var plan = BenchmarkPlan()
        plan.promptTokens = 0
        plan.replyTokens = 3
        plan.depths = [0, 8]
        plan.sequences = [2]
        plan.repetitions = 1
        let results = try await plan.run(on: benchmark)
        #expect(results.prefill == nil)
        #expect(results.decode.map(\.depth) == [0, 8])
        #expect(results.batch.map(\.sequences) == [2])
        #expect(plan.context == 11)
        plan.replyTokens = 0
        plan.promptTokens = 7
        let prefill = try await plan.run(on: benchmark)
        #expect(prefill.prefill?.values.count == 1)
        #expect(prefill.decode.isEmpty && prefill.batch.isEmpty)
        #expect(plan.context == 7)
    }

    @Test("a reply to a prompt is timed to its first token, and from there on")
    func reply() async throws {
        let result = try await benchmark.reply(toPromptOf: 8, count: 5, repetitions: 2)
        #expect(result.firstToken.values == [2, 2])
        #expect(result.prefill == 4)
        #expect(result.decode.values == [2, 2])
        #expect(log.all.map(\.tokens.count) == Array(repeating: [8, 1, 1, 1, 1], count: 3).flatMap(\.self))
    }

    @Test("prompts longer than the model was trained for are left out")
    func fits() async throws {
        var plan = BenchmarkPlan.comparison(of: [32, 512, 4_096])
        plan.replyTokens = 4
        #expect(plan.context == 4_096 + 4)
        plan.fit(trainedContext: 1_024)
        #expect(plan.prompts == [32, 512])
        #expect(plan.context == 512 + 4)
        plan.fit(trainedContext: 8)
        #expect(plan.prompts.isEmpty && plan.context >= 1)
        let results = try await plan.run(on: benchmark)
        #expect(results.prompts.isEmpty && results.decode.isEmpty && results.prefill == nil)
    }

    @Test("a plan with a number that is too small is refused")
    func refused() async {
        var plans = Array(repeating: BenchmarkPlan(), count: 3)
        plans[0].repetitions = 0
        plans[1].depths = [-1]
        plans[2].sequences = [0]
        for plan in plans {
            await #expect(throws: BenchmarkError.self) { _ = try await plan.run(on: benchmark) }
        }
    }
}
