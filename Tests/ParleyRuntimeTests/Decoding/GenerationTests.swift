// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer
import Synchronization
import Testing

@Suite("Generation")
struct GenerationTests {
    private let tokenizer: Tokenizer
    private let prompt: [TokenID]

    init() throws {
        let file = try GGUFFile(bytes: TinyModel().writer().encoded()[...])
        tokenizer = try Tokenizer(file.tokenizerDescription())
        prompt = tokenizer.encode("Question: ")
    }

    /// Runs a generation to its end.
    private func run(
        _ generation: Generation
    ) async throws -> (text: String, Generation.FinishReason, GenerationStatistics) {
        var generation = generation
        var tokens: [TokenID] = []
        while let token = try await generation.next() { tokens.append(token) }
        #expect(try await generation.next() == nil, "nothing follows the end")
        return (tokenizer.decode(tokens), try #require(generation.finishReason), generation.statistics)
    }

    private func model(saying reply: String) -> ScriptedModel {
        ScriptedModel(tokenizer: tokenizer, saying: tokenizer.encode(reply), after: prompt.count)
    }

    private func generation(
        _ model: ScriptedModel, capacity: Int = 256, stop: StopRules = .init(), timeline: (any TokenTimeline)? = nil
    ) throws -> Generation {
        try Generation(
            of: ModelInput(prompt), on: timeline ?? model.makeTimeline(capacity: capacity), model: model,
            sampling: .greedy,
            stop: stop)
    }

    @Test("the reply ends with the model's end-of-generation token, which is not part of its text")
    func stop() async throws {
        let (text, reason, statistics) = try await run(generation(model(saying: "Hello, wörld 🙂!")))
        #expect(text == "Hello, wörld 🙂!")
        #expect(reason == .stop)
        #expect(statistics.promptTokens == prompt.count)
        #expect(statistics.completionTokens == tokenizer.encode("Hello, wörld 🙂!").count)
        #expect(statistics.totalTokens == statistics.promptTokens + statistics.completionTokens)
    }

    @Test("the reader can end the reply, and the timeline then has the tokens up to there")
    func stopped() async throws {
        let model = model(saying: "one two three")
        let timeline = model.makeTimeline(capacity: 256)
        var generation = try generation(model, timeline: timeline)
        let first = try await generation.next()
        let second = try await generation.next()
        generation.stop()
        #expect(try await generation.next() == nil)
        #expect(generation.finishReason == .stop)
        #expect(generation.statistics.completionTokens == 2)
        #expect(tokenizer.encode("one two three").starts(with: [first, second].compactMap { $0 }))
        #expect(timeline.contents.count == prompt.count + 1)
    }

    @Test("a stop in the last token of the budget takes precedence over the budget")
    func stoppedAtLimit() async throws {
        var generation = try generation(model(saying: "one two three"), stop: .init(maxTokens: 1))
        #expect(try await generation.next() != nil)
        #expect(generation.finishReason == .length)
        generation.stop()
        #expect(generation.finishReason == .stop)
    }

    @Test("end-of-generation tokens are tokens like any other where they are to be ignored")
    func ignoresEnd() async throws {
        let (text, reason, statistics) = try await run(
            generation(model(saying: "one"), stop: .init(maxTokens: 20, ignoresEndOfGeneration: true)))
        #expect(text.hasPrefix("one"))
        #expect(reason == .length)
        #expect(statistics.completionTokens == 20)
    }

    @Test(
        "limits out of range are refused, and the ends of the ranges work",
        arguments: [
            (StopRules(maxTokens: -1), false), (StopRules(maxTokens: .min), false),
            (StopRules(timeout: .seconds(-1)), false), (StopRules(timeout: .seconds(Int64.min)), false),
            (StopRules(maxTokens: .max), true), (StopRules(timeout: .seconds(Int64.max)), true),
            (StopRules(timeout: Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999)), true),
        ])
    func extremeRules(rules: StopRules, works: Bool) async throws {
        guard !works else {
            #expect(try await run(generation(model(saying: "one"), stop: rules)).text == "one")
            return
        }
        let error = #expect(throws: RuntimeError.self) { try generation(model(saying: "one"), stop: rules) }
        #expect(error?.code == .invalidInput)
    }

    @Test("a timeline that reports any number of tokens is used as it is")
    func hugeCapacity() async throws {
        #expect(try await run(generation(model(saying: "one two"), capacity: .max)).text == "one two")
    }

    @Test("the budget of new tokens ends the reply", arguments: [0, 1, 3])
    func length(budget: Int) async throws {
        let reply = "a b c d e f g"
        let (text, reason, statistics) = try await run(
            generation(model(saying: reply), stop: .init(maxTokens: budget)))
        #expect(reason == .length)
        #expect(statistics.completionTokens == budget)
        #expect(text == tokenizer.decode(tokenizer.encode(reply).prefix(budget)))
    }

    @Test("a reply that reaches the context's end uses its last position")
    func contextFull() async throws {
        let model = model(saying: String(repeating: "word ", count: 40))
        let timeline = model.makeTimeline(capacity: prompt.count + 5)
        let (_, reason, statistics) = try await run(generation(model, timeline: timeline))
        #expect(reason == .contextFull)
        #expect(timeline.contents.count == timeline.capacity)
        #expect(statistics.completionTokens == 6)
    }

    @Test("a prompt that leaves no room is refused with both sizes, and the timeline is untouched")
    func promptTooLong() async throws {
        let model = model(saying: "x")
        let timeline = model.makeTimeline(capacity: prompt.count)
        let error = #expect(throws: RuntimeError.self) { try generation(model, timeline: timeline) }
        #expect(error?.code == .contextExceeded)
        #expect(error?.message.contains("\(prompt.count)") == true)
        #expect(timeline.contents.isEmpty)
    }

    @Test("an empty prompt is refused")
    func emptyPrompt() async throws {
        let model = model(saying: "x")
        let error = #expect(throws: RuntimeError.self) {
            try Generation(of: [], on: model.makeTimeline(capacity: 8), model: model)
        }
        #expect(error?.code == .invalidInput)
    }

    @Test("a deadline ends the reply and keeps its tokens")
    func timeout() async throws {
        let start = ContinuousClock.now
        let calls = Atomic<Int>(0)
        let model = model(saying: "a b c d e f g h i j")
        let generation = try Generation(
            of: ModelInput(prompt), on: model.makeTimeline(capacity: 256), model: model, sampling: .greedy,
            stop: .init(timeout: .seconds(5)),
            now: { start + .seconds(calls.add(1, ordering: .relaxed).newValue) })
        let (text, reason, statistics) = try await run(generation)
        #expect(reason == .timeout)
        #expect(!text.isEmpty)
        #expect(statistics.completionTokens < 10)
    }

    @Test("a deadline that passes while the prompt is read ends the reply before it begins")
    func timeoutInPrompt() async throws {
        let start = ContinuousClock.now
        let calls = Atomic<Int>(0)
        let long = Array(repeating: prompt[0], count: 2_000)
        let model = ScriptedModel(tokenizer: tokenizer, saying: [], after: long.count)
        let timeline = model.makeTimeline(capacity: 4_096)
        let generation = try Generation(
            of: ModelInput(long), on: timeline, model: model, sampling: .greedy, stop: .init(timeout: .seconds(3)),
            now: { start + .seconds(calls.add(1, ordering: .relaxed).newValue) })
        let (text, reason, statistics) = try await run(generation)
        #expect(reason == .timeout)
        #expect(text.isEmpty)
        #expect(statistics.completionTokens == 0)
        #expect(timeline.contents.count < long.count)
    }

    @Test("a deadline that passes while the model reads again what was given back ends the reply")
    func timeoutReadingAgain() async throws {
        let start = ContinuousClock.now
        let seconds = Atomic<Int>(0)
        let model = model(saying: "a b c d e f g h i j")
        let timeline = model.makeTimeline(capacity: 256)
        var generation = try Generation(
            of: ModelInput(prompt), on: timeline, model: model, sampling: .greedy, stop: .init(timeout: .seconds(5)),
            now: { start + .seconds(seconds.load(ordering: .relaxed)) })
        #expect(try await generation.next() != nil)
        let held = generation.giveBack()
        #expect(held.count == prompt.count)
        seconds.store(6, ordering: .relaxed)
        try await generation.readAgain(held)
        #expect(generation.finishReason == .timeout)
        #expect(timeline.contents.isEmpty)
        #expect(try await generation.next() == nil)
    }

    @Test("cancelling the task ends the reply within a token and keeps its tokens")
    func cancelled() async throws {
        let reply = tokenizer.encode("a b c d e f g h")
        let prompt = prompt
        let model = ScriptedModel(tokenizer: tokenizer, saying: reply, after: prompt.count) { step in
            guard step.tokens == [reply[2]] else { return }
            withUnsafeCurrentTask { $0?.cancel() }
        }
        let task = Task { try await run(generation(model)) }
        let (text, reason, statistics) = try await task.value
        #expect(reason == .cancelled)
        #expect(text == tokenizer.decode(reply.prefix(3)))
        #expect(statistics.completionTokens == 3)
    }

    @Test("cancelling while the prompt is read ends the reply before it begins")
    func cancelledInPrompt() async throws {
        let model = ScriptedModel(tokenizer: tokenizer, saying: [], after: prompt.count) { _ in
            withUnsafeCurrentTask { $0?.cancel() }
        }
        let task = Task { try await run(generation(model)) }
        let (text, reason, _) = try await task.value
        #expect(reason == .cancelled)
        #expect(text.isEmpty)
    }

    @Test("an engine's failure is thrown, and nothing follows")
    func failure() async throws {
        let model = ScriptedModel(tokenizer: tokenizer, saying: [], after: prompt.count) { _ in
            throw RuntimeError(.engineFailed, "out of order")
        }
        var generation = try generation(model)
        await #expect(throws: RuntimeError.self) { try await generation.next() }
        #expect(try await generation.next() == nil)
        #expect(generation.finishReason == nil)
    }

    @Test("a second turn runs only the tokens after the common prefix")
    func prefixReuse() async throws {
        let steps = Mutex<[Int]>([])
        let prompt = prompt
        let model = ScriptedModel(
            tokenizer: tokenizer,
            beforeStep: { step in
                steps.withLock { $0.append(step.tokens.count) }
            }, next: { tokens in tokens.count < prompt.count + 3 ? 70 : 71 })
        let timeline = model.makeTimeline(capacity: 256)
        _ = try await run(generation(model, stop: .init(maxTokens: 4), timeline: timeline))
        let second = timeline.contents.tokens + tokenizer.encode(" and more")
        steps.withLock { $0.removeAll() }
        let (_, _, statistics) = try await run(
            Generation(of: ModelInput(second), on: timeline, model: model, sampling: .greedy, stop: .init(maxTokens: 1))
        )
        #expect(statistics.cachedPromptTokens == prompt.count + 3)
        #expect(steps.withLock(\.first) == second.count - statistics.cachedPromptTokens)
        // The same prompt again: all of it except the last token is cached.
        let (_, _, again) = try await run(
            Generation(of: ModelInput(second), on: timeline, model: model, sampling: .greedy, stop: .init(maxTokens: 1))
        )
        #expect(again.cachedPromptTokens == second.count - 1)
    }
}
