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
    private func run(_ generation: Generation) async throws -> (texts: [String], FinishReason, GenerationStatistics) {
        var texts: [String] = []
        var end: (FinishReason, GenerationStatistics)?
        for try await event in generation {
            #expect(end == nil, "nothing follows the end")
            switch event {
            case .text(let text): texts.append(text)
            case .finished(let reason, let statistics): end = (reason, statistics)
            }
        }
        let (reason, statistics) = try #require(end)
        return (texts, reason, statistics)
    }

    private func model(saying reply: String) -> ScriptedModel {
        ScriptedModel(tokenizer: tokenizer, saying: tokenizer.encode(reply), after: prompt.count)
    }

    private func generation(
        _ model: ScriptedModel, capacity: Int = 256, stop: StopRules = .init(), timeline: (any TokenTimeline)? = nil
    ) -> Generation {
        Generation(
            of: prompt, on: timeline ?? model.makeTimeline(capacity: capacity), model: model, sampling: .greedy,
            stop: stop)
    }

    @Test("the reply ends with the model's end-of-generation token, which is no text")
    func stop() async throws {
        let (texts, reason, statistics) = try await run(generation(model(saying: "Hello, wörld 🙂!")))
        #expect(texts.joined() == "Hello, wörld 🙂!")
        #expect(texts.allSatisfy { !$0.isEmpty })
        #expect(reason == .stop)
        #expect(statistics.promptTokens == prompt.count)
        #expect(statistics.completionTokens == tokenizer.encode("Hello, wörld 🙂!").count)
        #expect(statistics.totalTokens == statistics.promptTokens + statistics.completionTokens)
    }

    @Test("no piece holds half a character")
    func wholeCharacters() async throws {
        // The tiny vocabulary spells each of these byte by byte.
        let (texts, _, _) = try await run(generation(model(saying: "日本語🙂é")))
        #expect(texts == ["日", "本", "語", "🙂", "é"])
    }

    @Test("a stop string ends the reply and is not part of it, nor is what was held back lost")
    func stopString() async throws {
        let reply = "one two END three"
        let (texts, reason, _) = try await run(generation(model(saying: reply), stop: .init(strings: ["END"])))
        #expect(texts.joined() == "one two ")
        #expect(reason == .stop)
        let (all, _, _) = try await run(generation(model(saying: "one E"), stop: .init(strings: ["END"])))
        #expect(all.joined() == "one E")
    }

    @Test(
        "a stop string that names a control token ends the reply there, and other control tokens have no text",
        arguments: [
            (["<|im_start|>"], "one ", FinishReason.stop), (["<|im_start|>two"], "one ", .stop),
            (["e <|im_start|>"], "on", .stop), (["<|im_start|><|im_start|>"], "one two three", .stop),
            (["o<|im_start|><|im_start|>"], "one two three", .stop), (["im_start"], "one two three", .stop),
            (["<|", "<|im_start|>three"], "one two three", .stop), (["<|im_start|>", "one"], "", .stop),
        ])
    func stopsAtControlToken(strings: [String], shown: String, expected: FinishReason) async throws {
        let start = try #require(tokenizer.id(ofSpelling: "<|im_start|>"))
        let reply = tokenizer.encode("one ") + [start] + tokenizer.encode("two three")
        let model = ScriptedModel(tokenizer: tokenizer, saying: reply, after: prompt.count)
        let (texts, reason, _) = try await run(generation(model, stop: .init(strings: strings)))
        #expect(texts.joined() == shown)
        #expect(texts.allSatisfy { !$0.isEmpty })
        #expect(reason == expected)
        let full = shown == "one two three"
        #expect(full || texts.joined().count < 5)
    }

    @Test("a control token's text that ordinary tokens spell is text, and stops too")
    func stopsAtSpelledControlToken() async throws {
        let spelled = tokenizer.encode("one <|im_start|>two")
        #expect(!spelled.contains { tokenizer.isControl($0) })
        let model = ScriptedModel(tokenizer: tokenizer, saying: spelled, after: prompt.count)
        #expect(try await run(generation(model)).texts.joined() == "one <|im_start|>two")
        let stopped = try await run(generation(model, stop: .init(strings: ["<|im_start|>"])))
        #expect(stopped.texts.joined() == "one ")
    }

    @Test(
        "rules out of range are refused, and the ends of the ranges work",
        arguments: [
            (StopRules(maxTokens: -1), false), (StopRules(maxTokens: .min), false),
            (StopRules(timeout: .seconds(-1)), false), (StopRules(timeout: .seconds(Int64.min)), false),
            (StopRules(maxTokens: .max), true), (StopRules(timeout: .seconds(Int64.max)), true),
            (StopRules(timeout: Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999)), true),
            (StopRules(strings: ["", String(repeating: "x", count: 100_000)], maxTokens: .max), true),
        ])
    func extremeRules(rules: StopRules, works: Bool) async throws {
        let generation = generation(model(saying: "one"), stop: rules)
        guard !works else {
            #expect(try await run(generation).texts.joined() == "one")
            return
        }
        let error = await #expect(throws: RuntimeError.self) { try await run(generation) }
        #expect(error?.code == .invalidInput)
    }

    @Test("a timeline that says it holds any number of tokens is used as it is")
    func hugeCapacity() async throws {
        #expect(try await run(generation(model(saying: "one two"), capacity: .max)).texts.joined() == "one two")
    }

    @Test("the budget of new tokens ends the reply", arguments: [0, 1, 3])
    func length(budget: Int) async throws {
        let reply = "a b c d e f g"
        let (texts, reason, statistics) = try await run(
            generation(model(saying: reply), stop: .init(maxTokens: budget)))
        #expect(reason == .length)
        #expect(statistics.completionTokens == budget)
        #expect(texts.joined() == tokenizer.decode(tokenizer.encode(reply).prefix(budget)))
    }

    @Test("a reply that reaches the context's end uses its last position")
    func contextFull() async throws {
        let model = model(saying: String(repeating: "word ", count: 40))
        let timeline = model.makeTimeline(capacity: prompt.count + 5)
        let (_, reason, statistics) = try await run(generation(model, timeline: timeline))
        #expect(reason == .contextFull)
        #expect(timeline.tokens.count == timeline.capacity)
        #expect(statistics.completionTokens == 6)
    }

    @Test("a prompt that leaves no room is refused with both sizes, and the timeline is untouched")
    func promptTooLong() async throws {
        let model = model(saying: "x")
        let timeline = model.makeTimeline(capacity: prompt.count)
        let error = await #expect(throws: RuntimeError.self) { try await run(generation(model, timeline: timeline)) }
        #expect(error?.code == .contextExceeded)
        #expect(error?.message.contains("\(prompt.count)") == true)
        #expect(timeline.tokens.isEmpty)
    }

    @Test("an empty prompt is refused")
    func emptyPrompt() async throws {
        let model = model(saying: "x")
        let generation = Generation(of: [], on: model.makeTimeline(capacity: 8), model: model)
        let error = await #expect(throws: RuntimeError.self) { try await run(generation) }
        #expect(error?.code == .invalidInput)
    }

    @Test("a deadline ends the reply and keeps what there is")
    func timeout() async throws {
        let start = ContinuousClock.now
        let calls = Atomic<Int>(0)
        let model = model(saying: "a b c d e f g h i j")
        let generation = Generation(
            of: prompt, on: model.makeTimeline(capacity: 256), model: model, sampling: .greedy,
            stop: .init(timeout: .seconds(5)),
            now: { start + .seconds(calls.add(1, ordering: .relaxed).newValue) })
        let (texts, reason, statistics) = try await run(generation)
        #expect(reason == .timeout)
        #expect(!texts.isEmpty)
        #expect(statistics.completionTokens < 10)
    }

    @Test("a deadline that passes while the prompt is read ends the reply before it begins")
    func timeoutInPrompt() async throws {
        let start = ContinuousClock.now
        let calls = Atomic<Int>(0)
        let long = Array(repeating: prompt[0], count: 2_000)
        let model = ScriptedModel(tokenizer: tokenizer, saying: [], after: long.count)
        let timeline = model.makeTimeline(capacity: 4_096)
        let generation = Generation(
            of: long, on: timeline, model: model, sampling: .greedy, stop: .init(timeout: .seconds(3)),
            now: { start + .seconds(calls.add(1, ordering: .relaxed).newValue) })
        let (texts, reason, statistics) = try await run(generation)
        #expect(reason == .timeout)
        #expect(texts.isEmpty)
        #expect(statistics.completionTokens == 0)
        #expect(timeline.tokens.count < long.count)
    }

    @Test("cancelling the task ends the reply within a token and keeps what there is")
    func cancelled() async throws {
        let reply = tokenizer.encode("a b c d e f g h")
        let prompt = prompt
        let model = ScriptedModel(tokenizer: tokenizer, saying: reply, after: prompt.count) { step in
            guard case .tokens(let tokens) = step.segments[0], tokens == [reply[2]] else { return }
            withUnsafeCurrentTask { $0?.cancel() }
        }
        let task = Task { try await run(generation(model)) }
        let (texts, reason, statistics) = try await task.value
        #expect(reason == .cancelled)
        #expect(texts.joined() == tokenizer.decode(reply.prefix(3)))
        #expect(statistics.completionTokens == 3)
    }

    @Test("cancelling while the prompt is read ends the reply before it begins")
    func cancelledInPrompt() async throws {
        let model = ScriptedModel(tokenizer: tokenizer, saying: [], after: prompt.count) { _ in
            withUnsafeCurrentTask { $0?.cancel() }
        }
        let task = Task { try await run(generation(model)) }
        let (texts, reason, _) = try await task.value
        #expect(reason == .cancelled)
        #expect(texts.isEmpty)
    }

    @Test("an engine's failure is thrown, and nothing follows")
    func failure() async throws {
        let model = ScriptedModel(tokenizer: tokenizer, saying: [], after: prompt.count) { _ in
            throw RuntimeError(.engineFailed, "out of order")
        }
        var iterator = generation(model).makeAsyncIterator()
        await #expect(throws: RuntimeError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test("a second turn runs only what follows the common prefix")
    func prefixReuse() async throws {
        let steps = Mutex<[Int]>([])
        let prompt = prompt
        let model = ScriptedModel(
            tokenizer: tokenizer,
            beforeStep: { step in
                guard case .tokens(let tokens) = step.segments[0] else { return }
                steps.withLock { $0.append(tokens.count) }
            }, next: { tokens in tokens.count < prompt.count + 3 ? 70 : 71 })
        let timeline = model.makeTimeline(capacity: 256)
        _ = try await run(generation(model, stop: .init(maxTokens: 4), timeline: timeline))
        let second = timeline.tokens + tokenizer.encode(" and more")
        steps.withLock { $0.removeAll() }
        let (_, _, statistics) = try await run(
            Generation(of: second, on: timeline, model: model, sampling: .greedy, stop: .init(maxTokens: 1)))
        #expect(statistics.cachedPromptTokens == prompt.count + 3)
        #expect(steps.withLock(\.first) == second.count - statistics.cachedPromptTokens)
        // The same prompt again: all but its last token is there.
        let (_, _, again) = try await run(
            Generation(of: second, on: timeline, model: model, sampling: .greedy, stop: .init(maxTokens: 1)))
        #expect(again.cachedPromptTokens == second.count - 1)
    }
}
