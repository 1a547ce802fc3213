// SPDX-License-Identifier: Apache-2.0

import ParleyModelFile
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer
import Synchronization
import Testing

@Suite("Drafting from the prompt")
struct DraftingTests {
    private let tokenizer: Tokenizer

    init() throws {
        let file = try GGUFFile(bytes: TinyModel().writer().encoded()[...])
        tokenizer = try Tokenizer(file.tokenizerDescription())
    }

    private struct Run: Equatable {
        var text = ""
        var reason: Generation.FinishReason?
        var completionTokens = 0
        var held: [TokenID] = []
        var steps = 0
    }

    /// Runs a reply of a model whose next token is a function of the tokens before.
    private func run(
        prompt: [TokenID], drafts: Bool, capacity: Int = 1_024, sampling: SamplingOptions = .greedy,
        stop: StopRules = .init(maxTokens: 300), stoppingAfter limit: Int = .max, cost: Double? = nil,
        next: @escaping @Sendable ([TokenID]) -> TokenID
    ) async throws -> Run {
        let steps = Mutex(0)
        let model = ScriptedModel(tokenizer: tokenizer, beforeStep: { _ in steps.withLock { $0 += 1 } }, next: next)
        let plain = model.makeTimeline(capacity: capacity)
        let timeline = cost.map { PricedTimeline(plain, cost: $0) } ?? plain
        var run = Run()
        var generation = try Generation(
            of: ModelInput(prompt), on: timeline, model: model, sampling: sampling, stop: stop, drafts: drafts)
        var tokens: [TokenID] = []
        while let token = try await generation.next() {
            tokens.append(token)
            if tokens.count == limit { generation.stop() }
        }
        run.text = tokenizer.decode(tokens)
        run.reason = generation.finishReason
        run.completionTokens = generation.statistics.completionTokens
        run.held = timeline.contents.tokens
        run.steps = steps.withLock { $0 }
        return run
    }

    /// Mostly repeats a cycle, with an occasional deviation.
    private static let circling: @Sendable ([TokenID]) -> TokenID = { tokens in
        let turn = tokens.count % 37 == 0 ? TokenID(tokens.count % 5) : 0
        return 65 + (TokenID(tokens.count % 11) + turn) % 26
    }

    @Test("drafting changes only the number of steps, at any budget and context")
    func lossless() async throws {
        let prompt = tokenizer.encode("ABCDEFGHIJKABCDEFGHIJK")
        for budget in [1, 2, 3, 7, 50, 300] {
            for capacity in [prompt.count + 1, prompt.count + 2, prompt.count + 20, 1_024] {
                let stop = StopRules(maxTokens: budget)
                var drafted = try await run(
                    prompt: prompt, drafts: true, capacity: capacity, stop: stop, next: Self.circling)
                let plain = try await run(
                    prompt: prompt, drafts: false, capacity: capacity, stop: stop, next: Self.circling)
                #expect(drafted.steps <= plain.steps)
                drafted.steps = plain.steps
                #expect(drafted == plain)
            }
        }
    }

    @Test("a guess that costs as much as a token is not made, cheaper ones are, and no token changes")
    func prices() async throws {
        let prompt = tokenizer.encode("ABCDEFGHIJKABCDEFGHIJK")
        let plain = try await run(prompt: prompt, drafts: false, next: Self.circling)
        var steps: [Int] = []
        for cost in [1, 0.5, 0] {
            var priced = try await run(prompt: prompt, drafts: true, cost: cost, next: Self.circling)
            steps.append(priced.steps)
            priced.steps = plain.steps
            #expect(priced == plain)
        }
        #expect(steps[0] == plain.steps)
        #expect(steps == steps.sorted(by: >))
        #expect(steps[2] < plain.steps)
    }

    @Test("sampled replies are the same with and without drafting")
    func sampled() async throws {
        let prompt = tokenizer.encode("ABCABCABCABC")
        let sampling = SamplingOptions(temperature: 8, topK: 0, topP: 1, minP: 0, repetitionPenalty: 1.1, seed: 5)
        var drafted = try await run(prompt: prompt, drafts: true, sampling: sampling, next: Self.circling)
        let plain = try await run(prompt: prompt, drafts: false, sampling: sampling, next: Self.circling)
        drafted.steps = plain.steps
        #expect(drafted == plain)
    }

    @Test("text that repeats its prompt takes less than half the steps")
    func repetition() async throws {
        let line = tokenizer.encode("let the quick brown fox jump over the lazy dog and come back")
        let prompt = line + line + line
        let next: @Sendable ([TokenID]) -> TokenID = { line[$0.count % line.count] }
        let drafted = try await run(prompt: prompt, drafts: true, stop: .init(maxTokens: 100), next: next)
        let plain = try await run(prompt: prompt, drafts: false, stop: .init(maxTokens: 100), next: next)
        #expect(drafted.text == plain.text)
        #expect(drafted.steps * 2 < plain.steps)
    }

    @Test("a stop inside a draft leaves no drafted tokens in the timeline")
    func stopInsideGuess() async throws {
        let line = tokenizer.encode("one two three four five ")
        let prompt = line + line
        let next: @Sendable ([TokenID]) -> TokenID = { line[$0.count % line.count] }
        let run = try await run(prompt: prompt, drafts: true, stoppingAfter: 8, next: next)
        #expect(run.reason == .stop)
        #expect(run.completionTokens == 8)
        #expect(run.held.starts(with: prompt))
        #expect(run.held.count < prompt.count + run.completionTokens)
    }

    @Test("wrong drafts make drafting rare")
    func backsOff() async throws {
        // Every three tokens have stood before, and what followed them never follows again.
        let next: @Sendable ([TokenID]) -> TokenID = { tokens in
            tokens.count % 4 == 3 ? 65 + TokenID(tokens.count / 4 % 180) : 30 + TokenID(tokens.count % 4)
        }
        let rows = Mutex(0)
        let model = ScriptedModel(
            tokenizer: tokenizer,
            beforeStep: { step in
                rows.withLock { $0 += step.tokens.count }
            }, next: next)
        var generation = try Generation(
            of: [30, 31, 32, 64], on: model.makeTimeline(capacity: 1_024), model: model, sampling: .greedy,
            stop: .init(maxTokens: 600))
        while try await generation.next() != nil {}
        #expect(rows.withLock { $0 } < 660)
    }
}

/// A timeline whose guesses have a price.
private final class PricedTimeline: GuessPricing {
    let guessCost: Double?
    private let timeline: any TokenTimeline

    init(_ timeline: any TokenTimeline, cost: Double) {
        (self.timeline, guessCost) = (timeline, cost)
    }

    var capacity: Int { timeline.capacity }
    var contents: ModelInput { timeline.contents }
    var rewindsExactly: Bool { timeline.rewindsExactly }
    func rewind(to position: Int) -> Int { timeline.rewind(to: position) }
    func step(_ step: TimelineStep, into output: LogitRows) async throws {
        try await timeline.step(step, into: output)
    }
}
