// SPDX-License-Identifier: Apache-2.0

import ParleyConversation
import ParleyLocal
import ParleyTestSupport
import ParleyTesting
import Testing

/// Tests of the default model that can print measurements; see ``Measuring``.
@Suite(
    "The default model under measurement", .serialized,
    .enabled(if: References.has(References.defaultModel), References.hint))
struct DefaultModelMeasuredTests {
    /// A history of about 1,500 tokens.
    private func longHistory(_ runner: LocalModelRunner) async throws -> [ChatMessage] {
        var history: [ChatMessage] = [.system("Answer in one short sentence.")]
        for number in 1... {
            let event = "the river rose by \(number * 7) centimetres"
            history.append(.user("Note number \(number): \(event). What do you say?"))
            history.append(.assistant("I have noted that \(event) in note \(number)."))
            let count = try await runner.promptTokenCount(messages: history, functions: [], options: nil)
            if count >= 1_500 { return history }
        }
        return history
    }

    @Test("A turn after a long history processes only its new tokens, and gives the same reply as without a cache")
    func secondTurn() async throws {
        let runner = try await DefaultModel.runner()
        let history = try await longHistory(runner)
        let options = GenerationOptions(temperature: 0, maxTokens: 24)
        let question = "What was the last note?"
        // Sampled without filters, so that the smallest difference would show.
        let drawn = GenerationOptions(temperature: 1, topK: 0, topP: 1, minP: 0, seed: 5, maxTokens: 24)
        var warmTimes: [Duration] = []
        var coldTimes: [Duration] = []
        for _ in 0..<(Measuring.amount == nil ? 1 : 5) {
            // Runners share nothing.
            let (runner, other) = (try await DefaultModel.runner(), try await DefaultModel.runner())
            let warm = runner.createConversationFromHistory(history)
            let first = try await warm.reply(to: "Say so.", generationOptions: options).completion
            let before = warm.history
            let firstStats = try #require(first.stats)
            #expect(firstStats.cachedPromptTokens == 0)
            let second = try #require(try await warm.reply(to: question, generationOptions: drawn).completion.stats)
            let cold = other.createConversationFromHistory(before)
            let anew = try #require(try await cold.reply(to: question, generationOptions: drawn).completion.stats)
            // The last token of a reply that reached its budget has been drawn and not been run.
            let unrun = first.finishReason == .length ? 1 : 0
            #expect(second.cachedPromptTokens == firstStats.totalTokens - unrun)
            #expect(second.promptTokens > 1_500 && second.promptTokens == anew.promptTokens)
            #expect(anew.cachedPromptTokens == 0)
            #expect(warm.history == cold.history)
            warmTimes.append(try #require(second.timeToFirstToken))
            coldTimes.append(try #require(anew.timeToFirstToken))
            Measuring.tell(
                "prompt of \(second.promptTokens) tokens: first token after \(warmTimes[warmTimes.count - 1]) with "
                    + "\(second.cachedPromptTokens) of them cached, after \(coldTimes[coldTimes.count - 1]) with none")
        }
        Measuring.tell("warm: \(Measuring.spread(warmTimes)); cold: \(Measuring.spread(coldTimes))")
    }

    @Test("What a second conversation has in common with the first is not read again, and its reply is the same")
    func commonBeginning() async throws {
        let history = try await longHistory(DefaultModel.runner())
        let options = GenerationOptions(temperature: 1, topK: 0, topP: 1, minP: 0, seed: 5, maxTokens: 16)
        var (shared, alone): ([Duration], [Duration]) = ([], [])
        for _ in 0..<(Measuring.amount == nil ? 1 : 5) {
            let (runner, other) = (try await DefaultModel.runner(), try await DefaultModel.runner())
            // Its cache is freed with it.
            let earlier = runner.createConversationFromHistory(history)
            defer { withExtendedLifetime(earlier) {} }
            _ = try await earlier.reply(to: "Say so.", generationOptions: options).completion
            var replies: [String] = []
            for one in [runner, other] {
                let conversation = one.createConversationFromHistory(history)
                let began = ContinuousClock.now
                var first: Duration?
                for try await response in conversation.generateResponse(
                    userTextMessage: "What was the last note?", generationOptions: options)
                {
                    if first == nil { first = ContinuousClock.now - began }
                    guard case .complete(let completion) = response else { continue }
                    replies.append(completion.message.text)
                    let stats = try #require(completion.stats)
                    #expect(one === runner ? stats.cachedPromptTokens > 1_450 : stats.cachedPromptTokens == 0)
                }
                if one === runner { shared.append(try #require(first)) } else { alone.append(try #require(first)) }
            }
            #expect(replies[0] == replies[1])
        }
        Measuring.tell("shared: \(Measuring.spread(shared)); alone: \(Measuring.spread(alone))")
    }

    @Test("Two conversations stopped at any moment of their replies conform, and all memory is freed")
    func stoppingReplies() async {
        // In a process of its own, where nothing else takes memory meanwhile.
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let runner = try await DefaultModel.runner()
            // Runs once first, so that memory that is kept for good is allocated before measuring.
            _ = try await CancellationStress(rounds: Measuring.amount == nil ? 2 : 20).run(on: runner)
            let before = ProcessMemory.inUse
            let report = try await CancellationStress(rounds: Measuring.amount ?? 4).run(on: runner)
            let after = ProcessMemory.inUse
            #expect(report.stopped > 0)
            if let before, let after {
                #expect(after.own < before.own + 64 << 20)
                Measuring.tell("\(before) before; \(after) after")
            }
            Measuring.tell("\(report.stopped) replies stopped, \(report.ended) ended before that")
            Measuring.tell("stopping before the first piece: \(Measuring.spread(report.promptLatencies))")
            Measuring.tell("stopping while decoding: \(Measuring.spread(report.replyLatencies))")
        }
        Measuring.pass(on: result?.standardOutputContent ?? [])
    }

    @Test("Two conversations stopped at any moment of long prompts conform")
    func stoppingPrompts() async throws {
        let runner = try await DefaultModel.runner()
        var stress = CancellationStress(
            rounds: Measuring.amount.map { $0 / 10 } ?? 3,
            prompt: String(repeating: "The river rose again. ", count: 220) + "What rose?",
            options: GenerationOptions(temperature: 0, maxTokens: 4))
        stress.turns = 1
        stress.longestWait = .seconds(1)
        let report = try await stress.run(on: runner)
        #expect(report.stopped > 0)
        Measuring.tell("\(report.stopped) replies to long prompts stopped, \(report.ended) ended before that")
        Measuring.tell("stopping within a long prompt: \(Measuring.spread(report.promptLatencies))")
        Measuring.tell("stopping behind it: \(Measuring.spread(report.replyLatencies))")
    }
}
