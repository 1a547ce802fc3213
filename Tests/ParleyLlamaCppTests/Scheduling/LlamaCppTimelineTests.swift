// SPDX-License-Identifier: Apache-2.0

#if LlamaCpp
    import ParleyEngine
    import ParleyEngineCases
    import ParleyLlamaCpp
    import ParleyRuntime
    import ParleyTesting
    import ParleyTokenizer
    import Testing

    @Suite("Timelines of llama.cpp")
    struct LlamaCppTimelineTests {
        private let output = LogitRows()

        private func model(_ architecture: TinyArchitecture = .llama) async throws -> LlamaCppModel {
            try await LlamaCppModel.load(TinyModel(architecture).writer())
        }

        @Test("logits are those of the native engine, up to rounding", arguments: TinyArchitecture.all)
        func agreesWithNative(architecture: TinyArchitecture) async throws {
            let writer = TinyModel(architecture).writer()
            let native = try await withModelFile(writer) {
                try await NativeModel.load($0, configuration: .init(threads: 1))
            }
            let model = try await LlamaCppModel.load(writer)
            let tokens = randomTokens(300, vocabulary: model.info.vocabularySize)
            let expected = try await native.makeTimeline().logits(of: tokens)
            let actual = try await model.makeTimeline(capacity: 512).logits(of: tokens)
            #expect(actual.count == expected.count)
            #expect(largestDifference(actual, expected) < 0.05)
        }

        @Test("a timeline can be rewound to any position; with short convolutions, to the beginning")
        func rewinds() async throws {
            for (architecture, reached) in [(TinyArchitecture.llama, 40), (.gemma3, 40), (.lfm2, 0)] {
                let model = try await model(architecture)
                let tokens = randomTokens(100, vocabulary: model.info.vocabularySize)
                let cold = try await model.makeTimeline(capacity: 512).logits(of: tokens)
                let timeline = try model.makeTimeline(capacity: 512)
                try await timeline.step(TimelineStep(tokens: tokens.reversed(), positions: .none), into: output)
                #expect(timeline.rewind(to: 0) == 0)
                try await timeline.step(TimelineStep(tokens: tokens, positions: .none), into: output)
                #expect(timeline.rewind(to: 40) == reached)
                #expect(timeline.contents.tokens == Array(tokens.prefix(reached)))
                let rest = try await timeline.logits(of: Array(tokens.dropFirst(reached)))
                #expect(largestDifference(rest, cold.suffix(rest.count)) < 0.05)
            }
        }

        @Test("a step returns the logits of no, the last, or all positions")
        func returnsPositionsAskedFor() async throws {
            let model = try await model()
            let tokens = randomTokens(300, vocabulary: model.info.vocabularySize)
            let all = try await model.makeTimeline(capacity: 512).logits(of: tokens)
            #expect(all.count == 300 * model.info.vocabularySize)
            let timeline = try model.makeTimeline(capacity: 512)
            try await timeline.step(TimelineStep(tokens: tokens, positions: .last), into: output)
            #expect(output.count == 1)
            #expect(largestDifference(output[0], all.suffix(output.vocabularySize)) < 0.01)
            timeline.rewind(to: 0)
            try await timeline.step(TimelineStep(tokens: tokens, positions: .none), into: output)
            #expect(output.count == 0)
            #expect(timeline.contents.tokens == tokens)
        }

        @Test("timelines in one batch do not affect each other, however many there are")
        func batches() async throws {
            let model = try await LlamaCppModel.load(TinyModel().writer(), sequences: 2)
            let vocabulary = model.info.vocabularySize
            try await withThrowingTaskGroup(of: Float.self) { group in
                for seed in 1...7 {
                    group.addTask {
                        let tokens = randomTokens(60 + 40 * seed, vocabulary: vocabulary, seed: UInt64(seed))
                        let together = try await model.makeTimeline(capacity: 512).logits(of: tokens, chunk: 30)
                        let alone = try await model.makeTimeline(capacity: 512).logits(of: tokens)
                        return largestDifference(together, alone)
                    }
                }
                for try await difference in group { #expect(difference < 0.05) }
            }
        }

        @Test("a timeline can be filled to its last position and no further")
        func refusesMoreThanCapacity() async throws {
            let model = try await model()
            let timeline = try model.makeTimeline(capacity: 33)
            try await timeline.step(TimelineStep(tokens: randomTokens(33, vocabulary: 200)), into: output)
            await expect(code: .contextExceeded) { try await timeline.step(TimelineStep(tokens: [1]), into: output) }
            #expect(timeline.contents.count == 33)
            timeline.rewind(to: 30)
            try await timeline.step(TimelineStep(tokens: [1, 2, 3]), into: output)
            #expect(timeline.contents.count == 33)
        }

        @Test("the whole context can be used by every sequence at once")
        func fillsContext() async throws {
            let model = try await LlamaCppModel.load(TinyModel().writer(), context: 300, sequences: 3)
            let timelines = try (0..<3).map { _ in try model.makeTimeline(capacity: 300) }
            for timeline in timelines {
                try await timeline.step(TimelineStep(tokens: randomTokens(300, vocabulary: 200)), into: output)
                #expect(timeline.contents.count == 300)
            }
        }

        @Test(
            "a token outside the vocabulary is refused, and the timeline does not change",
            arguments: [-1, 1, .max, .min])
        func refusesStrangeTokens(offset: TokenID) async throws {
            let model = try await model()
            let token = offset == 1 ? TokenID(model.info.vocabularySize) : offset
            let timeline = try model.makeTimeline(capacity: 512)
            try await timeline.step(TimelineStep(tokens: [3]), into: output)
            await expect(code: .invalidInput) {
                try await timeline.step(TimelineStep(tokens: [4, token]), into: output)
            }
            #expect(timeline.contents.tokens == [3])
        }

        @Test("after a cancelled step a timeline continues correctly")
        func cancels() async throws {
            var tiny = TinyModel()
            tiny.layers = 12
            let model = try await LlamaCppModel.load(tiny.writer(), context: 4_096)
            let tokens = randomTokens(4_000, vocabulary: model.info.vocabularySize)
            let timeline = try model.makeTimeline(capacity: 4_096)
            // On the model's own thread: between two steps it is free, other threads perhaps only after the last one.
            let step = await withTaskExecutorPreference(model.executor) { [output] in
                let step = Task(executorPreference: model.executor) {
                    try await timeline.step(TimelineStep(tokens: tokens, positions: .none), into: output)
                }
                while timeline.contents.isEmpty, !Task.isCancelled { await Task.yield() }
                step.cancel()
                return step
            }
            await #expect(throws: CancellationError.self) { try await step.value }
            let held = timeline.contents.count
            #expect(held < tokens.count)
            #expect(timeline.contents.tokens == Array(tokens.prefix(held)))
            let next = Array(tokens[held..<held + 20])
            let warm = try await timeline.logits(of: next)
            let cold = try await model.makeTimeline(capacity: 4_096).logits(of: Array(tokens.prefix(held + 20)))
            #expect(largestDifference(warm, cold.suffix(warm.count)) < 0.05)
        }
    }
#endif
