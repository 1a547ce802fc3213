// SPDX-License-Identifier: Apache-2.0

import ParleyEngine
import ParleyEngineCases
import ParleyRuntime
import ParleyTesting
import ParleyTokenizer
import Testing

@Suite("Timelines")
struct NativeTimelineTests {
    private let output = LogitRows()

    private func model(_ architecture: TinyArchitecture = .llama) async throws -> NativeModel {
        try await NativeModel.load(TinyModel(architecture).writer())
    }

    @Test(
        "a timeline can be rewound to any position; with short convolutions, to a multiple of 32",
        arguments: [
            (TinyArchitecture.llama, [(200, 100), (99, 99), (64, 64), (-5, 0)]), (.gemma3, [(99, 99), (1, 1)]),
            (.lfm2, [(200, 100), (99, 96), (96, 96), (95, 64), (31, 0), (-5, 0)]),
        ])
    func rewinds(architecture: TinyArchitecture, cuts: [(to: Int, reached: Int)]) async throws {
        let model = try await model(architecture)
        let tokens = randomTokens(100, vocabulary: model.info.vocabularySize)
        let timeline = try model.makeTimeline()
        try await timeline.step(TimelineStep(tokens: tokens, positions: .none), into: output)
        for cut in cuts {
            #expect(timeline.rewind(to: cut.to) == cut.reached)
            #expect(timeline.contents.tokens == Array(tokens.prefix(cut.reached)))
        }
    }

    @Test("a step returns the logits of no, the last, or all positions")
    func returnsPositionsAskedFor() async throws {
        let model = try await model()
        let tokens = randomTokens(300, vocabulary: model.info.vocabularySize)
        let all = try await model.logits(of: tokens)
        #expect(all.count == 300 * model.info.vocabularySize)

        let timeline = try model.makeTimeline()
        try await timeline.step(TimelineStep(tokens: tokens, positions: .last), into: output)
        #expect(output.count == 1)
        #expect(firstDifference(Array(output[0]), Array(all.suffix(output.vocabularySize))) == nil)

        timeline.rewind(to: 0)
        try await timeline.step(TimelineStep(tokens: tokens, positions: .none), into: output)
        #expect(output.count == 0)
        #expect(timeline.contents.tokens == tokens)
    }

    @Test("an empty step does nothing", arguments: [TimelineStep.Positions.none, .last, .all])
    func acceptsEmptySteps(positions: TimelineStep.Positions) async throws {
        let timeline = try await model().makeTimeline()
        try await timeline.step(TimelineStep(tokens: [], positions: positions), into: output)
        #expect(output.count == 0)
        #expect(timeline.contents.isEmpty)
    }

    @Test("a timeline can be filled to its last position and no further")
    func refusesMoreThanCapacity() async throws {
        let model = try await model()
        let timeline = try model.makeTimeline(capacity: 33)
        try await timeline.step(TimelineStep(tokens: randomTokens(33, vocabulary: 200)), into: output)
        await expect(code: .contextExceeded) { try await timeline.step(TimelineStep(tokens: [1]), into: output) }
        #expect(timeline.contents.count == 33)
        timeline.rewind(to: 30)
        await expect(code: .contextExceeded) {
            try await timeline.step(TimelineStep(tokens: [1, 2, 3, 4]), into: output)
        }
        try await timeline.step(TimelineStep(tokens: [1, 2, 3]), into: output)
        #expect(timeline.contents.count == 33)
    }

    @Test(
        "a token outside the vocabulary is refused, and the timeline does not change", arguments: [-1, 1, .max, .min])
    func refusesStrangeTokens(offset: TokenID) async throws {
        let model = try await model()
        let token = offset == 1 ? TokenID(model.info.vocabularySize) : offset
        let timeline = try model.makeTimeline()
        try await timeline.step(TimelineStep(tokens: [3]), into: output)
        await expect(code: .invalidInput) { try await timeline.step(TimelineStep(tokens: [4, token]), into: output) }
        #expect(timeline.contents.tokens == [3])
    }

    @Test("a reply that reuses a timeline is the same as after a cold start", arguments: TinyArchitecture.all)
    func reusesPrefix(architecture: TinyArchitecture) async throws {
        let model = try await model(architecture)
        let vocabulary = model.info.vocabularySize
        let prompt = randomTokens(150, vocabulary: vocabulary)
        let warm = try model.makeTimeline()
        _ = try await reply(to: prompt, on: warm, model)
        // A second turn shares the first prompt and goes on differently.
        let second = prompt.prefix(140) + randomTokens(60, vocabulary: vocabulary, seed: 3)
        let cached = try await reply(to: Array(second), on: warm, model)
        let cold = try model.makeTimeline()
        let fresh = try await reply(to: Array(second), on: cold, model)
        #expect(cached >= 128)
        #expect(fresh == 0)
        #expect(warm.contents == cold.contents)
        #expect(warm.contents.count > second.count)
    }

    /// Draws a reply and returns how many tokens of the prompt the timeline held already.
    private func reply(to prompt: [TokenID], on timeline: any TokenTimeline, _ model: NativeModel) async throws -> Int {
        var generation = try Generation(
            of: ModelInput(prompt), on: timeline, model: model, sampling: .init(temperature: 1.2, seed: 5),
            stop: .init(maxTokens: 40))
        while try await generation.next() != nil {}
        return generation.statistics.cachedPromptTokens
    }
}
